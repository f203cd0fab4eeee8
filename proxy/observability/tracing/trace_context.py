"""W3C trace context: what a client says of the trace that its request belongs to, read strictly and written anew. Pure.

The rules are those of the Recommendation (https://www.w3.org/TR/trace-context-1/, sections 3.2 to 3.4), and of its
second level for the flag that says that an id is random. What is sent on is written from what was read, so that nothing
gets through that was not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from sanitizers.record import record

TRACEPARENT = "traceparent"
TRACESTATE = "tracestate"

_SAMPLED_AND_RANDOM = 0x03
"""The flags that have a meaning; others must be sent as zero (section 3.2.2.5)."""

_LONGEST_STATE = 512
"""Characters of ``tracestate`` that are sent on: as many as everyone should (section 3.3.1.5). Providers bound what
headers they take, and a client must not be able to make each of its requests fail by them."""

_LONG_ENTRY = 128
"""Characters of an entry above which it is the first to go where there are too many (section 3.3.1.5)."""

_MOST_ENTRIES = 32

# Behind the flags a later version may say more, which is not looked at (section 3.2.4).
_PARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_KEY = r"[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13}"
_VALUE = r"[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]"
_ENTRY = re.compile(f"(?:{_KEY})=(?:{_VALUE})")


@record
class TraceContext:
    """A place in a trace: which trace, and which part of it is at work.

    *trace_id* has 32 lower-case hexadecimal digits and *span_id* 16, neither all of them zero.
    """

    trace_id: str
    span_id: str
    flags: int = 0
    state: str = ""
    """The value of ``tracestate``, checked; empty where there is none."""


def read_context(parents: Sequence[str], states: Sequence[str]) -> TraceContext | None:
    """Return what the ``traceparent`` and ``tracestate`` headers of a request say; None for none that counts.

    There may be one ``traceparent`` only. A ``tracestate`` that breaks a rule is left out, all of it (section 3.3.1.4);
    without a ``traceparent`` it is not even looked at.
    """
    if len(parents) != 1:
        return None
    found = _PARENT.fullmatch(parents[0].strip(" \t"))
    if found is None:
        return None
    version, trace_id, span_id, flags, more = found.groups()
    if version == "ff" or (version == "00" and more is not None):
        return None
    if not trace_id.strip("0") or not span_id.strip("0"):
        return None
    return TraceContext(trace_id, span_id, int(flags, 16) & _SAMPLED_AND_RANDOM, _read_state(states))


def new_context(token: Callable[[], str]) -> TraceContext:
    """Return the beginning of a trace that nobody records; *token* gives at least 48 random hexadecimal digits."""
    digits = token()
    return TraceContext(digits[:32], digits[32:48])


def new_span_id(token: Callable[[], str]) -> str:
    """Return an id for a part of a trace; *token* gives at least 16 random hexadecimal digits."""
    return token()[:16]


def headers_of(context: TraceContext, taken: Iterable[str]) -> dict[str, str]:
    """Return the headers that tell of *context*; none where one of them is *taken*, whatever its spelling."""
    if not {TRACEPARENT, TRACESTATE}.isdisjoint(map(str.lower, taken)):
        return {}
    headers = {TRACEPARENT: f"00-{context.trace_id}-{context.span_id}-{context.flags:02x}"}
    if context.state:
        headers[TRACESTATE] = context.state
    return headers


def _read_state(values: Sequence[str]) -> str:
    entries = [entry for entry in (part.strip(" \t") for part in ",".join(values).split(",")) if entry]
    keys = {entry.partition("=")[0] for entry in entries}
    if len(entries) > _MOST_ENTRIES or len(keys) < len(entries) or not all(map(_ENTRY.fullmatch, entries)):
        return ""
    return ",".join(_shortened(entries))


def _shortened(entries: list[str]) -> list[str]:
    """Return *entries* without those that are too many: the long ones first, then from the end."""
    kept = entries
    if _length(kept) > _LONGEST_STATE:
        kept = [entry for entry in entries if len(entry) <= _LONG_ENTRY]
    while _length(kept) > _LONGEST_STATE:
        kept.pop()
    return kept


def _length(entries: list[str]) -> int:
    return sum(map(len, entries)) + len(entries) - 1
