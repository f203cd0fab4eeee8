"""Answers requests that a provider has refused as invalid twice, without sending them again.

Callers pass the current time. Some clients retry a 400 forever (livekit, pipecat). An agent with one bad turn in its
history sends that turn with every run. An invalid request stays invalid. So the proxy repeats the provider's own error,
at once and without cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

from proxy.core.tenant_lru import TenantLru

if TYPE_CHECKING:
    from proxy.core.deployment import Key

_ENOUGH = 2
_REFUSED_S = 60.0
_REMEMBERED_S = 600.0
MAX_BODIES = 1_000

Digest: TypeAlias = Callable[[], bytes]
"""Returns a body's digest, which no other body may share. It is called only when needed, since a body may be large."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A provider's refusal as its client saw it: the status, and the message with keys masked."""

    status: int
    message: str


class RefusalSharing(Protocol):
    """Shares refusals with other processes. No method waits.

    *identity* names the deployment for all processes (:mod:`proxy.state.deployment_identity`).
    """

    def look_up(self, tenant: str, identity: str, digest: bytes, found: Callable[[Refusal], None]) -> None:
        """Call *found* later, if another process has published a refusal of the body."""

    def publish(self, tenant: str, identity: str, digest: bytes, refusal: Refusal) -> None:
        """Publish that the deployment has refused the body twice."""

    def withdraw(self, tenant: str, identity: str, digest: bytes) -> None:
        """Withdraw what was published, since the deployment has answered the body."""


@dataclass(slots=True)
class _Entry:
    refusal: Refusal
    times: int
    last: float
    identity: str = ""

    def confirm(self, refusal: Refusal) -> None:
        """Count the *refusal* that another process got twice.

        It holds for the minute that this process's own refusal began.
        """
        self.refusal, self.times = refusal, max(self.times, _ENOUGH)


class RefusedRequests:
    """The request bodies that each deployment has refused as invalid.

    After two refusals of the same body by the same deployment, the proxy itself answers for 60 seconds. After that,
    requests with the body are sent again. A new refusal begins another minute. A successful answer removes the body. A
    body is forgotten ten minutes after its last refusal. Beyond a thousand stored bodies, an old one is dropped.

    The bodies of each tenant (a client's key) are separate. The same body of another tenant is sent. A tenant with many
    refused bodies does not push out another tenant's bodies. No digest is computed for a tenant without refused bodies.

    With *sharing*, a body that another process got refused twice needs one refusal here. *sharing* is None where no
    store outlives the process.
    """

    def __init__(self, sharing: RefusalSharing | None = None) -> None:
        self._sharing = sharing
        self._entries: TenantLru[tuple[Key, bytes], _Entry] = TenantLru(MAX_BODIES)
        self._bodies: dict[tuple[str, Key], int] = {}

    def carry(self, moved: Mapping[int, int]) -> RefusedRequests:
        """Return the refused bodies for a new configuration: those of entries that both configurations hold.

        *moved* maps the entries' old positions to new ones.
        """
        guard = RefusedRequests(self._sharing)
        for tenant, ((position, model), body), entry in self._entries.entries():
            if position in moved:
                carried = replace(entry)
                guard._remember(tenant, ((moved[position], model), body), carried)
                guard._look_up(tenant, body, carried)
        return guard

    def has_refusals(self, deployment: Key, now: float, tenant: str = "") -> bool:
        """Return True where a body of *tenant* that *deployment* has refused is stored.

        Otherwise no digest is needed.
        """
        if not self._bodies:
            return False
        self._forget_old(tenant, now)
        return (tenant, deployment) in self._bodies

    def find_refusal(self, deployment: Key, digest: Digest, now: float, tenant: str = "") -> Refusal | None:
        """Return the refusal that answers for *deployment* now. None means that the request is to be sent."""
        if not self.has_refusals(deployment, now, tenant):
            return None
        entry = self._entries.find(tenant, (deployment, digest()))
        if entry is None or entry.times < _ENOUGH or now >= entry.last + _REFUSED_S:
            return None
        return entry.refusal

    def refused(
        self,
        deployment: Key,
        digest: Digest,
        refusal: Refusal,
        now: float,
        tenant: str = "",
        *,
        identity: str = "",
    ) -> None:
        """Store that *deployment* has refused a body as invalid. *identity* is its name for all processes."""
        self._forget_old(tenant, now)
        key = deployment, digest()
        entry = self._entries.use(tenant, key)
        if entry is None:
            entry = _Entry(refusal, 0, now)
            self._remember(tenant, key, entry)
        entry.refusal, entry.times, entry.last = refusal, entry.times + 1, now
        entry.identity = identity
        if self._sharing is None or not identity:
            return
        if entry.times >= _ENOUGH:
            self._sharing.publish(tenant, identity, key[1], refusal)
        else:
            self._look_up(tenant, key[1], entry)

    def answered(self, deployment: Key, digest: Digest, now: float, tenant: str = "") -> None:
        """Forget a body that *deployment* has answered."""
        if self.has_refusals(deployment, now, tenant):
            key = deployment, digest()
            entry = self._entries.find(tenant, key)
            if entry is not None:
                self._forget(tenant, key)
                if self._sharing is not None and entry.identity:
                    self._sharing.withdraw(tenant, entry.identity, key[1])

    def _look_up(self, tenant: str, body: bytes, entry: _Entry) -> None:
        if self._sharing is not None and entry.identity and entry.times < _ENOUGH:
            self._sharing.look_up(tenant, entry.identity, body, entry.confirm)

    def _remember(self, tenant: str, key: tuple[Key, bytes], entry: _Entry) -> None:
        place = tenant, key[0]
        self._bodies[place] = self._bodies.get(place, 0) + 1
        gone = self._entries.put(tenant, key, entry)
        if gone is not None:
            self._decrement(gone.tenant, gone.key[0])

    def _forget_old(self, tenant: str, now: float) -> None:
        while (oldest := self._entries.oldest(tenant)) is not None and now >= oldest[1].last + _REMEMBERED_S:
            self._forget(tenant, oldest[0])

    def _forget(self, tenant: str, key: tuple[Key, bytes]) -> None:
        self._entries.remove(tenant, key)
        self._decrement(tenant, key[0])

    def _decrement(self, tenant: str, deployment: Key) -> None:
        self._bodies[tenant, deployment] -= 1
        if not self._bodies[tenant, deployment]:
            del self._bodies[tenant, deployment]
