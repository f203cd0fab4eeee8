"""The rest of a key's limits, for tests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Standing:
    """Implements :class:`proxy.observability.limit_facts.Standing`."""

    limit_requests: int | None = None
    remaining_requests: int | None = None
    reset_requests_s: float | None = None
    limit_tokens: int | None = None
    remaining_tokens: int | None = None
    reset_tokens_s: float | None = None


BOTH = Standing(60, 59, 1.0, 200_000, 198_976, 0.3072)
