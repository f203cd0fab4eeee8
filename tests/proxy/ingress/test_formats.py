"""Tests that every client format implements the protocol ``ClientFormat`` as the proxy expects.

The toy format of the tests is checked as well.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest, Overloaded, ProxyError, UnrepairableHistory, UpstreamTimeout
from proxy.core.json_text import write_json
from proxy.forwarding.answer_format import ClientFormat
from proxy.ingress.formats import (
    BATCH_EMBED_CONTENTS,
    CHAT_COMPLETIONS,
    COMPLETIONS,
    EMBED_CONTENT,
    EMBEDDINGS,
    FORMATS,
    GENERATE_CONTENT,
    MESSAGES,
    RESPONSES,
    STREAM_GENERATE_CONTENT,
)
from tests.support.scripted_upstream import STOP, answer, say
from tests.support.toy_format import TOY, TOY_PATH


@dataclass(frozen=True, slots=True)
class Example:
    """A request of one format, and an answer in the same format."""

    request: dict[str, Any]
    answer: dict[str, Any]
    chunks: tuple[dict[str, Any], ...]


def text(said: str, finish: str | None = None) -> dict[str, Any]:
    """Build a text completion, or a chunk of its stream."""
    return {"id": "cmpl-x", "choices": [{"index": 0, "text": said, "finish_reason": finish}]}


CHUNKS = (say("Good "), say("day."), STOP)
CONTENTS = Example({"model": "m", "contents": [{"parts": [{"text": "Hi."}]}]}, answer(), CHUNKS)
EMBEDDED = Example(
    {"model": "m", "content": {"parts": [{"text": "Hi."}]}}, {"data": [{"embedding": [0.5]}]}, ()
)
GEMINIS = (GENERATE_CONTENT, STREAM_GENERATE_CONTENT, EMBED_CONTENT, BATCH_EMBED_CONTENTS)
EXAMPLES = {
    CHAT_COMPLETIONS: Example(
        {"model": "m", "messages": [{"role": "user", "content": "Hi."}]}, answer(), CHUNKS
    ),
    COMPLETIONS: Example(
        {"model": "m", "prompt": "Hi."}, text("Good day."), (text("Good "), text("day."), text("", "stop"))
    ),
    EMBEDDINGS: Example({"model": "m", "input": "Hi."}, {"data": [{"embedding": [0.5]}]}, ()),
    RESPONSES: Example(
        {"model": "m", "input": "Hi."}, answer(), tuple({**each, "created": 1_760_000_000} for each in CHUNKS)
    ),
    MESSAGES: Example(
        {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi."}]},
        answer(),
        CHUNKS,
    ),
    **dict.fromkeys(GEMINIS, CONTENTS),
    EMBED_CONTENT: EMBEDDED,
    BATCH_EMBED_CONTENTS: Example({"requests": [EMBEDDED.request]}, EMBEDDED.answer, ()),
    TOY_PATH: Example({"ask": "m", "about": "Hi."}, answer(), CHUNKS),
}
ALL: dict[str, ClientFormat[Any]] = {**FORMATS, TOY_PATH: TOY}

pytestmark = pytest.mark.parametrize("path", ALL)

ERRORS: tuple[ProxyError, ...] = (
    Overloaded("Too many requests."),
    UpstreamTimeout("The provider took too long."),
    UnrepairableHistory("A rule is broken.", param="messages[1]", violations=[{"rule": "x"}]),
)


def read(path: str, body: bytes, max_nesting: int = 50) -> Any:
    """Read *body* as a request in the format of *path*."""
    return ALL[path].read_request(body, max_nesting=max_nesting, mends=True, weight=len(body))


def unnamed(raw: bytes) -> bytes:
    """Return events without the random part of their ids."""
    return re.sub(rb"_[0-9a-f]{32,}", b"_", raw)


def events_in(raw: bytes) -> list[dict[str, str]]:
    """Return the fields of each server-sent event. A comment's field is the empty name."""
    assert raw.endswith(b"\n\n")
    events = [event.split("\n") for event in raw.decode().removesuffix("\n\n").split("\n\n")]
    fields = [dict(line.split(":", 1) for line in event) for event in events]
    assert all(each.keys() <= {"", "event", "data", "id"} for each in fields), fields
    return fields


def test_each_format_has_an_example(path: str) -> None:
    """The other tests here need an example of each format."""
    assert path in EXAMPLES


