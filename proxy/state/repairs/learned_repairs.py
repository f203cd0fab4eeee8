"""Holds the evidence for repairs of every deployment, and finds the repairs that a request gets in advance.

A deployment stands under its identity, so that a reload, a restart and other replicas find its evidence. A store that
outlives the process gets a copy of the evidence (:mod:`proxy.state.sharing.shared_repairs`).
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from proxy.core.deployment import Deployment
from proxy.core.tenant_lru import TenantLru
from proxy.state.deployment_identity import identity_of
from proxy.state.repairs.evidence import Evidence
from proxy.state.repairs.repair_key import LearnedRepair, RepairKey
from proxy.state.repairs.repair_table import EMPTY, EventKind, RepairEvent, RepairTable, Standing

_VIEW_S = 10.0
"""Seconds after which a client's view of a table is computed anew, since counts decay."""

_ANSWER_S = 60.0
"""Seconds after which a probe without an outcome counts as lost, and the next request is a probe."""

_CAPACITY = 4_096
"""The most views, and the most counts of requests, that are kept."""

_MAX_TABLES = 4_096
"""The most deployments whose evidence is kept. A wildcard's clients may name any number of models."""


Adopt: TypeAlias = Callable[[str, RepairTable], None]
"""Takes the table that all processes share for the deployment with an identity."""


class RepairSharing(Protocol):
    """Shares evidence with other processes. No method waits."""

    def attach(self, adopt: Adopt) -> None:
        """Call *adopt* with each table that the store changes."""

    def follow(self, identity: str) -> None:
        """Read the table of the deployment with *identity* from the store from now on."""

    def publish(self, identity: str, event: RepairEvent) -> None:
        """Write *event* to the store soon."""


class RepairReport(Protocol):
    """Is told when a repair becomes learned for a client's requests, and when it is learned no longer."""

    def __call__(self, label: str, repair: LearnedRepair, *, learned: bool, tenant: str) -> None:
        """Take the *repair* of the deployment with the configured name *label*."""


@dataclass(slots=True)
class _Sent:
    """The requests with a repair since the last probe."""

    since: float
    requests: int = 0
    retry_at: float | None = None
    """The time from which the last probe counts as lost, None where no probe is on its way or was unclear."""


class _View(NamedTuple):
    """One client's view of a table: the repairs with enough evidence, and those of single conversations."""

    table: RepairTable
    until: float
    learned: Mapping[RepairKey, Standing]
    of_conversations: tuple[RepairKey, ...]


class ListedRepair(NamedTuple):
    """One client's evidence for one repair of one deployment, for the operator."""

    id: str
    label: str
    client: str
    key: RepairKey
    evidence: Evidence
    standing: Standing

    @property
    def is_learned(self) -> bool:
        """True where the repair is made in advance for the client's requests."""
        return self.standing.is_learned(self.key)


