"""A ledger in memory that several limiters share, and that a test makes unreachable."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from proxy.state.limits.claims import Claims, Settlement, Verdict
from proxy.state.limits.memory_ledger import MemoryLedger


class SharedLedger(MemoryLedger):
    """Buckets and places that all users of :attr:`is_up` share. Each limiter has a ledger over its own book."""

    is_shared = True

    def __init__(self, *arguments: Any, shared: MemoryLedger | None = None, replicas: int = 3) -> None:
        super().__init__(*arguments)
        self.is_up = True
        self.replicas = replicas
        self.asked: list[Claims] = []
        self.settled: list[Settlement] = []
        if shared is not None:
            self.tats, self._places = shared.tats, shared._places

    @override
    async def admit(self, claims: Claims) -> Verdict | None:  # type: ignore[override]
        """Decide where the ledger is up."""
        self.asked.append(claims)
        return self.decide(claims) if self.is_up else None

    @override
    def settle(self, settlement: Settlement) -> None:
        """Settle where the ledger is up."""
        self.settled.append(settlement)
        if self.is_up:
            super().settle(settlement)