def test_request_is_read_with_its_model_and_does_not_stream_by_default(path: str) -> None:
    """The request that is read has its model, no stream, and a weight above 0."""
    found = read(path, write_json(EXAMPLES[path].request))

    assert (found.model, found.stream) == ("m", False)
    assert found.weight > 0


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b'"m"', b"\xff", b'{"x":' * 60 + b"1" + b"}" * 60])
def test_body_that_is_no_request_raises_invalid_request(path: str, body: bytes) -> None:
    """The bodies are empty, cut off, no objects, without a model, no UTF-8, or nested too deeply."""
    with pytest.raises(InvalidRequest):
        read(path, body)


def test_nesting_is_limited_by_the_argument(path: str) -> None:
    """The body is nested deeper than the limit of four levels."""
    body = write_json({**EXAMPLES[path].request, "user": [[[[["x"]]]]]})

    with pytest.raises(InvalidRequest):
        read(path, body, max_nesting=4)


def test_answer_is_json_with_the_whole_text(path: str) -> None:
    """The name of the field that holds the text depends on the format."""
    written = json.loads(ALL[path].write_answer(EXAMPLES[path].answer))

    assert "Good day." in json.dumps(written) or "0.5" in json.dumps(written)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.code)
def test_error_has_its_message_and_code_in_a_body_and_in_a_stream(path: str, error: ProxyError) -> None:
    """A client reads the error as a whole body, or as the last event of a stream.

    The Responses API has codes of its own for streams.
    """
    whole = json.dumps(json.loads(ALL[path].write_error(error)))
    *_, event = events_in(ALL[path].write_stream().write_error(error))

    for written in (whole, event["data"]):
        assert error.message in written
        assert error.code in written or (path == RESPONSES and written != whole)


def test_stream_has_all_texts_in_their_order(path: str) -> None:
    """Every event of the stream has data."""
    writer, example = ALL[path].write_stream(), EXAMPLES[path]
    events = [writer.write_chunk(chunk) for chunk in example.chunks]
    raw = b"".join(events) + writer.write_end()

    assert raw.find(b"Good ") <= raw.find(b"day.")
    assert (b"day." in raw) == bool(example.chunks)
    assert all(each.get("data") for each in events_in(raw))


def test_broken_stream_ends_differently_from_a_complete_stream(path: str) -> None:
    """A client must be able to tell a broken stream from a complete one."""
    whole, broken = ALL[path].write_stream(), ALL[path].write_stream()
    for chunk in EXAMPLES[path].chunks[:1]:
        assert unnamed(whole.write_chunk(chunk)) == unnamed(broken.write_chunk(chunk))
    end, fault = whole.write_end(), broken.write_error(ERRORS[0])

    assert end not in fault
    assert events_in(end)[-1] != events_in(fault)[-1]


def test_encoded_chunk_gives_the_same_event(path: str) -> None:
    """A chunk that was held back is encoded JSON."""
    at_once, later = ALL[path].write_stream(), ALL[path].write_stream()

    for chunk in EXAMPLES[path].chunks:
        assert unnamed(later.write_encoded(write_json(chunk))) == unnamed(at_once.write_chunk(chunk))


def test_streams_do_not_affect_each_other(path: str) -> None:
    """A format may use one writer object for all its streams."""
    alone, first, second = (ALL[path].write_stream() for _ in range(3))

    for chunk in EXAMPLES[path].chunks:
        assert len({unnamed(writer.write_chunk(chunk)) for writer in (alone, first, second)}) == 1
    assert len({unnamed(writer.write_end()) for writer in (alone, first, second)}) == 1


def test_keep_alive_is_a_complete_event_without_data(path: str) -> None:
    """Keep-alive bytes may come between any two events. Anthropic has an event for it, and Gemini an empty text."""
    [event] = events_in(ALL[path].keep_alive)
    data = json.loads(event.get("data", "{}"))

    if path in GEMINIS:
        [candidate] = data["candidates"]
        data = {} if candidate["content"]["parts"] == [{"text": ""}] else data
    assert data in ({}, {"type": "ping"})


def test_prefix_of_ids_is_openais_or_the_formats_own(path: str) -> None:
    """Clients of OpenAI's formats expect its prefixes. Answers of embeddings have no id."""
    expected = {CHAT_COMPLETIONS: "chatcmpl-", MESSAGES: "msg_", RESPONSES: "resp_", TOY_PATH: TOY.id_prefix}
    expected |= dict.fromkeys(GEMINIS, "")

    assert ALL[path].id_prefix == expected.get(path, "cmpl-")