class LearnedRepairs:
    """The evidence for repairs, by deployment and client. ``tenant`` is the name of the client's key, "" without keys.

    *clock* returns the Unix time in seconds. *sharing* is None where no store outlives the process.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        sharing: RepairSharing | None = None,
        report: RepairReport | None = None,
    ) -> None:
        self._clock = clock
        self._sharing = sharing
        self._report = report
        self._tables: OrderedDict[str, RepairTable] = OrderedDict()
        self._labels: dict[str, str] = {}
        self._views: TenantLru[str, _View] = TenantLru(_CAPACITY)
        self._sent: TenantLru[tuple[str, RepairKey], _Sent] = TenantLru(_CAPACITY)
        if sharing is not None:
            sharing.attach(self.adopt)
        self.may_have_some = sharing is not None
        """False where no deployment has any evidence. A request then needs no look-up."""

    def follow(self, deployments: Iterable[Deployment]) -> None:
        """Read what other processes have learned of *deployments*, without waiting for it."""
        if self._sharing is not None:
            for deployment in deployments:
                self._labels.setdefault(identity_of(deployment), deployment.label)
                self._sharing.follow(identity_of(deployment))

    def needs_conversation(self, deployment: Deployment, tenant: str) -> bool:
        """Return True where :meth:`find` needs the conversation's digest, which takes time for a long history."""
        identity = identity_of(deployment)
        table = self._tables.get(identity)
        return table is not None and bool(self._view(identity, table, tenant, self._clock()).of_conversations)

    def find(self, deployment: Deployment, tenant: str, conversation: str = "") -> tuple[LearnedRepair, ...]:
        """Return the repairs that a request of *tenant* to *deployment* gets in advance, if it needs them.

        *conversation* is the digest of the request's conversation, empty where it is not known.
        """
        identity = identity_of(deployment)
        if self._sharing is not None:
            self._sharing.follow(identity)
        table = self._tables.get(identity)
        if table is None:
            return ()
        self._labels[identity] = deployment.label
        now = self._clock()
        view = self._view(identity, table, tenant, now)
        found = [self._repair(identity, tenant, key, standing, now) for key, standing in view.learned.items()]
        if view.of_conversations:
            client = client_of(tenant)
            for key in view.of_conversations:
                own = table.evidence(client, key)
                if own is not None and own.confirmed_by(conversation, now):
                    standing = table.standing(client, key, now)
                    found.append(self._repair(identity, tenant, key, standing, now, of_conversation=True))
        return tuple(found)

    def note_sent(
        self, deployment: Deployment, tenant: str, made: Iterable[RepairKey], probed: RepairKey | None
    ) -> None:
        """Record a request that is sent with the repairs *made* in advance, and without the *probed* one."""
        identity, now = identity_of(deployment), self._clock()
        for key in made:
            self._count_of(identity, tenant, key, now).requests += 1
        if probed is not None:
            self._sent.put(tenant, (identity, probed), _Sent(now, retry_at=now + _ANSWER_S))

    def confirm(
        self, deployment: Deployment, tenant: str, keys: Iterable[RepairKey], conversation: str
    ) -> None:
        """Record that *keys* were needed: refused, repaired, accepted."""
        for key in keys:
            self._add(deployment, tenant, EventKind.CONFIRMED, key, conversation)

    def confirm_probe(self, deployment: Deployment, tenant: str, key: RepairKey) -> None:
        """Record that a request without the repair was refused for its fault."""
        self._add(deployment, tenant, EventKind.PROBE_CONFIRMED, key)

    def contradict(self, deployment: Deployment, tenant: str, key: RepairKey) -> None:
        """Record that a request was accepted without the repair, or refused for its fault in spite of it."""
        self._add(deployment, tenant, EventKind.CONTRADICTED, key)

    def note_unclear(self, deployment: Deployment, tenant: str, key: RepairKey) -> None:
        """Record that a probe told nothing, so that a next request probes again."""
        identity = identity_of(deployment)
        self._count_of(identity, tenant, key, self._clock()).retry_at = self._clock()

    def adopt(self, identity: str, table: RepairTable) -> None:
        """Replace the table of the deployment with *identity* by the one that all processes share.

        Another machine may have written a time in the future. Such a time counts as now.
        """
        if table.entries or identity in self._tables:
            self._keep(identity, table.not_after(self._clock()))

    def forget(self, id_: str) -> bool:
        """Forget the evidence of all clients for the repair with *id_*. Return False where there is none."""
        for identity, table in list(self._tables.items()):
            for key in list(table.repairs()):
                if key.id_at(identity) == id_:
                    event = RepairEvent(EventKind.FORGOTTEN, "", key, self._clock())
                    self._put(identity, event)
                    return True
        return False

    def count_learned(self) -> Mapping[tuple[str, str], int]:
        """Return the number of repairs that some client gets in advance, by configured model name and fault."""
        counts: dict[tuple[str, str], int] = {}
        seen: set[str] = set()
        for listed in self.list_evidence(()):
            place = listed.label, listed.key.fault
            counts.setdefault(place, 0)
            if listed.is_learned and listed.id not in seen:
                seen.add(listed.id)
                counts[place] += 1
        return counts

    def list_evidence(self, tenants: Iterable[str]) -> Iterator[ListedRepair]:
        """Yield the evidence for every repair. A client that is none of *tenants* stands under its digest."""
        now, names = self._clock(), {client_of(tenant): tenant for tenant in tenants}
        for identity, table in list(
            self._tables.items()
        ):  # a thread may render metrics while the loop adds tables
            for place, evidence, standing in table.standings_of_all(now):
                yield ListedRepair(
                    place.key.id_at(identity),
                    self._labels.get(identity, ""),
                    names.get(place.client, place.client),
                    place.key,
                    evidence,
                    standing,
                )

    def _add(
        self, deployment: Deployment, tenant: str, kind: EventKind, key: RepairKey, conversation: str = ""
    ) -> None:
        identity = identity_of(deployment)
        self._labels[identity] = deployment.label
        self._put(identity, RepairEvent(kind, client_of(tenant), key, self._clock(), conversation))
        self._sent.put(tenant, (identity, key), _Sent(self._clock()))
        self._view(identity, self._tables[identity], tenant, self._clock())

    def _put(self, identity: str, event: RepairEvent) -> None:
        self._keep(identity, self._tables.get(identity, EMPTY).add(event))
        if self._sharing is not None:
            self._sharing.publish(identity, event)

    def _keep(self, identity: str, table: RepairTable) -> None:
        """Keep *table*, and drop the table that was not changed for longest if there are too many."""
        self._tables[identity] = table
        self._tables.move_to_end(identity)
        self.may_have_some = True
        if len(self._tables) > _MAX_TABLES:
            dropped, _ = self._tables.popitem(last=False)
            self._labels.pop(dropped, None)

    def _view(self, identity: str, table: RepairTable, tenant: str, now: float) -> _View:
        """Return the tenant's view of *table*, and report what has changed in it."""
        old = self._views.use(tenant, identity)
        if old is not None and old.table is table and now < old.until:
            return old
        client = client_of(tenant)
        standings = table.standings(client, now)
        learned = {key: standing for key, standing in standings.items() if standing.is_learned(key)}
        others = tuple(
            key
            for key in standings
            if key not in learned and (own := table.evidence(client, key)) is not None and own.conversations
        )
        view = _View(table, now + _VIEW_S, learned, others)
        self._views.put(tenant, identity, view)
        before = {} if old is None else old.learned
        for key in learned.keys() - before.keys():
            self._tell(identity, tenant, self._repair(identity, tenant, key, learned[key], now), learned=True)
        for key in before.keys() - learned.keys():
            standing = standings.get(key) or Standing(0.0, 0.0, 0.0, now)
            repair = LearnedRepair(
                key,
                standing.confidence,
                standing.confirmed,
                standing.contradicted,
                standing.since,
                False,
                False,
            )
            self._tell(identity, tenant, repair, learned=False)
        return view

    def _tell(self, identity: str, tenant: str, repair: LearnedRepair, *, learned: bool) -> None:
        if self._report is not None:
            self._report(self._labels.get(identity, ""), repair, learned=learned, tenant=tenant)

    def _repair(
        self,
        identity: str,
        tenant: str,
        key: RepairKey,
        standing: Standing,
        now: float,
        *,
        of_conversation: bool = False,
    ) -> LearnedRepair:
        table = self._tables[identity]
        own = table.evidence(client_of(tenant), key) or Evidence()
        sent = self._count_of(identity, tenant, key, own.probed_at or table.probed_at(key, now))
        if own.probed_at > sent.since:
            sent.since, sent.requests, sent.retry_at = own.probed_at, 0, None
        if sent.retry_at is not None:
            is_due = now >= sent.retry_at
        else:
            is_due = own.is_probe_due(sent.requests, since=sent.since, now=now)
        return LearnedRepair(
            key,
            standing.confidence,
            standing.confirmed,
            standing.contradicted,
            standing.since,
            of_conversation,
            is_due,
        )

    def _count_of(self, identity: str, tenant: str, key: RepairKey, since: float) -> _Sent:
        """Return the requests since the last probe. Counting begins with the time *since*, where nothing is counted."""
        sent = self._sent.use(tenant, (identity, key))
        if sent is None:
            sent = _Sent(since)
            self._sent.put(tenant, (identity, key), sent)
        return sent


def client_of(tenant: str) -> str:
    """Return the digest under which the evidence of *tenant* stands, "" for the tenant ""."""
    return hashlib.blake2b(tenant.encode(), digest_size=8).hexdigest() if tenant else ""
