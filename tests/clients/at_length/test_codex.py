"""Tests the real codex command: real commands, its compaction, and how often it asks after each failure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from proxy.emulator.signatures import sign_call
from tests.clients.at_length.codex import Codex
from tests.clients.responses.cases import (
    CODEX_GEMINI,
    CODEX_GPT,
    CODEX_NATIVE,
    GEMINI,
    LOST,
    NATIVE_OTHER,
    STORE_ONLY,
    STORED,
    State,
)
from tests.clients.responses.gateways import Gateways
from tests.clients.rounds import LAST_WORDS
from tests.support.emulated import Fault
from tests.support.responses_grammar import find_stream_faults

WRITE = "echo real-$((40 + 2)) > note.txt; cat note.txt"
APPEND = "echo more-$((50 + 3)) >> note.txt; cat note.txt"
COUNT = "seq 1 6000"
PROMPT = "Please work with the note."
SUMMARY = "The user wants to work with the note. SUMMARY-4711."

UNKNOWN = (GEMINI, NATIVE_OTHER)
"""Names that codex does not know."""

Calls = Sequence[tuple[str, dict[str, Any]]]


def call_of(model: str, command: str) -> tuple[str, dict[str, Any]]:
    """Return the call with which a model runs *command*.

    codex has a function for a name that it does not know, and for one that it knows a custom tool, which takes a
    program.
    """
    if model in UNKNOWN:
        return "exec_command", {"cmd": command}
    return "exec", {"input": f"text(await tools.exec_command({{cmd: {json.dumps(command)}}}));"}


def queue(gateways: Gateways, model: str, *answers: Calls | str) -> None:
    """Queue *answers* of calls or of a text for the provider of *model*."""
    emulator = gateways.in_a_thread(model)
    for answer in answers:
        if emulator is not None:
            emulator.faults.append({"text": answer} if isinstance(answer, str) else {"calls": list(answer)})
        elif isinstance(answer, str):
            gateways.gemini.say(answer)
        else:
            gateways.gemini.answer(*({"functionCall": {"name": name, "args": args}} for name, args in answer))


def accepted(gateways: Gateways, model: str, *, but_chats: bool = False) -> list[Any]:
    """Return the bodies that reached the provider of *model*, which must have accepted each of them.

    With *but_chats*, chats are left out. A summary is asked for in a chat where the provider has chats, as xAI does.
    Its emulator has none.
    """
    emulator = gateways.in_a_thread(model)
    if emulator is not None:
        requests = [
            request
            for request in emulator.requests
            if not (but_chats and request.path.endswith("/chat/completions"))
        ]
        assert [request.refusal for request in requests] == [None] * len(requests)
        return [request.body for request in requests]
    journal = gateways.gemini.journal()
    assert [entry["verdict"] for entry in journal if entry["verdict"]["status"] != 200] == []
    return [entry["body"] for entry in journal]


def signatures_in(body: Mapping[str, Any]) -> list[str | None]:
    """Return the signature of each call in a request to Gemini."""
    parts = [part for turn in body["contents"] for part in turn["parts"] if "functionCall" in part]
    return [part.get("thoughtSignature") for part in parts]


def check_streams(gateways: Gateways, count: int) -> None:
    """Check that codex asked *count* times, and that each answer was a legal stream."""
    exchanges = gateways.relay.exchanges
    assert [(exchange.path, exchange.status) for exchange in exchanges] == [("/v1/responses", 200)] * count
    for exchange in exchanges:
        assert find_stream_faults(bytes(exchange.answer)) == []


@pytest.mark.parametrize("state", [STORED, LOST, STORE_ONLY], ids=attrgetter("name"))
@pytest.mark.parametrize("model", [GEMINI, CODEX_GEMINI, CODEX_GPT, CODEX_NATIVE, NATIVE_OTHER])
def test_a_loop_of_real_commands(gateways: Gateways, tmp_path: Path, model: str, state: State) -> None:
    """Codex runs each command once, the model gets what the commands wrote, and Gemini its signatures."""
    write, append = call_of(model, WRITE), call_of(model, APPEND)
    queue(gateways, model, [write], [append], LAST_WORDS, "Still there.")
    gateways.begin(state)
    codex = Codex(tmp_path, gateways.relay.base_url, model)

    ended = codex.run(PROMPT)
    again = codex.run("Is the note still there?")

    assert (ended.status, ended.texts[-1:]) == (0, [LAST_WORDS]), ended
    assert (again.status, again.texts[-1:]) == (0, ["Still there."]), again
    assert (codex.work / "note.txt").read_text() == "real-42\nmore-53\n"
    check_streams(gateways, 4)
    bodies = accepted(gateways, model)
    assert "real-42" in json.dumps(bodies[1])
    assert "more-53" in json.dumps(bodies[2])
    assert LAST_WORDS in json.dumps(bodies[3])
    if gateways.in_a_thread(model) is None:
        issued = [sign_call(*write, 0), sign_call(*append, 1)]
        assert [signatures_in(body) for body in bodies[:3]] == [[], issued[:1], issued]


@pytest.mark.parametrize("model", UNKNOWN)
def test_parallel_commands(gateways: Gateways, tmp_path: Path, model: str) -> None:
    """Two calls in one answer are run both, and each result comes behind its own call."""
    calls = [call_of(model, "echo first-$((1 + 1))"), call_of(model, "echo second-$((2 + 2))")]
    queue(gateways, model, calls, LAST_WORDS)
    gateways.begin(LOST)

    ended = Codex(tmp_path, gateways.relay.base_url, model).run(PROMPT)

    assert (ended.status, ended.texts) == (0, [LAST_WORDS]), ended
    assert sorted(ended.commands) == [("first-2\n", 0), ("second-4\n", 0)]
    check_streams(gateways, 2)
    last = accepted(gateways, model)[-1]
    parts = last["contents"][-1]["parts"] if model == GEMINI else last["input"]
    results = [
        json.dumps(part)
        for part in parts
        if "functionResponse" in part or part.get("type") == "function_call_output"
    ]
    assert ["first-2" in results[0], "second-4" in results[1], len(results)] == [True, True, 2]


NAMESPACED = {
    GEMINI: ("multi_agent_v1__close_agent", {"target": "nobody"}),
    CODEX_GEMINI: ("collaboration__list_agents", {}),
    CODEX_GPT: ("collaboration__list_agents", {}),
    CODEX_NATIVE: ("collaboration__list_agents", {}),
    NATIVE_OTHER: ("multi_agent_v1__close_agent", {"target": "nobody"}),
}
"""A tool of a namespace, which has no effect. codex knows it by the exact pair of names alone."""


@pytest.mark.parametrize("model", NAMESPACED)
def test_a_tool_of_a_namespace_is_found(gateways: Gateways, tmp_path: Path, model: str) -> None:
    """The call's name and namespace come to codex as it has declared them, and its result comes back."""
    queue(gateways, model, [NAMESPACED[model]], LAST_WORDS)
    gateways.begin(STORED)

    ended = Codex(tmp_path, gateways.relay.base_url, model).run(PROMPT)

    assert (ended.status, ended.texts) == (0, [LAST_WORDS]), ended
    check_streams(gateways, 2)
    call, result = gateways.relay.exchanges[1].request["input"][-2:]
    assert f"{call['namespace']}__{call['name']}" == NAMESPACED[model][0]
    assert "unsupported call" not in json.dumps(result["output"])
    assert len(accepted(gateways, model)) == 2


