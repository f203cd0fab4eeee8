"""Tests of the decoder for server-sent events: special cases of the format, splits of the bytes, and limits."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires import sse_decoder
from proxy.upstream.wires.sse_decoder import SSEDecoder
from tests.support.cpu_time import cpu_seconds

TABLE: dict[str, tuple[bytes, list[bytes]]] = {
    "lf": (b"data: a\n\ndata: b\n\n", [b"a", b"b"]),
    "crlf": (b"data: a\r\n\r\ndata: b\r\n\r\n", [b"a", b"b"]),
    "cr": (b"data: a\r\rdata: b\r\r", [b"a", b"b"]),
    "mixed": (b"data: a\r\n\ndata: b\r\rdata: c\n\r\n", [b"a", b"b", b"c"]),
    "comments": (b": ping\n\n:\ndata: a\n: data: x\n\n:\n\n", [b"a"]),
    "multi-line": (b"data: a\ndata: b\n\n", [b"a\nb"]),
    "three lines": (b"data: a\r\ndata:\r\ndata: c\r\n\r\n", [b"a\n\nc"]),
    "no space": (b"data:a\n\n", [b"a"]),
    "two spaces": (b"data:  a\n\n", [b" a"]),
    "other fields": (b"event: x\nid: 1\nretry: 5\ndata: a\nfoo\n\n", [b"a"]),
    "event without data": (b"event: x\n\ndata: a\n\n", [b"a"]),
    "no final blank line": (b"data: a\n\ndata: b\n", [b"a"]),
    "no final line end": (b"data: a\n\ndata: b", [b"a"]),
    "empty data": (b"data:\n\ndata: \n\ndata: a\n\n", [b"", b"", b"a"]),
    "two empty lines of data": (b"data:\ndata:\n\n", [b"\n"]),
    "blank lines": (b"\n\r\n\r\n\n\ndata: a\n\n\n\n", [b"a"]),
    "colons": (b"data: a: b:\n\n", [b"a: b:"]),
    "other name": (b"database: a\n\n data: b\n\n", []),
    "invalid utf-8": (b"data: \xff\xfe\x00\n\n", [b"\xff\xfe\x00"]),
    "other separators": (
        "data: a\u2028b\u0085c\x0b\x0c\x1c\n\n".encode(),
        ["a\u2028b\u0085c\x0b\x0c\x1c".encode()],
    ),
    "nothing": (b"", []),
    "byte order mark": (b"\xef\xbb\xbfdata: a\n\ndata: b\n\n", [b"a", b"b"]),
    "byte order mark and cr lf": (b"\xef\xbb\xbf\r\ndata: a\r\n\r\n", [b"a"]),
    "two byte order marks": (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", [b"b"]),
    "byte order mark later": (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", [b"a"]),
    "byte order mark as data": (b"data: \xef\xbb\xbf\n\n", [b"\xef\xbb\xbf"]),
    "half a byte order mark": (b"\xef\xbbdata: a\n\ndata: b\n\n", [b"b"]),
    "byte order mark alone": (b"\xef\xbb\xbf", []),
}


def decoded(*pieces: bytes) -> list[bytes]:
    """Return the payloads that one decoder finds in the pieces."""
    decoder = SSEDecoder()
    return [payload for piece in pieces for payload in decoder.feed(piece)]


@pytest.mark.parametrize("name", TABLE)
def test_each_corner_of_the_format_gives_its_payloads_however_it_is_cut(name: str) -> None:
    """The bytes are fed whole, one by one, and cut in two at each place."""
    raw, payloads = TABLE[name]

    assert decoded(raw) == payloads
    assert decoded(*(raw[at : at + 1] for at in range(len(raw)))) == payloads
    for at in range(len(raw) + 1):
        assert decoded(raw[:at], b"", raw[at:]) == payloads, at


ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
LINES = st.one_of(
    st.just(b""),
    st.sampled_from([b"data:", b"data", b"data:x", b": c", b"event: e", b"data: [DONE]"]),
    st.binary(max_size=6).map(lambda value: b"data: " + value),
    st.binary(max_size=6),
)
MARKS = st.sampled_from([b"", b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"])
STREAMS = st.tuples(MARKS, st.lists(st.tuples(LINES, ENDS), max_size=12)).map(
    lambda stream: stream[0] + b"".join(a + b for a, b in stream[1])
)


@given(raw=STREAMS, cuts=st.lists(st.integers(0, 200), max_size=8))
def test_any_split_gives_the_same_payloads(raw: bytes, cuts: list[int]) -> None:
    """A random stream gives the same payloads at any split."""
    at = sorted({0, len(raw), *(min(cut, len(raw)) for cut in cuts)})

    assert decoded(*(raw[a:b] for a, b in pairwise(at))) == decoded(raw)


@given(
    payloads=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=8), max_size=6
    ),
    end=ENDS,
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
)
def test_framed_payloads_are_decoded_unchanged(payloads: list[str], end: bytes, mark: bytes) -> None:
    """Every line end, every cut, and a byte order mark at the start are tried."""
    sent = [payload.encode() for payload in payloads]
    raw = mark + b"".join(b"data: " + payload + end + end for payload in sent)

    assert decoded(raw) == sent
    for at in range(len(raw) + 1):
        assert decoded(raw[:at], raw[at:]) == sent


ENDLESS = {
    "one line": b"data: " + b"x" * 994,
    "a comment": b":" * 1000,
    "many lines": b"data: 12345678\n" * 70,
    "many empty lines": b"data:\n" * 170,
    "no line": b"\x00" * 1000,
}


@pytest.mark.parametrize("name", ENDLESS)
def test_event_over_the_limit_is_refused_with_bounded_memory(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the refusal, the decoder holds at most a small multiple of the limit."""
    limit = 2**15
    monkeypatch.setattr(sse_decoder, "LARGEST_EVENT", limit)
    piece = ENDLESS[name]
    tracemalloc.start()
    try:
        with pytest.raises(UpstreamFault, match="too large"):
            decoded(*[piece] * (10 * limit // len(piece)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 4 * limit


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_limit_does_not_depend_on_the_pieces(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An event of exactly the limit is accepted, and one more byte is refused."""
    monkeypatch.setattr(sse_decoder, "LARGEST_EVENT", 1000)
    fits = b"data: " + b"x" * 994 + b"\n\n"
    over = b"data: " + b"x" * 995 + b"\n\n"
    events = fits + fits

    assert decoded(*(events[at : at + size] for at in range(0, len(events), size))) == [b"x" * 994] * 2
    with pytest.raises(UpstreamFault):
        decoded(*(over[at : at + size] for at in range(0, len(over), size)))


def test_limit_is_for_one_event(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long stream of small events is accepted."""
    monkeypatch.setattr(sse_decoder, "LARGEST_EVENT", 100)

    assert len(decoded(*[b": c\ndata: 0123456789\n\n"] * 1000)) == 1000


@pytest.mark.parametrize(
    ("size", "line"), [(10 * 2**20, 10 * 2**20), (2**20, 10)], ids=["one line", "lines of 10 B"]
)
def test_time_of_a_large_event_in_small_pieces_is_linear(size: int, line: int) -> None:
    """A decoder that copied all lines for each new line would take minutes."""
    raw = (b"data: " + b"x" * line + b"\n") * (size // (line + 7) or 1) + b"\n"
    pieces = [raw[at : at + 1024] for at in range(0, len(raw), 1024)]
    [payload] = decoded(*pieces)

    assert payload.count(b"x") == raw.count(b"x")
    assert cpu_seconds(lambda: decoded(*pieces), bound=3) < 3  # 0.2 at most on a quiet machine


@pytest.mark.parametrize(
    ("stream", "last"),
    [
        (b"data: a\n\ndata: b\n", [b"b"]),
        (b"data: a\r\rdata: b\r", [b"b"]),
        (b"data: a\n\ndata: b\r\n", [b"b"]),
        (b"data: a\ndata: b\n", [b"a\nb"]),
        (b"data: a\nid: 7\n", [b"a"]),
        (b"data:\n", [b""]),
        (b"data: a\n\n", []),
        (b"data: a\n\ndata: b", []),
        (b"data: a\ndata: b", []),
        (b": ping\n", []),
        (b"", []),
    ],
)
def test_last_event_needs_no_blank_line(stream: bytes, last: list[bytes]) -> None:
    """The last event counts without a blank line, but an incomplete line is dropped with its event."""
    for at in range(len(stream) + 1):
        decoder = SSEDecoder()
        decoder.feed(stream[:at])
        decoder.feed(stream[at:])

        assert decoder.close() == last
        assert decoder.close() == []
