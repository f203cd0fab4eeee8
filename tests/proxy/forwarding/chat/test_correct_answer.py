"""Tests of self-correction: which invalid calls are retried, and which answer and headers the client gets."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import aiohttp
import pytest

from proxy.core.errors import UpstreamFault
from proxy.forwarding import event_stream
from proxy.forwarding.chat import correct_answer as self_correction
from proxy.ingress.openai_chat.format import OPENAI_CHAT
from tests.support.builders import call
from tests.support.proxied import CHAT, Proxied, Reply, chat, events_of, proxied, settings_of
from tests.support.scripted_upstream import HANG, Pause, ScriptedUpstream, answer, chunk, say

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}]
GOOD = '{"city": "Paris"}'
TYPO = "{'city': 'Paris',}"
WRONG = '{"town": "Paris"}'
CUT = '{"city": "Par'
DOWN = UpstreamFault("It is down.", upstream_status=400)


def whole(arguments: Any, name: str = "weather", finish: str = "tool_calls") -> dict[str, Any]:
    """Build an answer that calls a tool."""
    found = answer(None, tool_calls=[call("c1", name, arguments)])
    found["choices"][0]["finish_reason"] = finish
    return found


def streamed(arguments: str, name: str = "weather", finish: str = "tool_calls") -> list[Any]:
    """Build a stream with a text and a tool call in three pieces."""
    middle = len(arguments) // 2
    pieces = [
        {"index": 0, "id": "c1", "type": "function", "function": {"name": name, "arguments": ""}},
        {"index": 0, "function": {"arguments": arguments[:middle]}},
        {"index": 0, "function": {"arguments": arguments[middle:]}},
    ]
    return [say("Let me see."), *(chunk({"tool_calls": [piece]}) for piece in pieces), chunk(finish=finish)]


def replies_of(stream: bool, *given: tuple[Any, ...]) -> list[list[Any]]:
    """Build an upstream reply for each of the tool calls *given*, whole or streamed."""
    return [streamed(*each) if stream else [whole(*each)] for each in given]


def served(upstream: ScriptedUpstream, *, mode: str = "repair", retries: int = 2, **router: Any) -> Any:
    """Serve a proxy with this mode and this number of retries."""
    settings = settings_of(router_settings={"num_retries": retries, **router}, sanitize={"mode": mode})
    return proxied(settings, upstream)


async def ask(proxy: Proxied, stream: bool, **fields: Any) -> tuple[Reply, list[tuple[str, str]]]:
    """Send a chat with a tool, and return the reply with the names and arguments of its calls."""
    reply = await proxy.post(chat(**{"tools": TOOLS, "stream": stream, **fields}))
    assert reply.status == 200, reply.raw
    if not stream:
        calls = reply.json["choices"][0]["message"]["tool_calls"]
        return reply, [(found["function"]["name"], found["function"]["arguments"]) for found in calls]
    assert reply.events[-1] == "[DONE]"
    assert reply.events[0]["choices"][0]["delta"]["role"] == "assistant"
    pieces = [
        piece
        for event in reply.events[:-1]
        for choice in event["choices"]
        for piece in choice["delta"].get("tool_calls", ())
    ]
    name = "".join(piece["function"].get("name", "") for piece in pieces)
    return reply, [(name, "".join(piece["function"].get("arguments", "") for piece in pieces))]


BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@BOTH
async def test_valid_call_is_delivered_unchanged_after_one_attempt(stream: bool) -> None:
    """A valid call is delivered after one attempt, without the header ``x-turnright-changes``."""
    upstream = ScriptedUpstream(*replies_of(stream, (GOOD,)))
    async with served(upstream, self_correction="always") as proxy:
        reply, calls = await ask(proxy, stream)

    assert calls == [("weather", GOOD)]
    assert len(upstream.calls) == 1
    assert "x-turnright-changes" not in reply.headers


@BOTH
@pytest.mark.parametrize(
    ("arguments", "name", "reasons"),
    [
        (TYPO, "weather", {"tool_arguments"}),
        (GOOD, "default_api.weather", {"tool_name"}),
        (TYPO, "functions.weather", {"tool_arguments", "tool_name"}),
    ],
    ids=["arguments", "name", "both"],
)
async def test_mended_notation_is_reported_without_another_call(
    stream: bool, arguments: str, name: str, reasons: set[str]
) -> None:
    """A wrong notation of a name or of arguments is mended without another call to the model.

    The header counts the changes, and the counters name their reasons.
    """
    upstream = ScriptedUpstream(*replies_of(stream, (arguments, name)))
    async with served(upstream, self_correction="always") as proxy:
        reply, [(called, text)] = await ask(proxy, stream)
        counted = {reason for reason in reasons if await proxy.count("changes_total", reason=reason) == 1}

    assert (called, json.loads(text)) == ("weather", {"city": "Paris"})
    assert len(upstream.calls) == 1
    assert reply.headers["x-turnright-changes"] == f"answer_repair={len(reasons)}"
    assert counted == reasons


@BOTH
@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ((CUT,), "not valid JSON"),
        ((WRONG,), "'city' is a required property"),
        ((GOOD, "whether"), "Declared are: weather."),
    ],
    ids=["unreadable", "misfit", "undeclared"],
)
async def test_invalid_call_is_retried_once_with_a_note(stream: bool, bad: Any, words: str) -> None:
    """After an invalid call the model is asked once more, with a note that names the error.

    The client gets only the second answer.
    """
    upstream = ScriptedUpstream(*replies_of(stream, bad, (GOOD,)))
    async with served(upstream, self_correction="always") as proxy:
        reply, calls = await ask(proxy, stream)
        assert await proxy.count("retries_total") == 1

    assert calls == [("weather", GOOD)]
    assert len(upstream.calls) == 2
    assert words in upstream.calls[1].messages[-1]["content"]
    assert upstream.calls[1].messages[:-1] == upstream.calls[0].messages
    assert reply.headers["x-turnright-changes"] == "note=1"
    assert reply.headers["x-turnright-attempts"] == "2"
    assert reply.raw.count(b"Let me see.") == int(stream)


@BOTH
@pytest.mark.parametrize(
    ("first", "second"),
    [((WRONG,), (CUT,)), ((GOOD, "whither"), (GOOD, "whether"))],
    ids=["unreadable", "undeclared"],
)
async def test_second_invalid_call_is_delivered_as_it_is(stream: bool, first: Any, second: Any) -> None:
    """After a second invalid call the model is not asked a third time, and the client gets the second call."""
    upstream = ScriptedUpstream(*replies_of(stream, first, second))
    async with served(upstream, retries=5, self_correction="always") as proxy:
        _, calls = await ask(proxy, stream)

    assert calls == [(second[1] if len(second) > 1 else "weather", second[0])]
    assert len(upstream.calls) == 2


@BOTH
async def test_invalid_call_is_delivered_at_once_where_num_retries_is_0(stream: bool) -> None:
    """Self-correction is a retry, and obeys ``num_retries``."""
    upstream = ScriptedUpstream(*replies_of(stream, (WRONG,)))
    async with served(upstream, retries=0, self_correction="always") as proxy:
        reply, calls = await ask(proxy, stream)

    assert calls == [("weather", WRONG)]
    assert len(upstream.calls) == 1
    assert "x-turnright-changes" not in reply.headers


@BOTH
async def test_first_answer_is_delivered_where_its_correction_fails(stream: bool) -> None:
    """The client gets the first answer, since the provider refuses the second attempt."""
    upstream = ScriptedUpstream(*replies_of(stream, (WRONG,)), [DOWN])
    async with served(upstream, self_correction="always") as proxy:
        reply, calls = await ask(proxy, stream)

    assert calls == [("weather", WRONG)]
    assert len(upstream.calls) == 2
    assert "x-turnright-changes" not in reply.headers


@BOTH
async def test_unusable_answer_that_is_delivered_lists_its_changes(stream: bool) -> None:
    """Arguments that were encoded twice are decoded, though they do not fit their schema."""
    upstream = ScriptedUpstream(*replies_of(stream, (json.dumps(WRONG),)), [DOWN])
    async with served(upstream, self_correction="always") as proxy:
        reply, calls = await ask(proxy, stream)

    assert calls == [("weather", WRONG)]
    assert reply.headers["x-turnright-changes"] == "answer_repair=1"


@BOTH
async def test_call_cut_at_the_token_limit_is_not_corrected(stream: bool) -> None:
    """A call that was cut at the token limit is neither completed nor asked for again."""
    upstream = ScriptedUpstream(*replies_of(stream, (CUT, "weather", "length")))
    async with served(upstream, self_correction="always") as proxy:
        _, calls = await ask(proxy, stream)

    assert calls == [("weather", CUT)]
    assert len(upstream.calls) == 1


@BOTH
@pytest.mark.parametrize(
    ("mode", "word"), [("observe", "always"), ("strict", "always"), ("off", "always"), ("repair", "off")]
)
async def test_calls_are_not_corrected_in_other_modes_or_where_it_is_off(
    stream: bool, mode: str, word: str
) -> None:
    """Answers are corrected only in mode ``repair``, and only if ``self_correction`` is not ``off``."""
    upstream = ScriptedUpstream(*replies_of(stream, (TYPO,), (CUT,)))
    async with served(upstream, mode=mode, self_correction=word) as proxy:
        assert (await ask(proxy, stream))[1] == [("weather", TYPO)]
        assert (await ask(proxy, stream))[1] == [("weather", CUT)]

    assert len(upstream.calls) == 2


async def test_stream_is_not_held_back_by_default() -> None:
    """By default a stream is not held back: the client gets text while the model still writes."""
    upstream = ScriptedUpstream([say("Let me see."), HANG])
    async with (
        served(upstream) as proxy,
        proxy.session.post(proxy.origin + CHAT, json=chat(tools=TOOLS, stream=True)) as response,
    ):
        async with asyncio.timeout(20):
            first = await response.content.readuntil(b"\n\n")
    assert b"Let me see." in first

    upstream = ScriptedUpstream(streamed(TYPO))
    async with served(upstream) as proxy:
        assert (await ask(proxy, True))[1] == [("weather", TYPO)]


async def test_stream_without_declared_tools_is_not_held_back() -> None:
    """A stream of a request without tools is not held back, since it has no calls to check."""
    upstream = ScriptedUpstream([say("Let me see."), HANG])
    async with (
        served(upstream, self_correction="always") as proxy,
        proxy.session.post(proxy.origin + CHAT, json=chat(stream=True)) as response,
    ):
        async with asyncio.timeout(20):
            assert b"Let me see." in await response.content.readuntil(b"\n\n")


async def test_held_stream_sends_only_comments_until_it_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A held stream sends only keep-alive comments, so that an invalid answer can still be retried."""
    monkeypatch.setattr(event_stream, "HOLD_S", 0.05)
    monkeypatch.setattr(event_stream, "KEEP_ALIVE_S", 0.05)
    bad = streamed(WRONG)
    upstream = ScriptedUpstream([*bad[:2], *[Pause(0.1)] * 6, *bad[2:]], streamed(GOOD))
    async with served(upstream, self_correction="always") as proxy:
        reply = await proxy.post(chat(tools=TOOLS, stream=True))

    beats, _, rest = reply.raw.rpartition(OPENAI_CHAT.keep_alive)
    assert beats.replace(OPENAI_CHAT.keep_alive, b"") == b""
    assert beats.count(OPENAI_CHAT.keep_alive) >= 1
    events = events_of(rest)
    assert events[-1] == "[DONE]"
    assert b"town" not in reply.raw
    assert len(upstream.calls) == 2