@pytest.mark.parametrize("provider", ["turnright", "OpenAI"])
@pytest.mark.parametrize("model", [GEMINI, CODEX_GPT, CODEX_NATIVE, NATIVE_OTHER])
def test_compaction_ends(gateways: Gateways, tmp_path: Path, model: str, provider: str) -> None:
    """Above codex's limit there is one summary, and the next request has it instead of the long result.

    The summary is accepted by a gateway that has not written it.
    """
    queue(gateways, model, [call_of(model, COUNT)], SUMMARY, LAST_WORDS)
    gateways.begin(LOST)
    settings = {"model_auto_compact_token_limit": 10_000}

    ended = Codex(tmp_path, gateways.relay.base_url, model, provider, settings).run(PROMPT)

    assert (ended.status, ended.texts[-1:]) == (0, [LAST_WORDS]), ended
    check_streams(gateways, 3)
    asking, last = map(json.dumps, accepted(gateways, model, but_chats=model == NATIVE_OTHER)[1:])
    assert "5999" in asking
    assert "SUMMARY-4711" in last
    assert PROMPT in last
    assert "5999" not in last
    trigger = [item.get("type") for item in gateways.relay.exchanges[1].request["input"]][-1]
    assert trigger == ("compaction_trigger" if provider == "OpenAI" else "message")


