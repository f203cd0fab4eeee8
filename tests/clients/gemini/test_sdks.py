"""Tests google-genai in Python and JavaScript: tool loops and chats on each provider, streamed and whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import pytest

from tests.clients.gemini.cases import (
    CLAUDE,
    EMBEDDER,
    GEMINI,
    GPT,
    MODELS,
    OTHER_EMBEDDER,
    blocks_of_round,
    check_answers,
    in_standard_base64,
)
from tests.clients.gemini.gateways import Gateways
from tests.clients.judging import check_openai_request, check_report, check_request
from tests.clients.messages.cases import check_messages_request
from tests.clients.rounds import LAST_WORDS
from tests.clients.rounds import ROUNDS as ALL_ROUNDS
from tests.clients.running_clients import Report, Seen, run_script
from tests.support.builders import PNG_URL
from tests.support.covering_cases import EVERYTHING

SCRIPTS = ("gemini.client", "gemini/client.mjs")
ROUNDS = ALL_ROUNDS if EVERYTHING else ALL_ROUNDS[2:4]
"""The last of these has a text before its calls."""

WAYS = ("whole", "stream")
STATES = ("stored", "lost", "stripped")
"""The store and the envelopes, the envelopes alone, the store alone."""


@pytest.mark.each_value
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("task", ["tools", "chat"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_tool_loop(
    gemini_gateways: Gateways, script: str, way: str, model: str, task: str, state: str
) -> None:
    """Every call comes back with its own result, its signature and the thoughts before it.

    The history of a chat has a content for each chunk, and its Python client sends results without ids.
    """
    gateways = gemini_gateways
    gateways.queue(model, *(blocks_of_round(expected) for expected in ROUNDS), LAST_WORDS)
    gateways.begin(is_lost=state == "lost", strips=state == "stripped")

    told = run_script(script, task, gateways.origin, model, way)

    check_report(Report([[Seen(**call) for call in calls] for calls in told["rounds"]], told["text"]), ROUNDS)
    check_answers(gateways.exchanges, model, *[200] * (len(ROUNDS) + 1))
    assert {exchange.is_stream for exchange in gateways.exchanges} == {way == "stream"}
    bodies = gateways.accepted(model)
    assert len(bodies) == len(ROUNDS) + 1
    # Gemini's own ids are relayed, so that the store knows none of its calls: it gets a stand-in for a lost signature.
    foreign = range(len(ROUNDS)) if state == "stripped" else ()
    for done, body in enumerate(bodies):
        if model == GEMINI:
            check_request(in_standard_base64(body), done, foreign, ROUNDS)
        elif model == GPT:
            messages = [message for message in body["messages"] if message["role"] != "system"]
            check_openai_request({**body, "messages": messages}, done, ROUNDS)
        else:
            check_messages_request(body, done, ROUNDS)


@pytest.mark.each_value
@pytest.mark.parametrize("way", WAYS)
def test_an_asynchronous_chat(gemini_gateways: Gateways, way: str) -> None:
    """google-genai has another code for its asynchronous client: another HTTP client reads the streams."""
    gateways = gemini_gateways
    gateways.queue(GEMINI, *(blocks_of_round(expected) for expected in ROUNDS), LAST_WORDS)
    gateways.begin()

    told = run_script(SCRIPTS[0], "chat", gateways.origin, GEMINI, way, "async")

    check_report(Report([[Seen(**call) for call in calls] for calls in told["rounds"]], told["text"]), ROUNDS)
    for done, body in enumerate(gateways.accepted(GEMINI)):
        check_request(in_standard_base64(body), done, rounds=ROUNDS)


@pytest.mark.each_value
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_picture_in_a_result(gemini_gateways: Gateways, script: str, model: str, way: str) -> None:
    """The picture of a functionResponse reaches each provider."""
    gateways = gemini_gateways
    data = PNG_URL.partition(",")[2]
    gateways.queue(model, blocks_of_round(ALL_ROUNDS[0])[:2], LAST_WORDS)
    gateways.begin()

    told = run_script(script, "picture", gateways.origin, model, way, data)

    assert told == {"text": LAST_WORDS}
    check_answers(gateways.exchanges, model, 200, 200)
    assert data in json.dumps(gateways.accepted(model)[-1]).replace("_", "/").replace("-", "+")


@pytest.mark.each_value
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("model", [GPT, CLAUDE])
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_search_beside_functions(gemini_gateways: Gateways, script: str, model: str, way: str) -> None:
    """Google's search becomes Claude's own, and is left out for a provider without one."""
    gateways = gemini_gateways
    gateways.queue(model, LAST_WORDS)
    gateways.begin()

    told = run_script(script, "search", gateways.origin, model, way, "beside")

    assert told == {"text": LAST_WORDS}
    [body] = gateways.accepted(model)
    names = [tool.get("name") or tool["function"]["name"] for tool in body["tools"]]
    own = ["web_search"] if model == CLAUDE else []
    assert sorted(names) == sorted(["get_time", "get_weather", *own])


@pytest.mark.each_value
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("model", [GEMINI, CLAUDE])
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_search_alone(gemini_gateways: Gateways, script: str, model: str, way: str) -> None:
    """A provider with a search of its own answers a request that has nothing else."""
    gateways = gemini_gateways
    gateways.queue(model, LAST_WORDS)
    gateways.begin()

    told = run_script(script, "search", gateways.origin, model, way)

    assert told == {"text": LAST_WORDS}
    [body] = gateways.accepted(model)
    assert (
        [*body["tools"][0].values()] == [{}] if model == GEMINI else body["tools"][0]["name"] == "web_search"
    )


@pytest.mark.each_value
@pytest.mark.parametrize("embedder", [EMBEDDER, OTHER_EMBEDDER])
@pytest.mark.parametrize("model", [GEMINI, GPT, CLAUDE])
@pytest.mark.parametrize("script", SCRIPTS)
def test_the_other_paths(gemini_gateways: Gateways, script: str, model: str, embedder: str) -> None:
    """The clients count tokens, read the list of models and one model, and embed texts."""
    gateways = gemini_gateways
    gateways.begin()

    told = run_script(script, "paths", gateways.origin, model, "whole", embedder)

    assert told.pop("counts") > 0
    assert {f"models/{name}" for name in (*MODELS, EMBEDDER, OTHER_EMBEDDER)} <= {*told.pop("models")}
    name, limit, methods = told.pop("model")
    assert (name, limit > 0) == (f"models/{model}", True)
    # The JavaScript client reads the methods of Vertex alone.
    assert methods is None or {"generateContent", "streamGenerateContent", "countTokens"} <= {*methods}
    assert told == {"counts more": True, "vectors": [8, 8], "vectors differ": True}


@pytest.mark.each_value
@pytest.mark.parametrize("model", [GEMINI, GPT, CLAUDE])
@pytest.mark.parametrize("script", SCRIPTS)
def test_an_object(gemini_gateways: Gateways, script: str, model: str) -> None:
    """The schema of an answer reaches each provider, in the types of JSON Schema for others than Gemini."""
    gateways = gemini_gateways
    trip = {"city": "Oslo", "days": 3, "friend": None}
    gateways.queue(model, json.dumps(trip))
    gateways.begin()

    told = run_script(script, "structured", gateways.origin, model, "whole")

    assert told == trip
    [body] = gateways.accepted(model)
    text = json.dumps(body)
    assert '"days"' in text
    if model != GEMINI:
        assert [word for word in ("OBJECT", "nullable", "rdering") if word in text] == []


@pytest.mark.each_value
@pytest.mark.parametrize("script", SCRIPTS)
def test_paths_that_nobody_serves(gemini_gateways: Gateways, script: str) -> None:
    """Caches, files and batches are not found, in the client's own class of errors."""
    gemini_gateways.begin()

    told = run_script(script, "missing", gemini_gateways.origin, GEMINI, "whole")

    assert told == {"errors": [[404, "NOT_FOUND"]] * 3}
    assert gemini_gateways.accepted(GEMINI) == []


@pytest.mark.each_value
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("model", [GEMINI, GPT, CLAUDE])
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_chat_keeps_its_turns(gemini_gateways: Gateways, script: str, model: str, way: str) -> None:
    """google-genai forgets a turn where any chunk of its answer has no part in its content.

    It sends each chunk back as a content of its own, which Gemini takes.
    """
    gateways = gemini_gateways
    gateways.queue(model, "The first answer.", LAST_WORDS)
    gateways.begin()

    told = run_script(script, "talk", gateways.origin, model, way, "The first question.", "The second one.")

    assert told == {"texts": ["The first answer.", LAST_WORDS]}
    body = gateways.accepted(model)[-1]
    turns = body.get("contents") or [turn for turn in body["messages"] if turn["role"] != "system"]
    said = ["".join(map(text_of, run)) for _, run in groupby(turns, key=itemgetter("role"))]
    assert said == ["The first question.", "The first answer.", "The second one."]


def text_of(turn: Mapping[str, Any]) -> str:
    """Return the text of a turn of any provider, without its thoughts."""
    content = turn.get("parts") or turn["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
