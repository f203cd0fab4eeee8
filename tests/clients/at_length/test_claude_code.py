"""Tests the real Claude Code: real commands, its compaction, and its retries, on three providers."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from proxy.emulator.signatures import sign_call
from tests.clients.at_length.claude_code import ClaudeCode
from tests.clients.messages.cases import (
    CLAUDE,
    CLAUDES,
    GEMINI,
    GEMINI_AS_CLAUDE,
    GPT,
    GPT_AS_CLAUDE,
    OLD_CLAUDE,
    SMALL_CLAUDE,
)
from tests.clients.messages.gateways import Gateways
from tests.clients.rounds import LAST_WORDS
from tests.support.builders import PNG_URL
from tests.support.messages_grammar import find_message_faults, find_stream_faults

MODELS = (GEMINI, GEMINI_AS_CLAUDE, GPT, GPT_AS_CLAUDE, CLAUDE, OLD_CLAUDE)
GEMINIS = (GEMINI, GEMINI_AS_CLAUDE)
WRITE = {"command": "echo real-$((40 + 2)) > note.txt; cat note.txt", "description": "Write"}
APPEND = {"command": "echo more-$((50 + 3)) >> note.txt; cat note.txt", "description": "Append"}
COUNT = {"command": "seq 1 4000", "description": "Count"}
PROMPT = "Please work with the note."
SUMMARY = "<summary>The user works with the note. SUMMARY-4711</summary>"
THOUGHT = {"type": "thinking", "thinking": "Let me see."}
TOO_LONG = {
    GEMINI: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    GPT: (
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. "
        "Please reduce the length of the messages."
    ),
    CLAUDE: "prompt is too long: 210000 tokens > 200000 maximum",
}


def call(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call of one of Claude Code's tools as a block."""
    return {"type": "tool_use", "name": name, "input": dict(given)}


def signatures_in(body: Mapping[str, Any]) -> list[str | None]:
    """Return the signature of each call in a request to Gemini."""
    parts = [part for turn in body["contents"] for part in turn["parts"] if "functionCall" in part]
    return [part.get("thoughtSignature") for part in parts]


def check_answers(gateways: Gateways, model: str, *statuses: int) -> None:
    """Check that Claude Code asked as often as there are *statuses*, and that each good answer was legal."""
    assert [exchange.status for exchange in gateways.exchanges] == list(statuses)
    for exchange in gateways.exchanges:
        if exchange.status == 200 and exchange.is_stream:
            assert find_stream_faults(bytes(exchange.answer), relayed=model in CLAUDES) == []
        elif exchange.status == 200:
            assert find_message_faults(json.loads(exchange.answer), relayed=model in CLAUDES) == []


@pytest.mark.parametrize("state", ["stored", "lost", "stripped"])
@pytest.mark.parametrize("model", MODELS)
def test_a_loop_of_real_commands(messages_gateways: Gateways, tmp_path: Path, model: str, state: str) -> None:
    """Claude Code runs each command once, the model gets what it wrote, and Gemini its signatures.

    The answers are in the store and in the envelopes, in the envelopes alone, or in the store alone.
    """
    gateways = messages_gateways
    write, append = call("Bash", WRITE), call("Bash", APPEND)
    text = {"type": "text", "text": "Let me write."}
    gateways.queue(model, [THOUGHT, text, THOUGHT, write], [THOUGHT, append], LAST_WORDS, "Still there.")
    gateways.begin(is_lost=state == "lost", strips=state == "stripped")
    claude = ClaudeCode(tmp_path, gateways.origin, model)

    ended = claude.run(PROMPT)
    again = claude.run("Is the note still there?")

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert (again.status, again.result) == (0, "Still there."), again
    assert (claude.work / "note.txt").read_text() == "real-42\nmore-53\n"
    check_answers(gateways, model, 200, 200, 200, 200)
    bodies = gateways.accepted(model)
    assert len(bodies) == 4
    assert "real-42" in json.dumps(bodies[1])
    assert "more-53" in json.dumps(bodies[2])
    assert LAST_WORDS in json.dumps(bodies[3])
    if model in GEMINIS:
        issued = [sign_call("Bash", WRITE, 0), sign_call("Bash", APPEND, 1)]
        assert [signatures_in(body) for body in bodies] == [[], issued[:1], issued, issued]
    if model in CLAUDES and (model, state) != (OLD_CLAUDE, "stripped"):  # its thinking is off then
        for exchange, body in zip(gateways.exchanges, bodies, strict=True):
            assert {**body, "model": None} == {**exchange.request, "model": None}


