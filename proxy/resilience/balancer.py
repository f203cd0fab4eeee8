"""Chooses the deployment of a pool for a request, and keeps each deployment's state. Callers pass the time.

The rules, in order:

    ready    a deployment that this request has not tried, and whose circuit takes requests
    tried    a deployment that this request has failed on, and whose circuit takes requests
    first    with all circuits open, the deployment whose circuit closes first
    order    among these, the deployment with the lowest order, those without one last
    weight   where some of these have a weight, one of them, so that their shares of the calls are as their weights
    least    among equals, the deployment with the fewest calls in flight, then the file's order

Shares are kept as a fair queue keeps them (start-time fair queueing; Goyal, Vin and Cheng, 1996). A deployment's place
is its virtual time in the queue. Each call adds the inverse of the weight to the place, and the lowest place is next. A
deployment that got no calls for a while begins at its pool's place. Otherwise it would get all the calls that it has
missed.

No request is refused because of this state. If a pool of one deployment in cooldown were refused, the proxy itself
would cause an outage. Only a request can show that a pool works again. The retry budget limits the load that these
requests add to an outage.

The state belongs to one entry of ``model_list`` and one model. A wildcard stands for many models, and a missing model
does not affect the others (litellm#36896: 404s cooled whole pools). Clients choose a wildcard's models, so only the
newest thousand are kept. The state of models that the configuration names is always kept. The retry budget belongs to
the entry. Otherwise a client that tries many model names would get a new budget with each name.

The state also belongs to a tenant: the name of the client's key, or "" without keys. So one client's requests alone
cannot make a deployment look bad to others (:mod:`proxy.resilience.circuit`). One client's requests also cannot use up
others' retries, or evict others' state.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING

from proxy.core.tenant_lru import Entry, TenantLru
from proxy.resilience.circuit import State
from proxy.resilience.deployment_health import Attempt, DeploymentHealth
from proxy.resilience.retry_budget import SharedRetryBudget

if TYPE_CHECKING:
    from proxy.core.deployment import Deployment, Key
    from proxy.resilience.account_cooldown import CooldownSharing

MAX_WILDCARD_MODELS = 1_000


class Balancer:
    """The state of all deployments of one configuration. A *cooldown_s* of 0 switches the circuits off.

    A new configuration gets a new balancer (:meth:`carry`), since positions in ``model_list`` may have changed. Calls
    in flight end on the old balancer. In all methods, *tried* holds the positions of deployments that the request has
    failed on. *tenant* is the name of the client's key.

    *sharing* shares cooldowns that providers ask for with other replicas. Without it, each process is alone.
    """

    def __init__(self, cooldown_s: float, sharing: CooldownSharing | None = None) -> None:
        self._cooldown_s = cooldown_s
        self._sharing = sharing
        self._named: dict[Key, DeploymentHealth] = {}
        self._wild: dict[Key, DeploymentHealth] = {}
        self._wild_circuits: TenantLru[Key, None] = TenantLru(MAX_WILDCARD_MODELS)
        self._budgets: dict[int, SharedRetryBudget] = {}
        self._places: dict[int, float] = {}
        self._pool_places: dict[tuple[str, int | None], float] = {}

    def carry(self, moved: Mapping[int, int], cooldown_s: float) -> Balancer:
        """Return the balancer of a new configuration, with the state of the entries that are in both.

        *moved* maps the old positions of these entries to the new ones. Both balancers share these entries' circuits
        and counts. So the result of a call that began before the change still counts for its deployment.
        """
        balancer = Balancer(cooldown_s, self._sharing)
        balancer._named.update(_move(self._named, moved))
        balancer._wild.update(_move(self._wild, moved))
        for tenant, (position, model), _ in self._wild_circuits.entries():
            if position in moved:
                balancer._wild_circuits.put(tenant, (moved[position], model), None)
        balancer._budgets.update((moved[old], kept) for old, kept in self._budgets.items() if old in moved)
        balancer._places.update((moved[old], place) for old, place in self._places.items() if old in moved)
        balancer._pool_places.update(self._pool_places)
        for remembered in (balancer._named, balancer._wild):
            for health in remembered.values():
                health.change_cooldown(cooldown_s)
        return balancer

    def follow_cooldowns(self, deployments: Iterable[Deployment]) -> None:
        """Let cooldowns of other replicas reach *deployments*, even before this process has used them.

        The models of wildcards are not known before they are used, so wildcards are passed over. Without sharing, this
        method does nothing.
        """
        if self._sharing is not None:
            for deployment in deployments:
                if not _is_wild(deployment):
                    self._remembered(deployment, "")

    def choose(
        self, deployments: Sequence[Deployment], now: float, tried: Container[int] = (), tenant: str = ""
    ) -> Deployment:
        """Return the deployment of a pool for the next request. Among equals the first one of the pool is chosen.

        The module's docstring has the rules. This method changes nothing. The caller must call :meth:`acquire` before
        another request chooses.

        Raises:
            ValueError: the pool is empty.
        """
        if len(deployments) == 1:
            return deployments[0]
        return min(deployments, key=lambda deployment: self._rank(deployment, now, tried, tenant))

    def another_ready(
        self, deployments: Sequence[Deployment], now: float, tried: Container[int], tenant: str = ""
    ) -> bool:
        """Return True where a deployment outside *tried* takes requests now."""
        return any(
            member.position not in tried and self._allows(member, now, tenant) for member in deployments
        )

    def budget_left(
        self, deployments: Sequence[Deployment], now: float, tried: Container[int] = (), tenant: str = ""
    ) -> bool:
        """Return True where the deployment that would be chosen now may get one more retry."""
        budget = self._budgets.get(self.choose(deployments, now, tried, tenant).position)
        return budget is None or budget.allows(now, tenant)

    def count_retry(
        self, deployments: Sequence[Deployment], now: float, tried: Container[int] = (), tenant: str = ""
    ) -> None:
        """Count a retry on the deployment that would be chosen now.

        The retry is counted when it is decided, not after the wait. Otherwise many requests that fail together would
        each find the budget unused, and would multiply the load of an outage.
        """
        self._budget(self.choose(deployments, now, tried, tenant)).count_retry(now, tenant)

    def acquire(
        self, deployment: Deployment, now: float, *, retry: bool = False, tenant: str = ""
    ) -> Attempt:
        """Return the attempt on *deployment* that begins now: ``with balancer.acquire(...) as attempt``.

        *retry* is true for a retry on the same model, which :meth:`count_retry` has counted. A first attempt is
        counted here.
        """
        if not retry:
            self._budget(deployment).count_request(now, tenant)
        if deployment.weight:
            place = self._place(deployment)
            self._pool_places[deployment.label, deployment.order] = place
            self._places[deployment.position] = place + 1.0 / deployment.weight
        return Attempt(self._named.get(deployment.key) or self._remembered(deployment, tenant), tenant, now)

    def state(self, deployment: Deployment, now: float, tenant: str = "") -> State:
        """Return the state of a deployment's circuit."""
        health = self._find(deployment)
        return State.CLOSED if health is None else health.peek_circuit(tenant).state(now)

    def in_flight(self, deployment: Deployment) -> int:
        """Return the number of calls in flight."""
        health = self._find(deployment)
        return 0 if health is None else health.in_flight

    def states(self, now: float) -> Mapping[tuple[str, int], State]:
        """Return the states of the used deployments, by label and position.

        A wildcard has the worst state of its models. With several tenants, the state of the circuit's shared part is
        returned.
        """
        worst: dict[tuple[str, int], State] = {}
        for remembered in (self._named, self._wild):
            for (position, _), health in remembered.items():
                place = health.label, position
                worst[place] = max(worst.get(place, State.CLOSED), health.state(now))
        return worst

    def _budget(self, deployment: Deployment) -> SharedRetryBudget:
        budget = self._budgets.get(deployment.position)
        if budget is None:
            budget = self._budgets[deployment.position] = SharedRetryBudget()
        return budget

    def _rank(
        self, deployment: Deployment, now: float, tried: Container[int], tenant: str
    ) -> tuple[int, float, float, float, int]:
        health = self._find(deployment)
        order = inf if deployment.order is None else deployment.order
        place = self._place(deployment) if deployment.weight else inf
        if health is None:
            return int(deployment.position in tried), 0.0, order, place, 0
        circuit = health.peek_circuit(tenant)
        if not circuit.allows(now):
            return 2, circuit.due, order, place, health.in_flight
        return int(deployment.position in tried), 0.0, order, place, health.in_flight

    def _place(self, deployment: Deployment) -> float:
        """Return the place of a deployment with a weight: its own, or its pool's where the pool's place is higher."""
        pool = self._pool_places.get((deployment.label, deployment.order), 0.0)
        return max(self._places.get(deployment.position, 0.0), pool)

    def _allows(self, deployment: Deployment, now: float, tenant: str) -> bool:
        health = self._find(deployment)
        return health is None or health.peek_circuit(tenant).allows(now)

    def _find(self, deployment: Deployment) -> DeploymentHealth | None:
        key = deployment.key
        return self._wild.get(key) if _is_wild(deployment) else self._named.get(key)

    def _remembered(self, deployment: Deployment, tenant: str) -> DeploymentHealth:
        key, wild = deployment.key, _is_wild(deployment)
        remembered = self._wild if wild else self._named
        health = remembered.get(key)
        if health is None:
            account = None if self._sharing is None else self._sharing.account_of(deployment)
            health = remembered[key] = DeploymentHealth(deployment.label, self._cooldown_s, account)
        if wild:
            health.circuit_of(tenant)
            self._forget_wild(self._wild_circuits.put(tenant, key, None))
        return health

    def _forget_wild(self, gone: Entry[Key, None] | None) -> None:
        health = None if gone is None else self._wild.get(gone.key)
        if gone is not None and health is not None and health.forget(gone.tenant):
            del self._wild[gone.key]  # attempts in flight keep their reference, and end on it


def _move(
    remembered: Mapping[Key, DeploymentHealth], moved: Mapping[int, int]
) -> Iterator[tuple[Key, DeploymentHealth]]:
    for (position, model), health in remembered.items():
        if position in moved:
            yield (moved[position], model), health


def _is_wild(deployment: Deployment) -> bool:
    return deployment.name.endswith("*")
