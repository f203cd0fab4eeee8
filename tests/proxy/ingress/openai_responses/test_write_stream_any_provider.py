"""Tests that any provider's events, once they are normalized, become a stream that follows the grammar."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.restore_tool_names import UNCHANGED, ToolNameMap
from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.openai import StreamReader
from tests.proxy.ingress.openai_responses.responding import answers
from tests.support.responses_grammar import events_of, find_stream_faults
from tests.support.strategies.events import loose_events


def stream_of(events: list[dict[str, Any]], names: ToolNameMap, shows: bool) -> bytes:
    """Return the client's stream of a provider's *events*, up to a fault of the provider."""
    reader = StreamReader()
    normalizer = ChunkNormalizer(
        fallback_id="chatcmpl-abc", created=5, model="m", include_usage=True, names=names
    )
    writer = answers(shows_thoughts=shows, include={"message.output_text.logprobs"}).write_stream()
    raw = b""
    try:
        for event in events:
            for read in reader.feed(json.dumps(event).encode()):
                if (normalized := normalizer.normalize(read)) is not None:
                    raw += writer.write_chunk(normalized)
    except UpstreamFault as fault:
        return raw + writer.write_error(fault)
    if (usage := normalizer.last_chunk()) is not None:
        raw += writer.write_chunk(usage)
    return raw + writer.write_end()


@given(
    events=loose_events(),
    names=st.sampled_from([UNCHANGED, ToolNameMap({"f_1": "f.1"})]),
    shows=st.booleans(),
)
def test_any_provider_gives_a_stream_of_the_grammar(
    events: list[dict[str, Any]], names: ToolNameMap, shows: bool
) -> None:
    """Nulls, lone surrogates, further choices and calls in odd orders break no rule, and lose no last event."""
    raw = stream_of(events, names, shows)

    assert find_stream_faults(raw) == []
    assert events_of(raw)[-1]["type"] in ("response.completed", "response.incomplete", "response.failed")
