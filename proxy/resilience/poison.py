"""Requests that a provider has called invalid twice are not sent to it a third time. Pure: the clock is an argument.

Some clients retry a 400 for ever (livekit, pipecat), and an agent whose history holds one bad turn sends it with
every run. An invalid request stays invalid, so we answer it in the provider's own words, at once and for nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from proxy.config.deployments import Key

_ENOUGH = 2
_REFUSED_S = 60.0
_REMEMBERED_S = 600.0
MOST_BODIES = 1_000

Digest: TypeAlias = Callable[[], bytes]
"""Computes a body's digest, which no other may share; called only when it matters, since a body may be large."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A provider's refusal as its client saw it: the status, and the message with the keys masked."""

    status: int
    message: str


@dataclass(slots=True)
class _Entry:
    refusal: Refusal
    times: int
    last: float


class PoisonGuard:
    """Bodies that a deployment has refused as invalid.

    Two refusals of the very same body by the very same deployment, and for 60 seconds after the last one we answer
    for it. Then one goes through; if it is refused again, the minute begins anew, and an answer ends the matter. A
    body is forgotten ten minutes after it was last refused, and when a thousand others were since.
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[tuple[Key, bytes], _Entry] = OrderedDict()
        self._bodies: dict[Key, int] = {}

    def carry(self, moved: Mapping[int, int]) -> PoisonGuard:
        """Return the guard of a new configuration, with the bodies that entries which are in both have refused.

        *moved* are their positions, old to new.
        """
        guard = PoisonGuard()
        for ((position, model), body), entry in self._entries.items():
            if position in moved:
                key = moved[position], model
                guard._entries[key, body] = replace(entry)
                guard._bodies[key] = guard._bodies.get(key, 0) + 1
        return guard

    def may_matter(self, deployment: Key, now: float) -> bool:
        """Tell whether anything is remembered of *deployment*; if not, there is no need to digest a body."""
        if not self._entries:
            return False
        self._forget_old(now)
        return deployment in self._bodies

    def find_refusal(self, deployment: Key, digest: Digest, now: float) -> Refusal | None:
        """Return the refusal that answers for *deployment* now, or None: then it is to be asked."""
        if not self.may_matter(deployment, now):
            return None
        entry = self._entries.get((deployment, digest()))
        if entry is None or entry.times < _ENOUGH or now >= entry.last + _REFUSED_S:
            return None
        return entry.refusal

    def refused(self, deployment: Key, digest: Digest, refusal: Refusal, now: float) -> None:
        """Remember that *deployment* has refused a body as invalid."""
        self._forget_old(now)
        key = deployment, digest()
        entry = self._entries.get(key)
        if entry is None:
            self._bodies[deployment] = self._bodies.get(deployment, 0) + 1
            entry = self._entries[key] = _Entry(refusal, 0, now)
        entry.refusal, entry.times, entry.last = refusal, entry.times + 1, now
        self._entries.move_to_end(key)
        if len(self._entries) > MOST_BODIES:
            self._forget(next(iter(self._entries)))

    def answered(self, deployment: Key, digest: Digest, now: float) -> None:
        """Forget a body that *deployment* has answered after all."""
        if self.may_matter(deployment, now) and (key := (deployment, digest())) in self._entries:
            self._forget(key)

    def _forget_old(self, now: float) -> None:
        while self._entries:
            key, entry = next(iter(self._entries.items()))
            if now < entry.last + _REMEMBERED_S:
                return
            self._forget(key)

    def _forget(self, key: tuple[Key, bytes]) -> None:
        del self._entries[key]
        deployment = key[0]
        self._bodies[deployment] -= 1
        if not self._bodies[deployment]:
            del self._bodies[deployment]
