"""The protocol of an attempt planner: it makes one request ready for whichever deployment is asked.

:mod:`proxy.forwarding.attempts` decides when a call is made again, and where. A planner knows what is sent. Chats have
one (:mod:`proxy.forwarding.chat.plan_attempts`), and so have texts and embeddings
(:mod:`proxy.forwarding.text.plan_attempts`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from proxy.core.deployment import Deployment
from proxy.core.errors import AnswerUnusable, ProxyError
from proxy.core.upstream_call import Timeouts
from proxy.forwarding.fallback_chain import FallbackChain
from proxy.observability.request_record import AttemptTrace, Planned
from proxy.resilience.failure_table import Kind, Row
from proxy.resilience.read_error import ProviderError
from sanitizers import Change

PlanT = TypeVar("PlanT", bound=Planned)
CallT_co = TypeVar("CallT_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Failure(Generic[PlanT]):
    """One attempt that failed, or that could not be made."""

    error: ProxyError
    row: Row
    said: ProviderError
    deployment: Deployment
    plan: PlanT | None
    """None where the request could not be planned for the deployment."""

    of_asked_model: bool
    counted: bool
    """Whether a call was made."""

    may_repeat: bool = True
    """Whether the client has got nothing of an answer yet."""

    answer_changes: tuple[Change, ...] = ()
    """What was changed in the answer that failed."""

    @property
    def is_answer(self) -> bool:
        """Whether there is an answer all the same, to be delivered if no better one comes."""
        return self.may_repeat and isinstance(self.error, AnswerUnusable) and self.error.answer is not None


class AttemptPlanner(Protocol[PlanT, CallT_co]):
    """Plans the attempts of one request."""

    @property
    def chain(self) -> FallbackChain:
        """Where the request may go."""

    @property
    def not_blamed(self) -> frozenset[Kind]:
        """The kinds of failure that say nothing about a deployment: they are about the request's path."""

    @property
    def noted(self) -> bool:
        """Whether what is sent holds what the client did not say."""

    async def plan(self, deployment: Deployment, deadline: float) -> PlanT:
        """Return the plan for *deployment*; raises :class:`proxy.core.errors.InvalidRequest` where there is none."""

    def values_of(self, plan: PlanT) -> tuple[Any, ...]:
        """Return all that goes out with *plan* and that a client may have written."""

    def call_of(self, plan: PlanT, timeouts: Timeouts, trace: AttemptTrace | None = None) -> CallT_co:
        """Return the call that *plan* is, with its part in a *trace*."""

    async def repair(self, failure: Failure[PlanT]) -> PlanT | None:
        """Return the plan for the same deployment, changed by what the provider said; None where nothing is to change.

        Asked at most once for each failure. What the failure teaches is learned here.
        """

    def use_repair(self, failure: Failure[PlanT], repaired: PlanT) -> None:
        """Send *repaired* to the deployment of *failure* next."""

    def note_retry(self, failure: Failure[PlanT]) -> None:
        """Make ready what another attempt at the same model needs."""

    def begin_fallback(self) -> None:
        """Forget what was made ready for the model that failed: another one is asked next."""

    async def note_answered(self) -> None:
        """Note that an attempt was answered."""
