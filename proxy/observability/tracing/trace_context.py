"""W3C trace context: reads the client's headers strictly, and writes those for providers.

The rules are those of the Recommendation (https://www.w3.org/TR/trace-context-1/, sections 3.2 to 3.4). The flag for
random ids comes from the Recommendation's second level. The headers are written from what was parsed, so nothing
unknown is passed on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from sanitizers.record import record

TRACEPARENT = "traceparent"
TRACESTATE = "tracestate"

_SAMPLED_AND_RANDOM = 0x03
"""The flags that have a meaning. Other flags must be sent as zero (section 3.2.2.5)."""

_LONGEST_STATE = 512
"""The most characters of ``tracestate`` that are sent. Each party should pass on at least as many (section 3.3.1.5).

Providers limit the length of headers. So longer values from a client could make requests fail.
"""

_LONG_ENTRY = 128
"""An entry with more characters is long.

Where ``tracestate`` is too long, long entries are removed first (section 3.3.1.5).
"""

_MAX_ENTRIES = 32

# A later version may add fields after the flags. They are ignored (section 3.2.4).
_PARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_KEY = r"[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13}"
_VALUE = r"[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]"
_ENTRY = re.compile(f"(?:{_KEY})=(?:{_VALUE})")


@record
class TraceContext:
    """A position in a trace: the trace's id, and the id of the current span.

    *trace_id* has 32 lower-case hexadecimal digits and *span_id* 16. Neither is all zeros.
    """

    trace_id: str
    span_id: str
    flags: int = 0
    state: str = ""
    """The value of ``tracestate``, checked. Empty where there is none."""


def read_context(parents: Sequence[str], states: Sequence[str]) -> TraceContext | None:
    """Return the context of a request's ``traceparent`` and ``tracestate`` headers, or None without a valid one.

    Only one ``traceparent`` is allowed. A ``tracestate`` that breaks a rule is left out as a whole (section 3.3.1.4).
    Without a valid ``traceparent``, no ``tracestate`` is read.
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
    """Return the beginning of an unrecorded trace. *token* returns at least 48 random hexadecimal digits."""
    digits = token()
    return TraceContext(digits[:32], digits[32:48])


def new_span_id(token: Callable[[], str]) -> str:
    """Return the id of a new span. *token* returns at least 16 random hexadecimal digits."""
    return token()[:16]


def headers_of(context: TraceContext, taken: Iterable[str]) -> dict[str, str]:
    """Return the headers for *context*, or none where *taken* has one of them, in any letter case."""
    if not {TRACEPARENT, TRACESTATE}.isdisjoint(map(str.lower, taken)):
        return {}
    headers = {TRACEPARENT: f"00-{context.trace_id}-{context.span_id}-{context.flags:02x}"}
    if context.state:
        headers[TRACESTATE] = context.state
    return headers


def _read_state(values: Sequence[str]) -> str:
    entries = [entry for entry in (part.strip(" \t") for part in ",".join(values).split(",")) if entry]
    keys = {entry.partition("=")[0] for entry in entries}
    if len(entries) > _MAX_ENTRIES or len(keys) < len(entries) or not all(map(_ENTRY.fullmatch, entries)):
        return ""
    return ",".join(_shortened(entries))


def _shortened(entries: list[str]) -> list[str]:
    """Return *entries* without those beyond the limit. Long entries are removed first, and then those at the end."""
    kept = entries
    if _length(kept) > _LONGEST_STATE:
        kept = [entry for entry in entries if len(entry) <= _LONG_ENTRY]
    while _length(kept) > _LONGEST_STATE:
        kept.pop()
    return kept


def _length(entries: list[str]) -> int:
    return sum(map(len, entries)) + len(entries) - 1
