"""Reads the delay that a provider asks for, from all headers, fields and texts that may hold it.

    retry-after-ms        milliseconds (OpenAI, Azure)
    Retry-After           seconds or an HTTP date (RFC 9110 section 10.2.3)
    RetryInfo.retryDelay  "45s", "45.578s" or {"seconds", "nanos"} (google.rpc.RetryInfo)
    quotaResetDelay       "1h16m0.66s", "539.4ms" (ErrorInfo.metadata of Code Assist)
    "retry in 45.5s", "try again in 6m0s", "in 20 seconds"   in the words (Gemini, OpenAI, Azure)

The longest delay counts. A shorter delay may be rounded, or come from an outer proxy. gemini-cli also takes the
longest. Callers pass the wall-clock time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any

from proxy.resilience.request_words import NO_WORDS, RequestWords

_UNITS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PIECE = re.compile(r"(\d+(?:\.\d+)?)(ms|us|µs|ns|[dhms])")
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|us|µs|ns|[dhms]))+")
_SECONDS = re.compile(r"\d+(?:\.\d+)?")
_IN_WORDS = re.compile(
    r"(?:retry|again)\s+(?:in|after)\s+(?:(?P<duration>(?:\d+(?:\.\d+)?(?:ms|[dhms])\s?)+)\b"
    r"|(?P<count>\d+(?:\.\d+)?)\s*(?P<unit>milliseconds?|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?))",
    re.IGNORECASE,
)
_LONGEST = 366 * 86_400.0
_MAX_MATCHES = 8
"""The most delays that are read from a text. The first delays may be quoted from the request."""


def read_delay(
    headers: Mapping[str, str],
    objects: Iterable[Mapping[str, Any]],
    texts: Iterable[str],
    *,
    now: float,
    request: RequestWords = NO_WORDS,
) -> float | None:
    """Return the requested delay in seconds, or None. *headers* are in lower case, *now* is in Unix seconds.

    A delay in *texts* that *request* holds too is skipped. The next delay in the same text then counts.
    """
    found = [_header_ms(headers.get("retry-after-ms")), _header(headers.get("retry-after"), now)]
    for value in objects:
        found.append(_delay(value.get("retryDelay", value.get("retry_delay"))))
        found.append(_delay(value.get("quotaResetDelay")))
    found += [_in_words(text, request) for text in texts]
    delays = [delay for delay in found if delay is not None and math.isfinite(delay)]
    return min(max(delays), _LONGEST) if delays else None


def read_duration(text: str) -> float | None:
    """Return the seconds of ``1h16m0.66s``, ``45s``, ``539ms`` or a plain number. None for other texts."""
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(count) * _UNITS[unit] for count, unit in _PIECE.findall(text))


def _header_ms(value: str | None) -> float | None:
    seconds = None if value is None else read_duration(value)
    return None if seconds is None else seconds / 1000


def _header(value: str | None, now: float) -> float | None:
    if value is None:
        return None
    seconds = read_duration(value)
    if seconds is not None:
        return seconds
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return max(0.0, (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - now)


def _delay(value: Any) -> float | None:
    if isinstance(value, str):
        return read_duration(value)
    if isinstance(value, Mapping):
        seconds, nanos = value.get("seconds", 0), value.get("nanos", 0)
        try:
            return float(seconds) + float(nanos) / 1e9
        except (TypeError, ValueError, OverflowError):
            return None
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return float(value)
    return None


def _in_words(text: str, request: RequestWords) -> float | None:
    matches = islice(_IN_WORDS.finditer(text[:10_000]), _MAX_MATCHES)
    found = next((match for match in matches if not request.contains(match[0])), None)
    if found is None:
        return None
    if found["duration"]:
        return read_duration(found["duration"].replace(" ", ""))
    unit = found["unit"].lower()
    return float(found["count"]) * (_UNITS["ms"] if unit.startswith("milli") else _UNITS[unit[0]])
