"""The exchanges of cooldowns, lessons, refusals and repairs with other processes through one store."""

from __future__ import annotations

from proxy.state import Store
from proxy.state.sharing.replica_sync import SyncSource
from proxy.state.sharing.shared_cooldowns import SharedCooldowns
from proxy.state.sharing.shared_lessons import PERIOD_S, SharedLessons
from proxy.state.sharing.shared_refusals import SharedRefusals
from proxy.state.sharing.shared_repairs import PERIOD_S as REPAIRS_S
from proxy.state.sharing.shared_repairs import SharedRepairs

_IDLE_S = 60.0
"""Seconds between two polls of the refusals. A refusal that begins to wait wakes the exchange at once."""


class Sharing:
    """The exchanges through *store*: cooldowns and probes, lessons, refused requests, repairs."""

    def __init__(self, store: Store) -> None:
        self.cooldowns = SharedCooldowns(store)
        self.lessons = SharedLessons(store)
        self.refusals = SharedRefusals(store)
        self.repairs = SharedRepairs(store)

    def sources(self) -> tuple[SyncSource, ...]:
        """Return the sources that :class:`proxy.state.sharing.replica_sync.ReplicaSync` calls."""
        return (
            *self.cooldowns.sources(),
            SyncSource("lessons", self.lessons.poll, PERIOD_S, self.lessons.wanted),
            SyncSource("refusals", self.refusals.poll, _IDLE_S, self.refusals.wanted),
            SyncSource("repairs", self.repairs.poll, REPAIRS_S, self.repairs.wanted),
        )

    async def close(self) -> None:
        """Let go the leases of this process's probes, so that other replicas may probe."""
        await self.cooldowns.close()
