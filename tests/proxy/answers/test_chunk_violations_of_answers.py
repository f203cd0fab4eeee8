"""Tests that the normalizer's chunks break no rule of the strict chunk, for any provider and any split."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.answers.chunk_rules import ChunkViolation
from proxy.answers.chunk_violations import find_chunk_violations
from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.restore_tool_names import UNCHANGED, ToolNameMap
from proxy.core.errors import UpstreamFault
from proxy.core.upstream_call import Chunk
from proxy.upstream.wires.openai import StreamReader
from tests.behaviours.contract.cutting import at_places, in_bytes
from tests.proxy.upstream.wires.openai.test_answers_any_json import EVENTS, JSON, damaged
from tests.support.quirks.gemini.generated import gemini_rows
from tests.support.quirks.meaning import Row
from tests.support.quirks.openai.generated import openai_rows
from tests.support.quirks.table import ROWS
from tests.support.replay import replay
from tests.support.strategies.events import loose_events

PLACES = st.lists(st.integers(1, 999), max_size=8)
SOME = settings(max_examples=max(10, settings().max_examples // 3))


def violations(row: Row, pieces: Iterable[bytes]) -> list[ChunkViolation]:
    """Return the violations in the chunks that a client gets for *row*.

    Broken arguments in a row are the model's fault and not counted.
    """
    replayed = replay(pieces, row.model, include_usage=True, taken=row.taken)
    events = [event.removeprefix(b"data: ") for event in replayed.raw.split(b"\n\n") if event]
    values = [json.loads(event) for event in events if event != b"[DONE]"]
    chunks = [value for value in values if "error" not in value]
    found = find_chunk_violations(chunks, complete=b"[DONE]" in events)
    return [one for one in found if not (row.meaning.broken and one.rule == "arguments_no_object")]


def violations_up_to_a_fault(events: list[Any], names: ToolNameMap = UNCHANGED) -> list[ChunkViolation]:
    """Return the violations in the chunks that are made of *events* before a provider's fault.

    Arguments that are not JSON are the model's fault.
    """
    reader = StreamReader()
    normalizer = ChunkNormalizer(
        fallback_id="chatcmpl-abc", created=5, model="m", include_usage=True, names=names
    )
    chunks: list[Chunk] = []
    try:
        for event in events:
            for read in reader.feed(json.dumps(event).encode()):
                if (normalized := normalizer.normalize(read)) is not None:
                    chunks.append(normalized)
    except UpstreamFault:
        pass
    if (usage := normalizer.last_chunk()) is not None:
        chunks.append(usage)

    found = find_chunk_violations(chunks, complete=False)

    return [one for one in found if one.rule != "arguments_no_object"]


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_every_known_quirk_becomes_strict_chunks(row: Row) -> None:
    """A stream with a known quirk becomes strict chunks, both in one piece and byte by byte."""
    assert violations(row, [row.body]) == []
    assert violations(row, in_bytes(row.body)) == []


@SOME
@given(row=openai_rows() | gemini_rows(), places=PLACES)
def test_any_combination_of_quirks_becomes_strict_chunks(row: Row, places: list[int]) -> None:
    """Combined quirks in OpenAI's or Gemini's format become strict chunks, wherever the stream is split."""
    assert violations(row, at_places(row.body, places)) == []


@SOME
@given(events=loose_events(), names=st.sampled_from([UNCHANGED, ToolNameMap({"f_1": "f.1"})]))
def test_any_order_of_deltas_becomes_strict_chunks_or_is_the_providers_fault(
    events: list[dict[str, Any]], names: ToolNameMap
) -> None:
    """Deltas with nulls, single surrogates, nameless calls or repeated choices cause no violation."""
    assert violations_up_to_a_fault(events, names) == []


@pytest.mark.long
@SOME
@given(events=damaged(EVENTS) | st.lists(JSON, max_size=3))
def test_any_json_becomes_strict_chunks_or_is_the_providers_fault(events: list[Any]) -> None:
    """Damaged events and arbitrary JSON cause no violation in the client's chunks."""
    assert violations_up_to_a_fault(events) == []


def test_a_name_in_pieces_is_the_one_exception() -> None:
    """A name that comes in pieces is passed on in pieces, which breaks the rule ``call_head_repeated``."""
    head = {"index": 0, "id": "a", "function": {"name": "get_", "arguments": ""}}
    rest = {"index": 0, "function": {"name": "weather", "arguments": "{}"}}
    events = [{"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in (head, rest)]

    assert violations_up_to_a_fault(events) == [ChunkViolation("call_head_repeated", 1, 0)]
