"""Tests what the real Claude Code does with a stream that breaks, an overflow, and a field that is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clients.at_length.claude_code import ClaudeCode
from tests.clients.at_length.claude_code_cases import (
    PROMPT,
    THOUGHT,
    WRITE,
    call,
)
from tests.clients.messages.cases import (
    CLAUDE,
    GEMINI,
    GPT,
    SMALL_CLAUDE,
)
from tests.clients.messages.gateways import Gateways
from tests.clients.rounds import LAST_WORDS

COUNT = {"command": "seq 1 4000", "description": "Count"}
SUMMARY = "<summary>The user works with the note. SUMMARY-4711</summary>"
TOO_LONG = {
    GEMINI: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    GPT: (
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. "
        "Please reduce the length of the messages."
    ),
    CLAUDE: "prompt is too long: 210000 tokens > 200000 maximum",
}


BROKEN_TEXT = {
    "type": "text",
    "text": "A text of many words that breaks off in the middle of all these words.",
}


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


def test_a_field_that_the_model_refuses(messages_gateways: Gateways, tmp_path: Path) -> None:
    """The session goes on without the field (claude-code#59536)."""
    gateways = messages_gateways
    gateways.queue(SMALL_CLAUDE, LAST_WORDS)
    gateways.begin()

    ended = ClaudeCode(tmp_path, gateways.origin, SMALL_CLAUDE).run(PROMPT)

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert "context_management" not in gateways.anthropic.requests[-1].body
