"""Tests W3C trace context: which headers are read, refused and sent on."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.observability.tracing.trace_context import (
    TraceContext,
    headers_of,
    new_context,
    new_span_id,
    read_context,
)

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"
GOOD = f"00-{TRACE}-{SPAN}-01"

SENT_PARENT = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[0-3]")
SENT_STATE = re.compile(r"[\x20-\x7e]{1,512}")

HEX = "0123456789abcdef"
VALUE = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in ",=")
KEY = string.ascii_lowercase + string.digits + "_-*/"

ids = st.text(HEX, min_size=32, max_size=32).filter(lambda text: text.strip("0") != "")
span_ids = st.text(HEX, min_size=16, max_size=16).filter(lambda text: text.strip("0") != "")
keys = st.builds(str.__add__, st.sampled_from(string.ascii_lowercase), st.text(KEY, max_size=8))
tenants = st.builds("{}{}@{}{}".format, st.sampled_from(HEX), st.text(KEY, max_size=8), keys, st.just(""))
values = st.builds(str.__add__, st.text(VALUE, max_size=12), st.sampled_from(VALUE.strip()))
states = st.dictionaries(keys | tenants, values, max_size=12).map(
    lambda entries: ",".join(f"{key}={value}" for key, value in entries.items())
)
contexts = st.builds(TraceContext, ids, span_ids, st.integers(0, 3), states)
texts = st.text(HEX + "-xX=, \t\x00\r\nü", max_size=70)
hostile = st.one_of(
    texts,
    st.binary(max_size=70).map(lambda data: data.decode("utf-8", "surrogateescape")),
    st.builds(lambda at, text: GOOD[:at] + text + GOOD[at:], st.integers(0, 55), texts),
    st.builds(lambda at, more: GOOD[:at] + GOOD[at + more :], st.integers(0, 55), st.integers(0, 5)),
)


def read(parent: str, *states: str) -> TraceContext | None:
    """Read one `traceparent` with its `tracestate` headers."""
    return read_context([parent], states)


@given(contexts)
def test_written_trace_context_is_read_back_unchanged(context: TraceContext) -> None:
    headers = headers_of(context, ())

    assert read(headers["traceparent"], *filter(None, [headers.get("tracestate")])) == context
    assert headers.keys() <= {"traceparent", "tracestate"}


@given(st.lists(hostile, max_size=2) | st.just([GOOD]), st.lists(hostile | states, max_size=3))
def test_any_input_is_refused_or_sent_on_by_the_grammar(parents: list[str], states: list[str]) -> None:
    """Any input is refused, or its headers follow the grammar, so that no header can be injected."""
    context = read_context(parents, states)
    if context is None:
        return
    headers = headers_of(context, ())

    assert SENT_PARENT.fullmatch(headers["traceparent"])
    assert context.trace_id in parents[0]
    if "tracestate" in headers:
        assert SENT_STATE.fullmatch(headers["tracestate"])
        assert read_context([headers["traceparent"]], [headers["tracestate"]]) == context


@given(ids, span_ids, st.integers(0, 255))
def test_flags_without_a_meaning_are_not_sent_on(trace_id: str, span_id: str, flags: int) -> None:
    """Flags other than sampled and random are sent as zero."""
    context = read(f"00-{trace_id}-{span_id}-{flags:02x}")

    assert context == TraceContext(trace_id, span_id, flags & 3)


@pytest.mark.parametrize("version", ["01", "cc", "fe"])
@pytest.mark.parametrize("more", ["", "-", "-what-the-future-will-be-like"])
def test_later_version_is_read_by_the_known_fields(version: str, more: str) -> None:
    """A later version is read by its known fields, and sent on in the known version."""
    context = read(f"{version}-{TRACE}-{SPAN}-01{more}")

    assert context == TraceContext(TRACE, SPAN, 1)
    assert context is not None
    assert headers_of(context, ())["traceparent"] == GOOD


@pytest.mark.parametrize(
    "parent",
    [
        f"ff-{TRACE}-{SPAN}-01",
        f"ff-{TRACE}-{SPAN}-01-more",
        f"00-{TRACE}-{SPAN}-01-",
        f"00-{TRACE}-{SPAN}-01-more",
        f"cc-{TRACE}-{SPAN}-01.more",
        f"cc-{TRACE}-{SPAN}-011",
        f"00-{TRACE}-{SPAN}-01.",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{TRACE}-{SPAN.upper()}-01",
        f"00-{TRACE}-{SPAN}-0A",
        f"00-{TRACE[1:]}-{SPAN}-01",
        f"00-{TRACE}0-{SPAN}-01",
        f"00-{TRACE}-{SPAN[1:]}-01",
        f"00-{TRACE}-{SPAN}0-01",
        f"00-{TRACE}-{SPAN}-1",
        f"00-{TRACE}-{SPAN}-001",
        f"0-{TRACE}-{SPAN}-01",
        f"000-{TRACE}-{SPAN}-01",
        f".0-{TRACE}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}",
        f"00-{TRACE}-{SPAN}-01\n",
        f"00-{TRACE}-{SPAN}-01, 00-{TRACE}-{SPAN}-01",
        f"00_{TRACE}-{SPAN}-01",
        f"\u0660\u0660-{TRACE}-{SPAN}-01",
        "",
    ],
)
def test_context_that_breaks_a_rule_is_refused(parent: str) -> None:
    """A context that breaks a rule is refused. Each case comes from W3C's test suite or from its grammar."""
    assert read(parent, "a=1") is None