FAILURES: dict[str, tuple[dict[str, Any], int]] = {
    "overloaded": ({"status": 503, "message": "The model is overloaded."}, 4),
    "internal": ({"status": 500, "message": "An internal error has occurred."}, 4),
    "quota": ({"status": 429, "message": "Resource has been exhausted (e.g. check quota)."}, 2),
    "refused": ({"status": 400, "message": "Request contains an invalid argument."}, 1),
    "window": (
        {
            "status": 400,
            "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        },
        1,
    ),
    "cut": ({"cut_after_chunks": 1}, 2),
    "safety": ({"finish_reason": "SAFETY"}, 2),  # incomplete with content_filter, which codex takes for a cut
    "length": ({"finish_reason": "MAX_TOKENS"}, 1),
    "empty": ({"empty_candidate": True}, 4),
}
"""A failure of the provider, and how often codex asks then.

Here it repeats a failed request once, and all of that once more. By default it does so four and five times.
"""


SUMMED = {"type": "summary_text", "text": "Let me see."}
OF_RESPONSES: dict[str, Fault] = {
    **{name: fault for name, (fault, _) in FAILURES.items() if "status" in fault},  # type: ignore[misc]
    "cut": {"text": LAST_WORDS, "cut_after_chunks": 8},
    "safety": {"text": LAST_WORDS, "ends": "content_filter"},
    "length": {"text": LAST_WORDS, "ends": "max_output_tokens"},
    "empty": {
        "items": [{"id": "rs_1", "type": "reasoning", "summary": [SUMMED], "encrypted_content": "gAAAAx"}]
    },
}
"""The same failures of a provider of responses. An answer that is a thought alone is empty."""


@pytest.mark.parametrize("model", [GEMINI, CODEX_NATIVE])
@pytest.mark.parametrize("failure", FAILURES)
def test_codex_stops_or_asks_again_as_the_failure_says(
    gateways: Gateways, tmp_path: Path, failure: str, model: str
) -> None:
    """Codex asks again after a failure that may pass, and not after one that stays."""
    fault, expected = FAILURES[failure]
    if model == GEMINI:
        gateways.gemini.fault(times=40, **fault)
    else:
        gateways.responses.faults.extend([OF_RESPONSES[failure]] * 40)
    gateways.begin(STORED)

    ended = Codex(tmp_path, gateways.relay.base_url, model, retries=1).run(PROMPT)

    assert ended.status == 1
    assert len(gateways.relay.exchanges) == expected, ended.events


def test_codex_waits_for_a_busy_provider(gateways: Gateways, tmp_path: Path) -> None:
    """Codex gives up on a 429, so it gets the wait in a stream, and finishes its turn."""
    gateways.gemini.fault(times=1, status=429, retry_delay_seconds=1)
    gateways.gemini.say(LAST_WORDS)
    gateways.begin(STORED)

    ended = Codex(tmp_path, gateways.relay.base_url, GEMINI, retries=1).run(PROMPT)

    assert (ended.status, ended.texts) == (0, [LAST_WORDS]), ended
    assert [exchange.status for exchange in gateways.relay.exchanges] == [200, 200]
