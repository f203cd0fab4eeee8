"""Learns the usual length of answers, for each client key and model.

A request without a limit of its answer claims this many tokens in advance. The 90th percentile is a compromise. The
longest answer would keep the bucket of a key empty, and the mean would often be too low.
"""

from __future__ import annotations

from collections import deque
from math import ceil

from proxy.core.tenant_lru import TenantLru

FIRST_OUTPUT = 1_024
"""The tokens that are assumed of an answer before :data:`_ENOUGH` answers were seen."""

_ENOUGH = 10
"""The answers after which the learned length is used. The 90th percentile of fewer is their longest."""

_KEPT = 100
"""The newest answers that count. A client that changes its task is followed within as many requests."""

_SHARE = 0.9

_CAPACITY = 4_096
"""The most pairs of a key and a model. A wildcard may stand for any number of models."""


class OutputLengths:
    """The lengths of the newest answers. All gateways of a process share them."""

    def __init__(self) -> None:
        self._seen: TenantLru[str, deque[int]] = TenantLru(_CAPACITY)

    def find_usual(self, key: str, model: str) -> int:
        """Return the 90th percentile of the newest answers of *model* to *key*, at first :data:`FIRST_OUTPUT`."""
        seen = self._seen.use(key, model)
        if seen is None or len(seen) < _ENOUGH:
            return FIRST_OUTPUT
        return sorted(seen)[ceil(_SHARE * len(seen)) - 1]

    def note(self, key: str, model: str, tokens: int) -> None:
        """Add an answer of *tokens* tokens, those of the reasoning included."""
        seen = self._seen.use(key, model)
        if seen is None:
            seen = deque(maxlen=_KEPT)
            self._seen.put(key, model, seen)
        seen.append(tokens)
