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
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from proxy.resilience.circuit import Circuit, State
from proxy.resilience.failure_table import Blame
from proxy.resilience.retry_budget import RetryBudget

if TYPE_CHECKING:
    from proxy.config.deployments import Deployment, Key

MOST_WILDCARD_MODELS = 1_000


class _Standing:
    """What is remembered of one deployment."""

    __slots__ = ("circuit", "in_flight", "label")

    def __init__(self, label: str, cooldown_s: float) -> None:
        self.label = label
        self.circuit = Circuit(cooldown_s)
        self.in_flight = 0


class Attempt:
    """One call to a deployment, from :meth:`Balancer.acquire`: a context manager that lets go however it ends.

    It says once what the call came to. A call that says nothing (its client left, or the failure was the request's
    own) counts neither for nor against the deployment.
    """

    __slots__ = ("_released", "_standing", "_ticket")

    def __init__(self, standing: _Standing, now: float) -> None:
        self._standing = standing
        self._ticket = standing.circuit.enter(now)
        self._released = False
        standing.in_flight += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    @property
    def is_probe(self) -> bool:
        """Whether it is the one call that a half-open circuit waits for."""
        return self._standing.circuit.is_probe(self._ticket)

    def answering(self) -> None:
        """Say that the answer has begun: the deployment takes requests again while this one is still streamed."""
        self._standing.circuit.answering(self._ticket)

    def succeeded(self, now: float) -> None:
        """Say that the answer came to its end."""
        self._standing.circuit.succeed(self._ticket, now)

    def failed(self, blame: Blame, asked_s: float | None, now: float) -> None:
        """Say that it failed, and what that means for the deployment; *asked_s* is the delay the provider named."""
        circuit = self._standing.circuit
        match blame:
            case Blame.STRIKE:
                circuit.strike(self._ticket, now)
            case Blame.COOL:
                circuit.cool(self._ticket, asked_s, now)
            case Blame.PARK:
                circuit.park(self._ticket, asked_s, now)
            case Blame.NONE:
                circuit.leave(self._ticket)

    def release(self) -> None:
        """Let go of the deployment; a second time is harmless."""
        if not self._released:
            self._released = True
            standing = self._standing
            standing.in_flight -= 1
            standing.circuit.leave(self._ticket)


