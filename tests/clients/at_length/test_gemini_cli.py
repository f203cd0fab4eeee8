"""Tests the real gemini-cli: real commands on each provider, parallel calls, its helper models and its search."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from pathlib import Path

import pytest

from proxy.emulator.signatures import sign_call
from tests.clients.at_length.claude_code_cases import signatures_in
from tests.clients.at_length.gemini_cli import GeminiCli
from tests.clients.at_length.gemini_cli_cases import (
    APPEND,
    FAST,
    PROMPT,
    SHELL,
    SLOW,
    TEXT,
    THOUGHT,
    WRITE,
    call,
    results_by_call,
)
from tests.clients.gemini.cases import CLAUDE, CLAUDES, FLASH, GPT, OLD_CLAUDE, check_answers
from tests.clients.gemini.gateways import Gateways
from tests.clients.rounds import LAST_WORDS
from tests.clients.test_documented_gemini_clients import ORIGIN, block_of
from tests.support.builders import PNG_URL

MODELS = (FLASH, GPT, CLAUDE, OLD_CLAUDE)


@pytest.mark.parametrize("model", [FLASH, GPT, CLAUDE])
def test_the_documented_settings(gemini_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """The variables, the settings and the command of the page are enough, unchanged except for address and model."""
    gateways = gemini_gateways
    shell = block_of("gemini-cli", "sh")
    variables = dict(re.findall(r"^export (\w+)=(\S+)", shell, re.MULTILINE))
    assert variables["GOOGLE_GEMINI_BASE_URL"] == ORIGIN
    [named] = re.findall(r"^gemini -m (\S+)", shell, re.MULTILINE)
    settings = json.loads(block_of("gemini-cli", "json"))
    gateways.queue(model, LAST_WORDS)
    gateways.begin()
    given = {**variables, "GOOGLE_GEMINI_BASE_URL": gateways.origin}
    cli = GeminiCli(tmp_path, gateways.origin, named if model == FLASH else model, settings, given)

    ended = cli.run(PROMPT)

    assert (ended.status, ended.text) == (0, LAST_WORDS), ended
    assert len(gateways.accepted(model)) == 1


@pytest.mark.parametrize("state", ["stored", "lost", "stripped"])
@pytest.mark.parametrize("model", MODELS)
def test_a_loop_of_real_commands(gemini_gateways: Gateways, tmp_path: Path, model: str, state: str) -> None:
    """gemini-cli runs each command once, the model gets what it wrote, and Gemini its signatures.

    The answers are in the store and in the envelopes, in the envelopes alone, or in the store alone.
    """
    gateways = gemini_gateways
    write, append = call(SHELL, WRITE), call(SHELL, APPEND)
    gateways.queue(model, [THOUGHT, TEXT, write], [THOUGHT, append], LAST_WORDS)
    gateways.begin(is_lost=state == "lost", strips=state == "stripped")
    cli = GeminiCli(tmp_path, gateways.origin, model)

    ended = cli.run(PROMPT)

    first = "" if model == GPT else TEXT["text"]  # its emulator says no text beside calls
    assert (ended.status, ended.text) == (0, first + LAST_WORDS), ended
    assert ended.called == [(SHELL, WRITE), (SHELL, APPEND)]
    assert [*ended.results.values()] == ["success"] * 2
    assert (cli.work / "note.txt").read_text() == "real-42\nmore-53\n"
    assert ended.usage["total_tokens"] > 0
    check_answers(gateways.exchanges, model, 200, 200, 200)
    bodies = gateways.accepted(model)
    assert len(bodies) == 3
    assert "real-42" in json.dumps(bodies[1])
    assert "more-53" in json.dumps(bodies[2])
    if model == FLASH and state != "stripped":  # a client that loses its signatures sends stand-ins
        issued = [sign_call(SHELL, WRITE, 0), sign_call(SHELL, APPEND, 1)]
        assert [signatures_in(body) for body in bodies] == [[], issued[:1], issued]
    if (model, state) == (FLASH, "stored"):
        assert bodies == [exchange.request for exchange in gateways.exchanges]
    if model in CLAUDES:
        kinds = [
            [block["type"] for block in turn["content"]]
            for turn in bodies[-1]["messages"]
            if turn["role"] == "assistant"
        ]
        assert kinds == [["thinking", "text", "tool_use"], ["thinking", "tool_use"]]


@pytest.mark.parametrize("model", MODELS)
def test_parallel_calls_and_an_image(gemini_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """gemini-cli writes an image behind its result, between the results of other calls.

    Gemini 3 refuses this mixture, and other providers want results only.
    """
    gateways = gemini_gateways
    calls = [
        call(SHELL, SLOW),
        call("read_file", {"file_path": "dot.png"}),
        call(SHELL, FAST),
        call("write_file", {"file_path": "new.txt", "content": "fresh\n"}),
    ]
    gateways.queue(model, [THOUGHT, *calls], LAST_WORDS)
    gateways.begin(is_lost=True)
    cli = GeminiCli(tmp_path, gateways.origin, model)
    cli.work.mkdir()
    (cli.work / "dot.png").write_bytes(b64decode(PNG_URL.partition(",")[2]))

    ended = cli.run(PROMPT)

    assert (ended.status, ended.text) == (0, LAST_WORDS), ended
    assert (cli.work / "new.txt").read_text() == "fresh\n"
    assert [*ended.results.values()] == ["success"] * 4
    check_answers(gateways.exchanges, model, 200, 200)
    last = gateways.accepted(model)[-1]
    assert json.dumps(last).count(PNG_URL.partition(",")[2]) == 1
    results = [json.dumps(result) for result in results_by_call(last)]
    assert ["first-2" in results[0], "third-6" in results[2], "new.txt" in results[3]] == [True] * 3
    assert len(results) == 4


@pytest.mark.parametrize("model", [FLASH, GPT, CLAUDE])
def test_its_own_choice_of_models(gemini_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """gemini-cli asks a helper model how hard the task is. A wildcard gives its fixed names to any provider."""
    gateways = gemini_gateways
    choice = {"complexity_reasoning": "A small task.", "complexity_score": 10}
    gateways.queue(model, json.dumps(choice), [THOUGHT, call(SHELL, WRITE)], LAST_WORDS)
    with gateways.serving(model_list=gateways.wildcard(model)):
        cli = GeminiCli(tmp_path, gateways.origin, "")
        ended = cli.run(PROMPT)

    assert (ended.status, ended.text) == (0, LAST_WORDS), ended
    assert (cli.work / "note.txt").read_text() == "real-42\n"
    asked = [exchange.path.rpartition("/")[2] for exchange in gateways.exchanges]
    helper, *others = asked
    assert helper.endswith(":generateContent")
    assert len({helper.partition(":")[0], *(name.partition(":")[0] for name in others)}) == 2
    check_answers(gateways.exchanges, model, 200, 200, 200)
    assert len(gateways.accepted(model)) == 3


@pytest.mark.parametrize("model", [FLASH, GPT, CLAUDE])
def test_a_search(gemini_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """gemini-cli searches by a request of its own, with Google's search as the only tool.

    Claude gets its own search. A provider without one is not asked, and gemini-cli tells the model of the error.
    """
    gateways = gemini_gateways
    found = [] if model == GPT else ["It is fine in Oslo."]
    search = call("google_web_search", {"query": "The weather in Oslo"})
    gateways.queue(model, [THOUGHT, search], *found, LAST_WORDS)
    with gateways.serving(model_list=gateways.wildcard(model)):
        ended = GeminiCli(tmp_path, gateways.origin, "gemini-3.6-flash").run(PROMPT)

    assert (ended.status, ended.text) == (0, LAST_WORDS), ended
    assert [exchange.status for exchange in gateways.exchanges] == [200, 200 if found else 400, 200]
    assert [*ended.results.values()] == ["success" if found else "error"]
    bodies = gateways.accepted(model)
    [result] = results_by_call(bodies[-1])
    assert ("It is fine in Oslo." in json.dumps(result)) is bool(found)
    if model == CLAUDE:
        assert [tool["name"] for tool in bodies[1]["tools"]] == ["web_search"]


@pytest.mark.parametrize("model", [FLASH, CLAUDE])
def test_a_page_of_the_web(gemini_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """gemini-cli reads a page by a request with Google's URL context alone. Claude gets its own tool for pages.

    The page's address needs no look-up of a name, and nobody asks for the page.
    """
    gateways = gemini_gateways
    fetch = call("web_fetch", {"prompt": "Summarize https://1.1.1.1/page."})
    gateways.queue(model, [THOUGHT, fetch], "It is an example.", LAST_WORDS)
    with gateways.serving(model_list=gateways.wildcard(model)):
        ended = GeminiCli(tmp_path, gateways.origin, FLASH).run(PROMPT)

    assert (ended.status, ended.text) == (0, LAST_WORDS), ended
    asked = [exchange.request.get("tools") for exchange in gateways.exchanges]
    assert asked[1] == [{"urlContext": {}}]
    bodies = gateways.accepted(model)
    assert len(bodies) == len(asked)
    if model == CLAUDE:
        assert [tool["name"] for tool in bodies[1]["tools"]] == ["web_fetch"]
