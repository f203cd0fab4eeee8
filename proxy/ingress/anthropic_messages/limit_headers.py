"""The headers that tell a client of the Messages API what is left of its limits.

The names are Anthropic's (platform.claude.com, rate limits, 2026-11). A reset is the moment at which the whole limit is
there again, as RFC 3339 writes it. These headers stand beside those of every format.
"""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime

from proxy.state.limits.claims import Standing


def write_limits(standing: Standing) -> dict[str, str]:
    """Return the headers of a key with *standing*: three for each kind of limit that the key has."""
    now = time.time()  # noqa: TID251 - the headers name moments of the wall clock
    headers = {}
    if standing.limit_requests is not None:
        headers["anthropic-ratelimit-requests-limit"] = str(standing.limit_requests)
        headers["anthropic-ratelimit-requests-remaining"] = str(max(0, standing.remaining_requests or 0))
        headers["anthropic-ratelimit-requests-reset"] = _moment(now, standing.reset_requests_s)
    if standing.limit_tokens is not None:
        headers["anthropic-ratelimit-tokens-limit"] = str(standing.limit_tokens)
        headers["anthropic-ratelimit-tokens-remaining"] = str(max(0, standing.remaining_tokens or 0))
        headers["anthropic-ratelimit-tokens-reset"] = _moment(now, standing.reset_tokens_s)
    return headers


def _moment(now: float, seconds: float | None) -> str:
    """Return the moment that is *seconds* after *now*, rounded up to the second."""
    return datetime.fromtimestamp(math.ceil(now + (seconds or 0.0)), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
