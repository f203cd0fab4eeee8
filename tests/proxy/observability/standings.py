"""The rest of a key's limits, for tests."""

from __future__ import annotations

from proxy.state.limits.claims import Standing

BOTH = Standing(60, 59, 1.0, 200_000, 198_976, 0.3072)
"""A key with limits of requests and of tokens."""