@pytest.mark.parametrize("model", MODELS)
def test_parallel_calls_and_an_image(messages_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """Results that come back in another order than their calls reach the model with their own calls."""
    gateways = messages_gateways
    picture = tmp_path / "dot.png"
    picture.write_bytes(b64decode(PNG_URL.partition(",")[2]))
    calls = [
        call("Bash", {"command": "sleep 1; echo first-$((1 + 1))", "description": "Slow"}),
        call("Read", {"file_path": str(picture)}),
        call("Bash", {"command": "echo third-$((3 + 3))", "description": "Fast"}),
        call("Write", {"file_path": str(tmp_path / "work" / "new.txt"), "content": "fresh\n"}),
    ]
    gateways.queue(model, [THOUGHT, *calls], LAST_WORDS)
    gateways.begin(is_lost=True)
    claude = ClaudeCode(tmp_path, gateways.origin, model)

    ended = claude.run(PROMPT)

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert (claude.work / "new.txt").read_text() == "fresh\n"
    assert len(ended.results) == 4
    check_answers(gateways, model, 200, 200)
    last = gateways.accepted(model)[-1]
    assert PNG_URL.partition(",")[2] in json.dumps(last)
    results = results_by_call(last)
    assert ["first-2" in results[0], "third-6" in results[2], "new.txt" in results[3]] == [True] * 3
    assert len(results) == 4


def results_by_call(body: Mapping[str, Any]) -> list[str]:
    """Return the results in a request as JSON, in the order of their calls. Gemini knows them by this order alone."""
    if "contents" in body:
        parts = [part for turn in body["contents"] for part in turn["parts"]]
        return [json.dumps(part) for part in parts if "functionResponse" in part]
    if any("tool_calls" in message for message in body["messages"]):
        [calls] = [message["tool_calls"] for message in body["messages"] if "tool_calls" in message]
        results = {m["tool_call_id"]: m for m in body["messages"] if m["role"] == "tool"}
        return [json.dumps(results[made["id"]]) for made in calls]
    blocks = [
        block for message in body["messages"] for block in message["content"] if isinstance(block, dict)
    ]
    answers = {block["tool_use_id"]: block for block in blocks if block["type"] == "tool_result"}
    return [json.dumps(answers[block["id"]]) for block in blocks if block["type"] == "tool_use"]


@pytest.mark.parametrize("model", [GEMINI, GPT, CLAUDE])
def test_a_stream_that_is_cut_in_its_first_block(
    messages_gateways: Gateways, tmp_path: Path, model: str
) -> None:
    """Claude Code asks again at once without a stream, and goes on."""
    gateways = messages_gateways
    text = "A long text of many words that is cut in the middle of a word. " * 4
    if gateways.in_a_thread(model) is None:
        gateways.gemini.fault(times=1, cut_after_chunks=1)
        gateways.queue(model, text)
    else:
        gateways.fail(model, {"text": text, "items": [{"type": "text", "text": text}], "cut_after_chunks": 6})
    gateways.queue(model, LAST_WORDS)
    gateways.begin()

    ended = ClaudeCode(tmp_path, gateways.origin, model).run(PROMPT)

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert [exchange.is_stream for exchange in gateways.exchanges] == [True, False]
    assert b"event: error" in gateways.exchanges[0].answer


@pytest.mark.parametrize("model", [GEMINI, GPT, CLAUDE])
def test_an_overflow_leads_to_a_summary(messages_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """Claude Code knows the overflow by its words, asks for a summary, and goes on with the summary alone.

    The gateway is told to cut nothing. By default it cuts the long result itself, and Claude Code sees no overflow.
    """
    gateways = messages_gateways
    gateways.queue(model, [call("Bash", COUNT)], "Counted.")
    with gateways.serving(budget={"preset": "off"}):
        claude = ClaudeCode(tmp_path, gateways.origin, model)
        before = claude.run(PROMPT)
        assert before.result == "Counted.", before
        gateways.fail(model, {"status": 400, "message": TOO_LONG[model], **overflow_code(model)})
        gateways.queue(model, SUMMARY, LAST_WORDS)

        ended = claude.run("And now?")

    assert (ended.status, ended.result, ended.compactions()) == (0, LAST_WORDS, 1), ended
    refused = [exchange for exchange in gateways.exchanges if exchange.status == 400]
    assert [json.loads(exchange.answer)["error"]["type"] for exchange in refused] == ["invalid_request_error"]
    assert b"prompt is too long: " in refused[0].answer
    last = json.dumps(gateways.exchanges[-1].request)
    assert "SUMMARY-4711" in last
    assert "3999" not in last


@pytest.mark.parametrize("model", [GPT, CLAUDE])
def test_an_overflow_is_cut_by_default(messages_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """The gateway cuts the long result and asks again, so that Claude Code sees no overflow."""
    gateways = messages_gateways
    gateways.queue(model, [call("Bash", COUNT)], "Counted.")
    with gateways.serving():
        claude = ClaudeCode(tmp_path, gateways.origin, model)
        before = claude.run(PROMPT)
        asked = sum(len(json.dumps(body)) for body in gateways.accepted(model)[-1:])
        gateways.fail(model, {"status": 400, "message": TOO_LONG[model], **overflow_code(model)})
        gateways.queue(model, LAST_WORDS)

        ended = claude.run("And now?")

    assert before.result == "Counted.", before
    assert (ended.status, ended.result, ended.compactions()) == (0, LAST_WORDS, 0), ended
    assert [exchange.status for exchange in gateways.exchanges] == [200, 200, 200]
    assert len(json.dumps(gateways.last_body(model))) < asked


def overflow_code(model: str) -> dict[str, str]:
    """Return the code that OpenAI gives an overflow."""
    return {"code": "context_length_exceeded"} if model == GPT else {}


BROKEN_TEXT = {
    "type": "text",
    "text": "A text of many words that breaks off in the middle of all these words.",
}


@pytest.mark.parametrize("model", [GEMINI, CLAUDE])
def test_a_stream_that_breaks_behind_a_thought(
    messages_gateways: Gateways, tmp_path: Path, model: str
) -> None:
    """Claude Code has read a whole block by then, and tells the user of the error instead of asking again."""
    gateways = messages_gateways
    if model == GEMINI:
        gateways.gemini.fault(times=1, cut_after_chunks=3)
        gateways.gemini.answer({"text": "Hm.", "thought": True}, {"text": BROKEN_TEXT["text"]})
    else:
        gateways.anthropic.faults.append({"items": [THOUGHT, BROKEN_TEXT], "ends": "api_error"})
    gateways.begin()

    ended = ClaudeCode(tmp_path, gateways.origin, model).run(PROMPT)

    assert b"event: error" in gateways.exchanges[0].answer
    assert (len(gateways.exchanges), ended.status, ended.is_error) == (1, 1, True), ended


@pytest.mark.parametrize("model", [GEMINI, CLAUDE])
def test_a_stream_that_breaks_behind_a_call(messages_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """Claude Code runs the call once, and goes on with its result."""
    gateways = messages_gateways
    if model == GEMINI:
        gateways.gemini.fault(times=1, cut_after_chunks=3)
        gateways.queue(model, [call("Bash", WRITE), BROKEN_TEXT])
    else:
        broken = {"items": [call("Bash", WRITE), BROKEN_TEXT], "ends": "api_error"}
        gateways.fail(model, broken)
    gateways.queue(model, LAST_WORDS)
    gateways.begin()

    claude = ClaudeCode(tmp_path, gateways.origin, model)
    ended = claude.run(PROMPT)

    assert b"event: error" in gateways.exchanges[0].answer
    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert (claude.work / "note.txt").read_text() == "real-42\n"
    assert "real-42" in json.dumps(gateways.accepted(model)[-1])


@pytest.mark.parametrize("model", [GEMINI, GPT, CLAUDE])
def test_a_look_at_the_context_costs_nothing(messages_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """Claude Code counts the tokens of each part. It would ask a model for each count that fails."""
    gateways = messages_gateways
    gateways.begin()

    ended = ClaudeCode(tmp_path, gateways.origin, model).run("/context")

    assert ended.status == 0, ended
    assert "Context Usage" in ended.result
    asked = {(exchange.path, exchange.status) for exchange in gateways.relay.exchanges}
    assert asked == {("/v1/messages/count_tokens", 200)}
    assert gateways.accepted(model) == []


def test_a_field_that_the_model_refuses(messages_gateways: Gateways, tmp_path: Path) -> None:
    """The session goes on without the field (claude-code#59536)."""
    gateways = messages_gateways
    gateways.queue(SMALL_CLAUDE, LAST_WORDS)
    gateways.begin()

    ended = ClaudeCode(tmp_path, gateways.origin, SMALL_CLAUDE).run(PROMPT)

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert "context_management" not in gateways.anthropic.requests[-1].body


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("model", [GEMINI, GPT, CLAUDE])
def test_a_restart_in_between(messages_gateways: Gateways, tmp_path: Path, model: str, is_kept: bool) -> None:
    """The session goes on at a new process, with a store that was kept, or without one by the envelopes."""
    gateways = messages_gateways
    stores = [tmp_path / "kept.db"] * 2 if is_kept else [tmp_path / "one.db", tmp_path / "other.db"]
    gateways.queue(model, [THOUGHT, call("Bash", WRITE)], LAST_WORDS)
    gateways.queue(model, [THOUGHT, call("Bash", APPEND)], "Still there.")
    claude = ClaudeCode(tmp_path, gateways.origin, model)

    with gateways.serving(store={"url": f"sqlite:///{stores[0]}"}):
        ended = claude.run(PROMPT)
    with gateways.serving(store={"url": f"sqlite:///{stores[1]}"}):
        again = claude.run("Go on.")

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert (again.status, again.result) == (0, "Still there."), again
    bodies = gateways.accepted(model)
    assert "real-42" in json.dumps(bodies[2])
    if model == GEMINI:
        issued = [sign_call("Bash", WRITE, 0), sign_call("Bash", APPEND, 1)]
        assert [signatures_in(body) for body in bodies] == [[], issued[:1], issued[:1], issued]


@pytest.mark.parametrize(
    "models", [(GEMINI, CLAUDE), (CLAUDE, GEMINI), (GPT, GEMINI), (GEMINI_AS_CLAUDE, CLAUDE)]
)
def test_a_switch_of_the_model_in_between(
    messages_gateways: Gateways, tmp_path: Path, models: tuple[str, str]
) -> None:
    """The other model gets the whole history, and no signature that it has not made."""
    gateways = messages_gateways
    first, second = models
    gateways.queue(first, [THOUGHT, call("Bash", WRITE)], LAST_WORDS)
    gateways.queue(second, [THOUGHT, call("Bash", APPEND)], "Switched.")
    gateways.begin()
    claude = ClaudeCode(tmp_path, gateways.origin, first)

    ended = claude.run(PROMPT)
    again = claude.run("Go on.", second)

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert (again.status, again.result) == (0, "Switched."), again
    assert (claude.work / "note.txt").read_text() == "real-42\nmore-53\n"
    bodies = gateways.accepted(second)
    assert "real-42" in json.dumps(bodies[-1])
    assert "more-53" in json.dumps(bodies[-1])