@pytest.mark.parametrize("parents", [[], [GOOD, GOOD], [GOOD, ""]])
def test_state_without_exactly_one_parent_is_ignored(parents: list[str]) -> None:
    """A state without exactly one parent is ignored. Two parents count as none."""
    assert read_context(parents, ["a=1"]) is None


@pytest.mark.parametrize("parent", [f" {GOOD}", f"\t {GOOD} \t"])
def test_white_space_around_a_parent_is_ignored(parent: str) -> None:
    """White space around a parent is ignored, as in any header's value."""
    assert read(parent) == TraceContext(TRACE, SPAN, 1)


@pytest.mark.parametrize(
    ("states", "kept"),
    [
        (["foo=1,bar=2"], "foo=1,bar=2"),
        (["foo=1", "rojo=1,congo=2", "baz=3"], "foo=1,rojo=1,congo=2,baz=3"),
        (["foo=1", ""], "foo=1"),
        (["", "foo=1"], "foo=1"),
        (["foo=1 \t , \t bar=2, \t baz=3"], "foo=1,bar=2,baz=3"),
        (["foo= 1"], "foo= 1"),
        (["0a@v=1"], "0a@v=1"),
        ([f"{KEY}@v={VALUE}"], f"{KEY}@v={VALUE}"),
        ([f"{KEY}={VALUE} "], f"{KEY}={VALUE}"),
        ([], ""),
        ([""], ""),
        ([" , ,"], ""),
        (["foo=1,foo=2"], ""),
        (["foo=1", "foo=1"], ""),
        (["foo=1,FOO=1"], ""),
        (["foo =1"], ""),
        (["foo.bar=1"], ""),
        (["0foo=1"], ""),
        (["foo@=1,bar=2"], ""),
        (["@foo=1,bar=2"], ""),
        (["foo@@bar=1,bar=2"], ""),
        (["foo=1,bar"], ""),
        (["foo=1,bar="], ""),
        (["foo=bar=baz"], ""),
        (["foo=ü"], ""),
        (["foo=\x7f"], ""),
        ([f"a{'b' * 256}=1"], ""),
        ([f"foo={'x' * 257}"], ""),
    ],
)
def test_state_with_a_faulty_entry_is_dropped(states: list[str], kept: str) -> None:
    """A state with a faulty entry is dropped, and the parent is kept."""
    context = read(GOOD, *states)

    assert context is not None
    assert (context.trace_id, context.span_id) == (TRACE, SPAN)
    assert context.state == kept


def test_state_has_at_most_32_entries() -> None:
    """A state has at most 32 entries. A longer state is dropped."""
    entries = [f"a{at}=1" for at in range(33)]
    whole, more = read(GOOD, ",".join(entries[:32])), read(GOOD, *entries)

    assert whole is not None
    assert whole.state == ",".join(entries[:32])
    assert more is not None
    assert more.state == ""


def test_long_state_is_shortened_by_whole_entries() -> None:
    """A long state loses whole entries: first those of more than 128 characters, then the last ones."""
    long, short = f"long={'x' * 200}", [f"k{at}={'y' * 40}" for at in range(12)]
    fits = read(GOOD, ",".join([long, *short[:6]]))
    too_many = read(GOOD, ",".join([short[0], long, *short[1:]]))

    assert fits is not None
    assert fits.state == ",".join([long, *short[:6]])
    assert too_many is not None
    assert too_many.state == ",".join(short[:11])
    assert 450 < len(too_many.state) <= 512


@pytest.mark.parametrize("own", ["traceparent", "TraceParent", "tracestate"])
def test_configured_trace_headers_replace_the_proxys(own: str) -> None:
    """Configured trace headers replace the proxy's. The trace is never mixed from both."""
    assert headers_of(TraceContext(TRACE, SPAN), [own, "x-team"]) == {}
    assert headers_of(TraceContext(TRACE, SPAN), ["x-team"]).keys() == {"traceparent"}


def test_ids_are_made_of_the_given_random_text() -> None:
    """Ids are made of the given random text. A trace that begins here is not sampled."""
    digits = "ab" * 32

    assert new_context(lambda: digits) == TraceContext("ab" * 16, "ab" * 8, 0)
    assert new_span_id(lambda: digits) == "ab" * 8
