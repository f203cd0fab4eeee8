"""Tests that no message of Claude's, however odd, is more than a fault of the provider's.

Each value in a message and in a stream is replaced by each of several values of other types. The answer is read and
written as in the process, for a client of Anthropic's API and for one of chats.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.normalize_answer import normalize_answer
from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.source import SOURCE
from proxy.forwarding.write_events import find_native
from proxy.upstream.wires.anthropic.answers import read_message
from proxy.upstream.wires.anthropic.streams import StreamReader
from tests.behaviours.test_odd_native_responses import JUNK, places, replaced
from tests.proxy.ingress.anthropic_messages.deltas import answers
from tests.support.covering_cases import share_of
from tests.support.native_messages import (
    CALL,
    CITED,
    EMPTY_CALL,
    FOUND,
    REDACTED,
    SEARCH,
    TEXT,
    THOUGHT,
    events_of,
    message,
)

BLOCKS = [THOUGHT, TEXT, REDACTED, CALL, SEARCH, FOUND, CITED, EMPTY_CALL]
MESSAGE = message(BLOCKS, stop_reason="tool_use")
SHORT = message([THOUGHT, CALL, EMPTY_CALL, CITED], stop_reason="tool_use")
"""A message whose stream has few events, since each value of each event is replaced."""


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_odd_message_is_read_or_a_fault(junk: Any) -> None:
    for path in places(MESSAGE):
        odd = replaced(MESSAGE, path, junk)
        try:
            answer = normalize_answer(
                read_message(odd, thinks=True), fallback_id="x", created=1, model="m"
            ).answer
        except (UpstreamFault, AnswerUnusable):
            continue
        json.loads(answers().write_native_answer(odd, answer))
        json.loads(answers().write_answer(answer))


@pytest.mark.parametrize("native", [True, False], ids=["native", "converted"])
@pytest.mark.parametrize("junk", share_of(JUNK, 0), ids=repr)
def test_odd_event_is_read_or_a_fault(junk: Any, native: bool) -> None:
    events = list(events_of(SHORT))
    for path in places(events):
        reader = StreamReader(native=native, thinks=True)
        normalizer = ChunkNormalizer(fallback_id="x", created=1, model="m", include_usage=True)
        writer = answers().write_stream()
        try:
            for event in replaced(events, path, junk):
                for chunk in reader.feed(json.dumps(event).encode()):
                    normalized = normalizer.normalize(chunk)
                    source = find_native(writer.format, {"choices": [], **chunk}, normalized)
                    if source is not None and SOURCE in chunk:
                        writer.write_native(source.event, normalized or normalizer.head_chunk())
                    elif normalized is not None:
                        writer.write_chunk(normalized)
            reader.close()
        except (UpstreamFault, AnswerUnusable) as fault:
            writer.write_error(fault)
        else:
            writer.write_end()
