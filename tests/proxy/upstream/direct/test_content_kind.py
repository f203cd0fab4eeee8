"""Streams and whole answers are distinguished by their first bytes."""

from __future__ import annotations

import pytest

from proxy.upstream.direct.content_kind import is_events

STREAMS = [
    b"data: x",
    b"data:",
    b"event: message\n",
    b"id: 7",
    b"retry: 10",
    b": ping",
    b"\xef\xbb\xbfdata:x",
]
WHOLES = [b'{"choices"', b"[1]", b"<html>", b"date", b"identity", b"null", b'"data: x"', b"\xff"]


@pytest.mark.parametrize("blanks", [b"", b"\n\n", b" \r\n\t"])
@pytest.mark.parametrize(
    ("begun", "found"), [*((begun, True) for begun in STREAMS), *((begun, False) for begun in WHOLES)]
)
def test_first_bytes_tell_a_stream_from_a_whole_answer(begun: bytes, found: bool, blanks: bytes) -> None:
    """The result comes as soon as the bytes decide, and stays the same with more bytes."""
    said = [is_events(blanks + begun[:length], announced=False) for length in range(len(begun) + 1)]

    assert said[-1] is found
    assert said[0] is None
    first = next(at for at, kind in enumerate(said) if kind is not None)
    assert set(said[first:]) == {found}


@pytest.mark.parametrize("blanks", [b"", b"\n\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(
    ("begun", "found"),
    [*((begun, True) for begun in STREAMS), (b"odd: field", True), (b'{"error"', False), (b"[{", False)],
)
def test_announced_stream_is_one_unless_it_begins_as_json(begun: bytes, found: bool, blanks: bytes) -> None:
    """An announced stream may begin with an unknown field, but not with JSON."""
    assert is_events(blanks, announced=True) is None
    assert is_events(blanks + begun, announced=True) is found
