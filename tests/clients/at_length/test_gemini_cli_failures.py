"""Tests what the real gemini-cli does with a stream that breaks, a delay, an empty answer and an overflow."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from proxy.ingress.gemini_native.stream_framing import SSE
from tests.clients.at_length.gemini_cli import GeminiCli
from tests.clients.at_length.gemini_cli_cases import PROMPT, SHELL, THOUGHT, WRITE, call, results_by_call
from tests.clients.at_length.gemini_session import holding
from tests.clients.gemini.cases import CLAUDE, FLASH, GEMINI, GPT
from tests.clients.gemini.gateways import Gateways
from tests.clients.gemini.test_errors import TOO_LONG
from tests.clients.rounds import LAST_WORDS
from tests.clients.running_clients import run_script

COUNT = {"command": "seq 1 4000", "description": "Count"}
CUT_TEXT = "A long text of many words that is cut in the middle of a word. " * 4


@pytest.mark.parametrize("model", [FLASH, GPT, CLAUDE])
def test_a_stream_that_is_cut(gemini_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """The stream ends with an error and without a finish reason: gemini-cli asks again, and goes on."""
    gateways = gemini_gateways
    if gateways.in_a_thread(model) is None:
        gateways.gemini.fault(times=1, cut_after_chunks=1)
        gateways.queue(model, CUT_TEXT)
    else:
        text = {"text": CUT_TEXT, "items": [{"type": "text", "text": CUT_TEXT}]}
        gateways.fail(model, {**text, "cut_after_chunks": 6})
    gateways.queue(model, LAST_WORDS)
    gateways.begin()

    ended = GeminiCli(tmp_path, gateways.origin, model).run(PROMPT)

    assert ended.status == 0, ended
    assert ended.text.endswith(LAST_WORDS)
    assert [exchange.status for exchange in gateways.exchanges] == [200, 200]
    assert b'data: {"error"' in gateways.exchanges[0].answer
    assert b"finishReason" not in gateways.exchanges[0].answer


@pytest.mark.parametrize("model", [FLASH, CLAUDE])
def test_a_stream_that_breaks_behind_a_call(gemini_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """gemini-cli asks again, and runs the call of the second answer alone."""
    gateways = gemini_gateways
    broken = {"type": "text", "text": CUT_TEXT}
    if model == FLASH:
        gateways.gemini.fault(times=1, cut_after_chunks=3)
        gateways.queue(model, [call(SHELL, WRITE), broken])
    else:
        gateways.fail(model, {"items": [call(SHELL, WRITE), broken], "ends": "api_error"})
    gateways.queue(model, [call(SHELL, WRITE)], LAST_WORDS)
    gateways.begin()
    cli = GeminiCli(tmp_path, gateways.origin, model)

    ended = cli.run(PROMPT)

    assert b'data: {"error"' in gateways.exchanges[0].answer
    assert ended.status == 0, ended
    assert ended.text.endswith(LAST_WORDS)
    assert (cli.work / "note.txt").read_text() == "real-42\n"


@pytest.mark.parametrize("model", [FLASH, GPT, CLAUDE])
def test_a_delay_is_kept(gemini_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """gemini-cli reads the delay of a 429 in Google's words, and waits for that time."""
    gateways = gemini_gateways
    slow = {"status": 429, "message": "Slow down."}
    if model == FLASH:
        gateways.fail(model, {**slow, "retry_delay_seconds": 1})
    else:
        gateways.fail(model, {**slow, "headers": {"retry-after": "1"}})
    gateways.queue(model, LAST_WORDS)
    gateways.begin()

    ended = GeminiCli(tmp_path, gateways.origin, model).run(PROMPT)

    assert (ended.status, ended.text) == (0, LAST_WORDS), ended
    assert [exchange.status for exchange in gateways.exchanges] == [429, 200]
    assert "Suggested retry after 1s" in ended.errors


