"""Tests that nobody but the provider gets the text of the instructions of a request."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from itertools import product

import pytest

from proxy.config import Settings
from proxy.core.errors import UpstreamFault
from proxy.upstream.select_transport import SelectingUpstream
from tests.behaviours.instructions.configured import (
    GATEWAY,
    KEY,
    MODEL,
    TEXTS,
    ask,
    bearing,
    configured,
    entry,
    joined,
)
from tests.proxy.conftest import LogLines
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.support.builders import system, user
from tests.support.openai_emulator import Fault, OpenAIEmulator
from tests.support.proxied import GEMINI, proxied
from tests.support.scripted_upstream import ScriptedUpstream, say

WORDS = frozenset(word for text in TEXTS for word in re.findall(r"[^\W_]{4,}|[^\x00-\xff]", text))
"""Words of the instructions. None of them occurs in the words of the proxy that these tests read."""


def leaks(text: str) -> list[str]:
    """Return the words of the instructions that *text* holds."""
    return sorted(word for word in WORDS if word in text)


async def test_a_request_with_instructions_has_one_change(
    upstream: ScriptedUpstream, log_lines: LogLines, log_text: io.StringIO
) -> None:
    """The header, the metrics, the log line and explain name the change. None of them holds a word of the text."""
    messages = [system("Be brief."), user()]
    async with proxied(configured(), upstream) as proxy:
        reply = await ask(proxy, messages)
        request = {"model": "chat", "messages": messages}
        explained = (await proxy.post(request, "/v1/explain", bearing("own"))).raw.decode()
        metrics = (await proxy.get("/metrics")).raw.decode()
        counted = await proxy.count("changes_total", step="instructions")
        observed = await proxy.count("observed_changes_total")

    assert reply.headers["x-turnright-changes"] == "instructions=1"
    assert (counted, observed) == (1, 0)
    line, _ = [line for line in log_lines() if line["event"] == "request_finished"]
    assert line["changes"] == "instructions=1"
    assert '"step":"instructions"' in explained.replace('": ', '":')
    assert leaks(log_text.getvalue() + metrics + explained + str(reply.headers) + reply.raw.decode()) == []


QUOTING: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: f"Invalid value: {text!s}",
    "as JSON": lambda text: f"Invalid value: {json.dumps(json.dumps([{'role': 'system', 'content': text}]))}",
    "as Python": lambda text: f"Input should be valid, input_value={text!r}, input_type=str",
    "shortened": lambda text: f"Invalid value: '{text[4:40]}...'",
}


QUOTES = [
    *(("openai", "direct", False, quote, 422) for quote in QUOTING),
    *(
        (*each, "as JSON", 422)
        for each in product(("openai", "gemini"), ("litellm", "direct"), (False, True))
    ),
    *(("openai", "direct", False, "as it is", status) for status in (400, 401, 429, 500)),
]


@pytest.mark.parametrize(("wire", "transport", "stream", "quote", "status"), dict.fromkeys(QUOTES))
async def test_an_error_that_quotes_the_instructions_tells_the_client_nothing(
    openai: OpenAIEmulator,
    gemini: GeminiEmulator,
    log_text: io.StringIO,
    wire: str,
    transport: str,
    stream: bool,
    quote: str,
    status: int,
) -> None:
    """The client gets the provider's own words. The stored refusal of a repeated body and the log hold no more."""
    said = QUOTING[quote](joined(GATEWAY, MODEL, KEY))
    fault: Fault = {"status": status, "message": said}
    async with proxied(*served(openai, gemini, wire, transport)) as proxy:
        replies = []
        for _ in range(3):
            if wire == "openai":
                openai.faults.append(fault)
            else:
                await gemini.fault(**fault)
            replies.append(await ask(proxy, stream=stream, model=wire))

    for reply in replies:
        assert reply.status == status
        assert status == 401 or reply.error["message"].startswith(said[:12])
        assert leaks(reply.raw.decode()) == []
    assert leaks(log_text.getvalue()) == []


async def test_an_error_within_a_stream_tells_the_client_nothing(
    upstream: ScriptedUpstream, log_text: io.StringIO
) -> None:
    upstream.then(say("Good "), UpstreamFault(f"The server broke at: {joined(GATEWAY, MODEL, KEY)}"))
    async with proxied(configured(), upstream) as proxy:
        reply = await ask(proxy, stream=True)

    assert reply.status == 200
    [error] = [event["error"] for event in reply.events if "error" in event]
    assert error["message"] == "The server broke at: …."
    assert leaks(reply.raw.decode() + log_text.getvalue()) == []


def served(
    openai: OpenAIEmulator, gemini: GeminiEmulator, wire: str, transport: str
) -> tuple[Settings, SelectingUpstream]:
    """Return settings of one emulator with instructions, and an upstream for it."""
    params = {
        "openai": {"model": "openai/gpt-4.1", "api_base": openai.base_url},
        "gemini": {"model": GEMINI, "api_base": f"{gemini.base}/v1beta"},
    }[wire]
    settings = configured(
        entry(wire, transport=transport, litellm_params={"api_key": "emulated-key", **params})
    )
    return settings, SelectingUpstream.for_settings(settings)
