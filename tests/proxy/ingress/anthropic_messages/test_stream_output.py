"""Tests of the events of a stream."""

from __future__ import annotations

from proxy.ingress.anthropic_messages.stream_output import (
    StreamOutput,
    write_block_start,
    write_block_stop,
    write_delta,
    write_event,
)


def test_event_repeats_its_type() -> None:
    assert write_event("ping", {}) == b'event: ping\ndata: {"type":"ping"}\n\n'


def test_events_of_a_block_have_its_index() -> None:
    assert write_block_start(2, {"type": "text", "text": ""}).endswith(
        b'{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}\n\n'
    )
    assert write_delta(2, "text_delta", "text", "a").endswith(
        b'{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"a"}}\n\n'
    )
    assert write_block_stop(2).endswith(b'{"type":"content_block_stop","index":2}\n\n')


def test_indexes_have_no_gaps() -> None:
    output = StreamOutput()

    assert [output.next_index() for _ in range(3)] == [0, 1, 2]
    assert output.blocks == 3