class Balancer:
    """What is remembered of all deployments of one configuration; *cooldown_s* of 0 switches the circuits off.

    A new configuration gets a new one (:meth:`carry`), since positions mean something else in it; calls that are under
    way end on the old one. ``tried`` are the positions that a request has failed on.
    """

    def __init__(self, cooldown_s: float) -> None:
        self._cooldown_s = cooldown_s
        self._named: dict[Key, _Standing] = {}
        self._wild: OrderedDict[Key, _Standing] = OrderedDict()
        self._budgets: dict[int, RetryBudget] = {}

    def carry(self, moved: Mapping[int, int], cooldown_s: float) -> Balancer:
        """Return the balancer of a new configuration, with what is remembered of the entries that are in both.

        *moved* are their positions, old to new. Both balancers hold the same circuits and counts for them: what becomes
        of a call that began before says as much of its deployment as any.
        """
        balancer = Balancer(cooldown_s)
        balancer._named.update(_move(self._named, moved))
        balancer._wild.update(_move(self._wild, moved))
        balancer._budgets.update((moved[old], kept) for old, kept in self._budgets.items() if old in moved)
        for remembered in (balancer._named, balancer._wild):
            for standing in remembered.values():
                standing.circuit.change_cooldown(cooldown_s)
        return balancer

    def choose(self, deployments: Sequence[Deployment], now: float, tried: Container[int] = ()) -> Deployment:
        """Return the one of a pool, given in the file's order, that is asked next; see the module for the rules.

        Changes nothing; :meth:`acquire` has to follow before anyone else chooses.

        Raises:
            ValueError: the pool is empty.
        """
        if len(deployments) == 1:
            return deployments[0]
        return min(deployments, key=lambda deployment: self._rank(deployment, now, tried))

    def another_ready(self, deployments: Sequence[Deployment], now: float, tried: Container[int]) -> bool:
        """Tell whether one that is not among *tried* takes requests now."""
        return any(member.position not in tried and self._takes(member, now) for member in deployments)

    def budget_left(self, deployments: Sequence[Deployment], now: float, tried: Container[int] = ()) -> bool:
        """Tell whether the one that would be chosen now may get one more retry."""
        budget = self._budgets.get(self.choose(deployments, now, tried).position)
        return budget is None or budget.allows(now)

    def count_retry(self, deployments: Sequence[Deployment], now: float, tried: Container[int] = ()) -> None:
        """Count a retry on the one that would be chosen now.

        It is counted when it is decided on, not when its wait is over: of many requests that fail at a time, each
        would find the budget untouched, and an outage be multiplied after all.
        """
        self._budget(self.choose(deployments, now, tried)).count_retry(now)

    def acquire(self, deployment: Deployment, now: float, *, retry: bool = False) -> Attempt:
        """Return the attempt on *deployment* that begins now: ``with balancer.acquire(...) as attempt``.

        *retry* tells a further attempt of the same request, which :meth:`count_retry` has counted, from its first on
        this model, which is counted here.
        """
        if not retry:
            self._budget(deployment).count_request(now)
        return Attempt(self._named.get(deployment.key) or self._remembered(deployment), now)

    def state(self, deployment: Deployment, now: float) -> State:
        """Return the state of a deployment's circuit."""
        standing = self._find(deployment)
        return State.CLOSED if standing is None else standing.circuit.state(now)

    def in_flight(self, deployment: Deployment) -> int:
        """Return how many calls are under way."""
        standing = self._find(deployment)
        return 0 if standing is None else standing.in_flight

    def states(self, now: float) -> Mapping[tuple[str, int], State]:
        """Return the states of those that were asked, by label and position; of a wildcard's models the worst."""
        worst: dict[tuple[str, int], State] = {}
        for remembered in (self._named, self._wild):
            for (position, _), standing in remembered.items():
                place = standing.label, position
                worst[place] = max(worst.get(place, State.CLOSED), standing.circuit.state(now))
        return worst

    def _budget(self, deployment: Deployment) -> RetryBudget:
        budget = self._budgets.get(deployment.position)
        if budget is None:
            budget = self._budgets[deployment.position] = RetryBudget()
        return budget

    def _rank(self, deployment: Deployment, now: float, tried: Container[int]) -> tuple[int, float, int]:
        standing = self._find(deployment)
        if standing is not None and not standing.circuit.takes(now):
            return 2, standing.circuit.due, standing.in_flight
        return int(deployment.position in tried), 0.0, 0 if standing is None else standing.in_flight

    def _takes(self, deployment: Deployment, now: float) -> bool:
        standing = self._find(deployment)
        return standing is None or standing.circuit.takes(now)

    def _find(self, deployment: Deployment) -> _Standing | None:
        key = deployment.key
        return self._wild.get(key) if _is_wild(deployment) else self._named.get(key)

    def _remembered(self, deployment: Deployment) -> _Standing:
        key, wild = deployment.key, _is_wild(deployment)
        remembered = self._wild if wild else self._named
        standing = remembered.get(key)
        if standing is None:
            standing = remembered[key] = _Standing(deployment.label, self._cooldown_s)
        if not wild:
            return standing
        self._wild.move_to_end(key)
        if len(self._wild) > MOST_WILDCARD_MODELS:
            self._wild.popitem(last=False)  # its attempts hold on to it, and end on it
        return standing


def _move(remembered: Mapping[Key, _Standing], moved: Mapping[int, int]) -> Iterator[tuple[Key, _Standing]]:
    for (position, model), standing in remembered.items():
        if position in moved:
            yield (moved[position], model), standing


def _is_wild(deployment: Deployment) -> bool:
    return deployment.name.endswith("*")