async def test_held_stream_that_breaks_off_is_tried_again() -> None:
    """A held stream that breaks off is tried again, and the client gets no part of the broken answer."""
    lost = UpstreamFault("It broke.", upstream_status=503)
    upstream = ScriptedUpstream([*streamed(GOOD)[:3], lost], streamed(GOOD))
    async with served(upstream, self_correction="always") as proxy:
        reply, calls = await ask(proxy, True)

    assert calls == [("weather", GOOD)]
    assert reply.raw.count(b"Let me see.") == 1


async def test_held_stream_over_the_size_limit_is_sent_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A held stream that exceeds the size limit is sent without a check of its calls."""
    monkeypatch.setattr("proxy.forwarding.answer_buffer.LARGEST", 300)
    upstream = ScriptedUpstream(streamed(CUT))
    async with served(upstream, self_correction="always") as proxy:
        _, calls = await ask(proxy, True)

    assert calls == [("weather", CUT)]
    assert len(upstream.calls) == 1


async def test_call_of_a_held_stream_is_cancelled_where_its_client_leaves() -> None:
    """The proxy cancels the upstream call when the client disconnects."""
    upstream = ScriptedUpstream([say("Let me see."), HANG])
    async with served(upstream, self_correction="always") as proxy:
        body, timeout = chat(tools=TOOLS, stream=True), aiohttp.ClientTimeout(total=0.2)
        with pytest.raises(asyncio.TimeoutError):
            await proxy.session.post(proxy.origin + CHAT, json=body, timeout=timeout)
        exchange = await upstream.called()
        assert await exchange.ended(within=20) == "cancelled"


async def test_arguments_of_an_invalid_call_are_not_logged(log_text: Any) -> None:
    """The log contains no part of an invalid call's arguments."""
    upstream = ScriptedUpstream([whole('{"secret-key": "secret-value"')], [whole(GOOD)])
    async with served(upstream) as proxy:
        await ask(proxy, False)

    assert "request_finished" in log_text.getvalue()
    assert "secret" not in log_text.getvalue()


@BOTH
async def test_schema_library_is_loaded_once_in_a_worker_thread(
    stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schema library is loaded once, in a worker thread, at the first answer with a call."""
    threads: list[threading.Thread] = []
    monkeypatch.setattr(self_correction, "is_validator_loaded", lambda: bool(threads))
    monkeypatch.setattr(self_correction, "load_validator", lambda: threads.append(threading.current_thread()))
    said = [say("Hello."), chunk(finish="stop")] if stream else [answer("Hello.")]
    upstream = ScriptedUpstream(said, *replies_of(stream, (GOOD,), (GOOD,)))
    async with served(upstream, self_correction="always") as proxy:
        reply = await proxy.post(chat(tools=TOOLS, stream=stream))
        assert (reply.status, threads) == (200, [])
        for _ in range(2):
            await ask(proxy, stream)

    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
