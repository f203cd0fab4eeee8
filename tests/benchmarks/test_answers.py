"""Tests that the load generator reads answers correctly, wherever the network cuts the bytes."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.gateway.answers import AnswerReader, StampReader

WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
STREAM = b'data: {"x":"sent=123456789 a"}\n\ndata: {"x":"sent=1234567891 b"}\n\n'


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    """Return the pieces of *data* between the positions *cuts*, each taken modulo the length of *data*."""
    places = sorted({0, len(data), *(cut % len(data) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(places)]


@given(cuts=st.lists(st.integers(0, 200), max_size=6), answer=st.sampled_from([(WHOLE, 200), (CHUNKED, 503)]))
def test_an_answer_is_complete_with_its_last_byte(cuts: list[int], answer: tuple[bytes, int]) -> None:
    """The reader reports an answer as complete at its last byte, and not before."""
    reader = AnswerReader()

    told = [reader.feed(piece) for piece in pieces(answer[0], cuts)]

    assert told == [False] * (len(told) - 1) + [True]
    assert reader.status == answer[1]


@given(cuts=st.lists(st.integers(0, 200), max_size=6))
def test_every_stamp_is_read_once_and_whole(cuts: list[int]) -> None:
    """Each time stamp of a stream is read exactly once, even if the network cuts the stamp in two."""
    reader = StampReader()

    found = [stamp for piece in pieces(STREAM, cuts) for stamp in reader.feed(piece)]

    assert found == [123456789, 1234567891]
