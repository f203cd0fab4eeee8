"""The protocol of an attempt planner, which prepares one request for each deployment that is tried.

:mod:`proxy.forwarding.attempts` decides when and to which deployment a call is made. A planner decides what is sent.
:mod:`proxy.forwarding.chat.plan_attempts` plans chats. :mod:`proxy.forwarding.text.plan_attempts` plans text
completions and embeddings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from proxy.core.deployment import Deployment
from proxy.core.errors import AnswerUnusable, ProxyError
from proxy.core.instructions import Instructions
from proxy.core.upstream_call import Timeouts
from proxy.forwarding.fallback_chain import FallbackChain
from proxy.forwarding.limits.plan_size import PlanSize
from proxy.observability.request_record import AttemptTrace, Planned
from proxy.resilience.failure_table import Kind, Row
from proxy.resilience.read_error import ProviderError
from sanitizers import Change

PlanT = TypeVar("PlanT", bound=Planned)
CallT_co = TypeVar("CallT_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Failure(Generic[PlanT]):
    """An attempt that failed, or an attempt that could not be made."""

    error: ProxyError
    row: Row
    said: ProviderError
    deployment: Deployment
    plan: PlanT | None
    """None where the request could not be planned for the deployment."""

    of_asked_model: bool
    counted: bool
    """True where a call was made."""

    may_repeat: bool = True
    """True while the client has no part of an answer."""

    answer_changes: tuple[Change, ...] = ()
    """The changes made to the answer that failed."""

    @property
    def is_answer(self) -> bool:
        """True where the failure holds an answer, which is delivered if no better one comes."""
        return self.may_repeat and isinstance(self.error, AnswerUnusable) and self.error.answer is not None


class AttemptPlanner(Protocol[PlanT, CallT_co]):
    """Plans the attempts of one request."""

    @property
    def chain(self) -> FallbackChain:
        """The pools and fallbacks that the request may still use."""

    @property
    def not_blamed(self) -> frozenset[Kind]:
        """The kinds of failure that concern only the request's endpoint (say, embeddings), not the deployment."""

    @property
    def noted(self) -> bool:
        """True where a note to the model was added, or where the turn guard ends the turn.

        Providers' refusals are then not stored, since the refused body is not the client's.
        """

    @property
    def answer_teaches(self) -> bool:
        """True where an answer would prove what a repair assumed, or that a learned repair is needed no longer."""

    async def plan(self, deployment: Deployment, now: float, deadline: float) -> PlanT:
        """Return the plan for *deployment*, which was chosen at *now*.

        The plan must be made before *deadline*. *now* and *deadline* are times of the event loop's clock.

        Raises :class:`proxy.core.errors.InvalidRequest` if the request cannot be planned for *deployment*.
        """

    def values_of(self, plan: PlanT) -> tuple[Any, ...]:
        """Return every value in *plan* that is sent and that a client may have written."""

    def instructions_of(self, plan: PlanT) -> Instructions | None:
        """Return the operator's instructions in *plan*, which no error may repeat, or None without any."""

    def words_for_client(self, plan: PlanT, words: str) -> str:
        """Return *words*, the provider's error for *plan*, with the places of the client's own request."""

    def size_of(self, plan: PlanT) -> PlanSize:
        """Return the size of *plan*. Nothing is counted yet."""

    def call_of(self, plan: PlanT, timeouts: Timeouts, trace: AttemptTrace | None = None) -> CallT_co:
        """Return the upstream call of *plan*.

        *trace* is the attempt's part of the request's trace, or None without tracing.
        """

    async def repair(self, failure: Failure[PlanT]) -> PlanT | None:
        """Return a plan for the same deployment, changed to avoid the error, or None if no change helps.

        After a context overflow, a chat's planner also learns the size of the model's window. Called at most once for
        each failure.
        """

    def use_repair(self, failure: Failure[PlanT], repaired: PlanT) -> None:
        """Have the next attempt send *repaired* to the deployment of *failure*."""

    def note_retry(self, failure: Failure[PlanT]) -> None:
        """Prepare another attempt at the same model."""

    def begin_fallback(self) -> None:
        """Forget what was prepared for the failed model. The next attempt is made at another model."""

    async def note_answered(self, plan: PlanT) -> None:
        """Record the answer to *plan*, which proves something. Called only where :attr:`answer_teaches` is True."""
