"""Replicas that share lessons through one store, on a clock that the test turns."""

from __future__ import annotations

from dataclasses import dataclass, field

from proxy.core.deployment import Deployment
from proxy.resilience.read_overflow import Overflow
from proxy.state import Store
from proxy.state.learn_overflow import Refused
from proxy.state.learned_windows import LearnedWindows
from proxy.state.lessons import Counted
from proxy.state.sharing.shared_lessons import SharedLessons
from tests.proxy.state.flaky_memory import FlakyMemory

PERIOD_S = 5.0


@dataclass
class Clock:
    """The time of one store and its replicas."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


class Replica:
    """One process: its lessons, and their sharing through *store*."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.clock = clock
        self.shared = SharedLessons(store)
        self.learned_windows = LearnedWindows(self.shared)

    async def poll(self) -> None:
        """Poll as the background loop does: once, and again while a poll is wanted."""
        await self.shared.poll(self.clock.now)
        for _ in range(20):
            if not self.shared.wanted.is_set():
                return
            await self.shared.poll(self.clock.now)
        raise AssertionError("a poll is wanted without end")

    def answer(
        self, deployment: Deployment, actual: int, tenant: str = "a", *, estimated: int = 10_000
    ) -> None:
        """Serve a request whose prompt has *actual* tokens by the provider's count."""
        self.plan(deployment, tenant)
        counted = Counted(estimated, actual, media=False)
        self.learned_windows.observe(deployment, counted, self.clock.now, tenant)

    def overflow(
        self, deployment: Deployment, said: Overflow, tenant: str = "a", *, estimated: int = 20_000
    ) -> None:
        """Serve a request that is refused for its length."""
        refused = Refused(estimated, None, None, media=False)
        self.learned_windows.learn(deployment, said, refused, self.clock.now, tenant)

    def plan(self, deployment: Deployment, tenant: str = "a") -> float:
        """Plan a request, and return the factor by which its cut is planned."""
        lessons = self.learned_windows.lessons_for_plan(deployment, self.clock.now, tenant)
        return lessons.calibration.sticky

    def window(self, deployment: Deployment, tenant: str = "a") -> int | None:
        """Return the learned window by which a request is planned."""
        learned = self.learned_windows.lessons_for_plan(deployment, self.clock.now, tenant).learned
        return None if learned is None else learned.window


@dataclass
class Fleet:
    """Replicas with one store and one clock."""

    clock: Clock = field(default_factory=Clock)
    replicas: list[Replica] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store = FlakyMemory(self.clock)

    def add(self) -> Replica:
        """Start a replica."""
        replica = Replica(self.store, self.clock)
        self.replicas.append(replica)
        return replica

    async def pass_time(self, seconds: float) -> None:
        """Let *seconds* pass. Each replica polls every five seconds, in the order of their start."""
        end = self.clock.now + seconds
        while self.clock.now < end:
            self.clock.now = min(self.clock.now + PERIOD_S, end)
            for replica in self.replicas:
                await replica.poll()
