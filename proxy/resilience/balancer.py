"""Which deployment of a pool a request goes to, and what is remembered of each. Pure: the clock is an argument.

The rules:

    ready first     one whose circuit takes requests, and that this request has not tried yet
    then tried      one whose circuit takes requests, though this request has failed on it
    then the first  all are to be left alone: the one whose time is over first
    least busy      among equals the one with the fewest calls in flight; the file's order on ties

A request is never refused for what is remembered here: a pool of one that is cooled down is an outage of our own
making, and a pool that is down is found to be up again only by asking. What keeps that from multiplying an outage is
the budget of retries.

What is remembered belongs to an entry and a model: a wildcard stands for many models, and one that does not exist
says nothing about its siblings (litellm#36896: 404s cooled whole pools). A wildcard's models are the clients' words,
so only the thousand that were asked last are remembered; those of the file always are. The budget of retries belongs
to the entry, lest a client that goes through names gets a new one with each.

What is remembered belongs to a tenant, too: the name of the client's key, or nothing where none is asked for. So no
client can make a deployment look bad to others by what it writes (:mod:`proxy.resilience.circuit`), use up their
retries, or push out what is remembered for them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from proxy.core.tenant_lru import Entry, TenantLru
from proxy.resilience.circuit import State
from proxy.resilience.retry_budget import SharedRetryBudget
from proxy.resilience.standing import Attempt, Standing

if TYPE_CHECKING:
    from proxy.core.deployment import Deployment, Key

MOST_WILDCARD_MODELS = 1_000


class Balancer:
    """What is remembered of all deployments of one configuration; *cooldown_s* of 0 switches the circuits off.

    A new configuration gets a new one (:meth:`carry`), since positions mean something else in it; calls that are under
    way end on the old one. ``tried`` are the positions that a request has failed on, ``tenant`` is who asks.
    """

    def __init__(self, cooldown_s: float) -> None:
        self._cooldown_s = cooldown_s
        self._named: dict[Key, Standing] = {}
        self._wild: dict[Key, Standing] = {}
        self._wild_circuits: TenantLru[Key, None] = TenantLru(MOST_WILDCARD_MODELS)
        self._budgets: dict[int, SharedRetryBudget] = {}

    def carry(self, moved: Mapping[int, int], cooldown_s: float) -> Balancer:
        """Return the balancer of a new configuration, with what is remembered of the entries that are in both.

        *moved* are their positions, old to new. Both balancers hold the same circuits and counts for them: what becomes
        of a call that began before says as much of its deployment as any.
        """
        balancer = Balancer(cooldown_s)
        balancer._named.update(_move(self._named, moved))
        balancer._wild.update(_move(self._wild, moved))
        for tenant, (position, model), _ in self._wild_circuits.entries():
            if position in moved:
                balancer._wild_circuits.put(tenant, (moved[position], model), None)
        balancer._budgets.update((moved[old], kept) for old, kept in self._budgets.items() if old in moved)
        for remembered in (balancer._named, balancer._wild):
            for standing in remembered.values():
                standing.change_cooldown(cooldown_s)
        return balancer

    def choose(
        self, deployments: Sequence[Deployment], now: float, tried: Container[int] = (), tenant: str = ""
    ) -> Deployment:
        """Return the one of a pool, given in the file's order, that is asked next; see the module for the rules.

        Changes nothing; :meth:`acquire` has to follow before anyone else chooses.

        Raises:
            ValueError: the pool is empty.
        """
        if len(deployments) == 1:
            return deployments[0]
        return min(deployments, key=lambda deployment: self._rank(deployment, now, tried, tenant))

    def another_ready(
        self, deployments: Sequence[Deployment], now: float, tried: Container[int], tenant: str = ""
    ) -> bool:
        """Tell whether one that is not among *tried* takes requests now."""
        return any(
            member.position not in tried and self._takes(member, now, tenant) for member in deployments
        )

    def budget_left(
        self, deployments: Sequence[Deployment], now: float, tried: Container[int] = (), tenant: str = ""
    ) -> bool:
        """Tell whether the one that would be chosen now may get one more retry."""
        budget = self._budgets.get(self.choose(deployments, now, tried, tenant).position)
        return budget is None or budget.allows(now, tenant)

    def count_retry(
        self, deployments: Sequence[Deployment], now: float, tried: Container[int] = (), tenant: str = ""
    ) -> None:
        """Count a retry on the one that would be chosen now.

        It is counted when it is decided on, not when its wait is over: of many requests that fail at a time, each
        would find the budget untouched, and an outage be multiplied after all.
        """
        self._budget(self.choose(deployments, now, tried, tenant)).count_retry(now, tenant)

    def acquire(
        self, deployment: Deployment, now: float, *, retry: bool = False, tenant: str = ""
    ) -> Attempt:
        """Return the attempt on *deployment* that begins now: ``with balancer.acquire(...) as attempt``.

        *retry* tells a further attempt of the same request, which :meth:`count_retry` has counted, from its first on
        this model, which is counted here.
        """
        if not retry:
            self._budget(deployment).count_request(now, tenant)
        return Attempt(self._named.get(deployment.key) or self._remembered(deployment, tenant), tenant, now)

    def state(self, deployment: Deployment, now: float, tenant: str = "") -> State:
        """Return the state of a deployment's circuit."""
        standing = self._find(deployment)
        return State.CLOSED if standing is None else standing.peek_circuit(tenant).state(now)

    def in_flight(self, deployment: Deployment) -> int:
        """Return how many calls are under way."""
        standing = self._find(deployment)
        return 0 if standing is None else standing.in_flight

    def states(self, now: float) -> Mapping[tuple[str, int], State]:
        """Return the states of those that were asked, by label and position.

        Of a wildcard's models the worst counts. Of several tenants none counts alone: it is the state for all of them.
        """
        worst: dict[tuple[str, int], State] = {}
        for remembered in (self._named, self._wild):
            for (position, _), standing in remembered.items():
                place = standing.label, position
                worst[place] = max(worst.get(place, State.CLOSED), standing.state(now))
        return worst

    def _budget(self, deployment: Deployment) -> SharedRetryBudget:
        budget = self._budgets.get(deployment.position)
        if budget is None:
            budget = self._budgets[deployment.position] = SharedRetryBudget()
        return budget

    def _rank(
        self, deployment: Deployment, now: float, tried: Container[int], tenant: str
    ) -> tuple[int, float, int]:
        standing = self._find(deployment)
        if standing is None:
            return int(deployment.position in tried), 0.0, 0
        circuit = standing.peek_circuit(tenant)
        if not circuit.takes(now):
            return 2, circuit.due, standing.in_flight
        return int(deployment.position in tried), 0.0, standing.in_flight

    def _takes(self, deployment: Deployment, now: float, tenant: str) -> bool:
        standing = self._find(deployment)
        return standing is None or standing.peek_circuit(tenant).takes(now)

    def _find(self, deployment: Deployment) -> Standing | None:
        key = deployment.key
        return self._wild.get(key) if _is_wild(deployment) else self._named.get(key)

    def _remembered(self, deployment: Deployment, tenant: str) -> Standing:
        key, wild = deployment.key, _is_wild(deployment)
        remembered = self._wild if wild else self._named
        standing = remembered.get(key)
        if standing is None:
            standing = remembered[key] = Standing(deployment.label, self._cooldown_s)
        if wild:
            standing.circuit_of(tenant)
            self._forget_wild(self._wild_circuits.put(tenant, key, None))
        return standing

    def _forget_wild(self, gone: Entry[Key, None] | None) -> None:
        standing = None if gone is None else self._wild.get(gone.key)
        if gone is not None and standing is not None and standing.forget(gone.tenant):
            del self._wild[gone.key]  # its attempts hold on to it, and end on it


def _move(remembered: Mapping[Key, Standing], moved: Mapping[int, int]) -> Iterator[tuple[Key, Standing]]:
    for (position, model), standing in remembered.items():
        if position in moved:
            yield (moved[position], model), standing


def _is_wild(deployment: Deployment) -> bool:
    return deployment.name.endswith("*")