@pytest.mark.parametrize("model", [GPT, CLAUDE])
def test_an_overflow_is_cut_by_default(gemini_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """The gateway cuts the long result and asks again. gemini-cli would end its session on an overflow."""
    gateways = gemini_gateways
    gateways.queue(model, [THOUGHT, call(SHELL, COUNT)], "Counted.")
    cli = GeminiCli(tmp_path, gateways.origin, model)
    with gateways.serving(), holding(cli) as session:
        before = session.prompt(PROMPT)
        refusal = overflow(model)
        refusal["message"] = re.sub(
            "130000|210000", "90000", re.sub("128000|200000", "80000", refusal["message"])
        )
        gateways.fail(model, refusal)
        gateways.queue(model, LAST_WORDS)
        after = session.prompt("And now?")

    assert (before, after) == ("Counted.", LAST_WORDS)
    assert [exchange.status for exchange in gateways.exchanges] == [200, 200, 200]
    assert "3999" in json.dumps(gateways.exchanges[-1].request)
    last = gateways.last_body(model)
    assert len(results_by_call(last)) == 1
    assert len(json.dumps(last)) < len(json.dumps(gateways.exchanges[-1].request))


@pytest.mark.parametrize("model", [FLASH, GPT, CLAUDE])
def test_an_overflow_that_nobody_cuts(gemini_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """gemini-cli shows the error to the user, with the words of Google's API."""
    gateways = gemini_gateways
    with gateways.serving(budget={"preset": "off"}):
        gateways.fail(model, overflow(model))
        ended = GeminiCli(tmp_path, gateways.origin, model).run(PROMPT)

    assert ended.status != 0, ended
    [refused] = gateways.exchanges
    assert refused.status == 400
    error = json.loads(refused.answer)["error"]
    assert error["status"] == "INVALID_ARGUMENT"
    assert re.match(
        r"The input token count \(\d+\) exceeds the maximum number of tokens allowed", error["message"]
    )


def overflow(model: str) -> dict[str, Any]:
    """Return the provider's error for a prompt that is too long."""
    code = {"code": "context_length_exceeded"} if model == GPT else {}
    return {"status": 400, "message": TOO_LONG[GEMINI if model == FLASH else model], **code}


def test_a_silent_provider_is_waited_for(gemini_gateways: Gateways, tmp_path: Path) -> None:
    """The bytes that keep a stream alive are a chunk for gemini-cli, which takes it for no answer."""
    gateways = gemini_gateways
    gateways.fail(GPT, {"text": LAST_WORDS, "delay_seconds": 12})
    gateways.begin()

    ended = GeminiCli(tmp_path, gateways.origin, GPT).run(PROMPT)

    assert (ended.status, ended.text) == (0, LAST_WORDS), ended
    [exchange] = gateways.exchanges
    assert exchange.answer.startswith(SSE.keep_alive)


@pytest.mark.parametrize("script", ["gemini.client", "gemini/client.mjs"])
def test_a_chat_with_a_silent_provider(gemini_gateways: Gateways, script: str) -> None:
    """google-genai keeps the turn, and the chunk that says nothing reaches no provider."""
    gateways = gemini_gateways
    gateways.fail(GPT, {"text": "The first answer.", "delay_seconds": 12})
    gateways.queue(GPT, LAST_WORDS)
    gateways.begin()

    told = run_script(
        script, "talk", gateways.origin, GPT, "stream", "The first question.", "The second one."
    )

    assert told == {"texts": ["The first answer.", LAST_WORDS]}
    assert gateways.exchanges[0].answer.startswith(SSE.keep_alive)
    assert {"text": ""} in [
        part for turn in gateways.exchanges[1].request["contents"] for part in turn["parts"]
    ]
    said = [(turn["role"], turn["content"]) for turn in gateways.accepted(GPT)[-1]["messages"]]
    assert said[1] == ("assistant", "The first answer.")
