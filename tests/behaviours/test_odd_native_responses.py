"""Tests that no response of a provider, however odd, is more than a fault of the provider's.

Each value in a response and in a stream is replaced by each of several values of other types. The answer is read and
written as in the process.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.normalize_answer import normalize_answer
from proxy.core.errors import UpstreamFault
from proxy.core.source import SOURCE
from proxy.forwarding.write_events import find_native
from proxy.upstream.wires.openai_responses.answers import read_response
from proxy.upstream.wires.openai_responses.output import CallNames
from proxy.upstream.wires.openai_responses.streams import StreamReader
from tests.proxy.ingress.openai_responses.responding import answers
from tests.support.native_responses import CALL, CUSTOM, MESSAGE, SEARCH, THOUGHT, TOOLS, response, stream_of

NOTE = {"type": "url_citation", "url": "https://a.test"}
CITED = {"type": "output_text", "text": "Well.", "annotations": [NOTE], "logprobs": []}
CITING = {**MESSAGE, "content": [CITED]}
SHELL = {
    "id": "sh_1",
    "type": "shell_call",
    "status": "completed",
    "call_id": "call_s",
    "action": {"commands": ["ls"]},
}
SUMMED = {**THOUGHT, "summary": [{"type": "summary_text", "text": "Hm."}]}
ITEMS: list[dict[str, Any]] = [SUMMED, SEARCH, CITING, CALL, CUSTOM, SHELL]
JUNK: tuple[Any, ...] = (None, 3, "", [], {}, [[]], {"type": []})


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value within *value*."""
    if path:
        yield path
    for key, held in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(held, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """Return a copy of *value* with *junk* at *path*."""
    found = copy.deepcopy(value)
    holder = found
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = junk
    return found


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_odd_response_is_read_or_a_fault(junk: Any) -> None:
    names = CallNames(answers(tools=TOOLS).table)
    native = response(ITEMS)
    for path in places(native):
        odd = replaced(native, path, junk)
        try:
            answer = normalize_answer(read_response(odd, names), fallback_id="x", created=1, model="m").answer
        except UpstreamFault:
            continue
        json.loads(answers(tools=TOOLS).write_native_answer(odd, answer))


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_odd_event_is_read_or_a_fault(junk: Any) -> None:
    made = answers(tools=TOOLS)
    events = stream_of(ITEMS)
    for path in places(events):
        reader = StreamReader(CallNames(made.table), native=True)
        normalizer = ChunkNormalizer(fallback_id="x", created=1, model="m", include_usage=True)
        writer = answers(tools=TOOLS).write_stream()
        try:
            for event in replaced(events, path, junk):
                for chunk in reader.feed(json.dumps(event).encode()):
                    normalized = normalizer.normalize(chunk)
                    native = find_native(writer.format, {"choices": [], **chunk}, normalized)
                    if native is not None and SOURCE in chunk:
                        writer.write_native(native.event, normalized or normalizer.head_chunk())
                    elif normalized is not None:
                        writer.write_chunk(normalized)
            reader.close()
        except UpstreamFault as fault:
            writer.write_error(fault)
        else:
            writer.write_end()
