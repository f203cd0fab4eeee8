"""Tests that the parts of an answer reach the trace of its call, also from a stream that breaks off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from proxy.config import resolve
from proxy.core.errors import UpstreamFault
from proxy.core.upstream_call import TextCall, Timeouts, UpstreamCall
from proxy.observability.tracing.traced_upstream import TracedUpstream
from tests.support.proxied import settings_of
from tests.support.scripted_upstream import ScriptedUpstream, answer, say

[DEPLOYMENT] = resolve(settings_of({"m": "openai/m"}), "m")
TIMEOUTS = Timeouts(connect_s=1, first_byte_s=1, idle_s=1, total_s=1)


class Trace:
    """A trace that keeps the parts that it reads."""

    def __init__(self) -> None:
        self.headers: Mapping[str, str] = {}
        self.parts: list[Mapping[str, Any]] = []

    def read_part(self, part: Mapping[str, Any]) -> None:
        """Keep *part*."""
        self.parts.append(part)


def chat_call(trace: Trace | None) -> UpstreamCall:
    """Return the call of a chat, with a trace."""
    return UpstreamCall(DEPLOYMENT, [], {}, TIMEOUTS, trace=trace)


def text_call(trace: Trace | None) -> TextCall:
    """Return the call of a text completion or an embedding, with a trace."""
    return TextCall(DEPLOYMENT, {"prompt": "a", "input": "a"}, TIMEOUTS, trace=trace)


@pytest.mark.parametrize(
    ("method", "call"), [("complete", chat_call), ("embed", text_call), ("complete_text", text_call)]
)
@pytest.mark.parametrize("traced", [True, False])
async def test_whole_answer_is_read_once_and_passed_on(
    method: str, call: Callable[[Any], Any], traced: bool
) -> None:
    """The caller gets the answer unchanged."""
    upstream, trace = ScriptedUpstream(), Trace()
    upstream.then(said := answer("Good day."))
    got = await getattr(TracedUpstream(upstream), method)(call(trace if traced else None))

    assert got == said
    assert trace.parts == ([said] if traced else [])


@pytest.mark.parametrize(("method", "call"), [("stream", chat_call), ("stream_text", text_call)])
async def test_chunks_of_a_broken_stream_are_read_before_they_are_passed_on(
    method: str, call: Callable[[Any], Any]
) -> None:
    """The caller gets the upstream's own error."""
    upstream, trace, got = ScriptedUpstream(), Trace(), list[Any]()
    upstream.then(say("Good "), say("day."), UpstreamFault("It broke."))

    async def read() -> None:
        async for chunk in getattr(TracedUpstream(upstream), method)(call(trace)):
            got.append(chunk)
            assert trace.parts == got

    with pytest.raises(UpstreamFault, match="It broke"):
        await read()
    assert len(got) == 2
