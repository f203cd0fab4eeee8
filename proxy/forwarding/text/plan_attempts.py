"""Plans the attempts of one request for embeddings or a text completion.

Texts are not sanitized, and errors are not repaired.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from proxy.config import Settings
from proxy.config.allowed_models import AllowedModels
from proxy.core.deployment import Deployment
from proxy.core.offload import run_offloaded
from proxy.core.text_request import TextRequest
from proxy.core.upstream_call import TextCall, Timeouts
from proxy.core.usage_so_far import UsageReports
from proxy.forwarding.attempt_planner import Failure
from proxy.forwarding.fallback_chain import FallbackChain
from proxy.forwarding.limits.plan_size import PlanSize, text_size
from proxy.forwarding.text.plans import MakePlan, TextPlan, able_to_embed
from proxy.observability.request_record import AttemptTrace
from proxy.planning.prices import find_prices
from proxy.resilience.failure_table import Kind


class TextAttemptPlanner:
    """Plans the attempts of *request* with *make_plan* (:class:`proxy.forwarding.attempt_planner.AttemptPlanner`).

    A provider may refuse a model for embeddings or text completions alone. Such a failure does not count against the
    deployment. OpenAI answers 403 to embeddings of a chat model (ragflow#1835), and 404 to its text completions
    (go-openai#126). The deployment continues to serve chats.
    *allowed* are the models of the client's key, None for all.
    """

    not_blamed = frozenset({Kind.MODEL_GONE, Kind.NOT_ALLOWED_HERE})
    noted = False
    answer_teaches = False

    def __init__(
        self,
        request: TextRequest,
        make_plan: MakePlan,
        settings: Settings,
        allowed: AllowedModels | None = None,
    ) -> None:
        source = request.source
        self.chain = FallbackChain(
            request.model,
            settings,
            None if source is None or not source.needs else partial(able_to_embed, source),
            allowed,
        )
        self.asks_usage = False
        """True where the limits of the client's key count tokens or money, even if the client asks for no usage."""

        self._request = request
        self._make_plan = make_plan
        self._mode = settings.sanitize.mode

    async def plan(self, deployment: Deployment, now: float, deadline: float) -> TextPlan:
        """Return the plan for *deployment*, made in a worker thread for a large request."""
        make = partial(self._make_plan, self._request, deployment, self._mode)
        return await run_offloaded(self._request.weight, make)

    def values_of(self, plan: TextPlan) -> tuple[Any, ...]:
        """Return every value in *plan* that is sent and that a client may have written."""
        own = () if plan.source is None else (plan.source.fields,)
        return plan.parameters, plan.extra_body, *own

    def instructions_of(self, plan: TextPlan) -> None:
        """Return None: texts get no instructions."""

    def words_for_client(self, plan: TextPlan, words: str) -> str:
        """Return *words* as they are: a text is sent as it came."""
        return words

    def size_of(self, plan: TextPlan) -> PlanSize:
        """Return the size of *plan*."""
        return text_size(plan.parameters, plan.request.weight)

    def call_of(self, plan: TextPlan, timeouts: Timeouts, trace: AttemptTrace | None = None) -> TextCall:
        """Return the upstream call of *plan*."""
        return TextCall(
            deployment=plan.deployment,
            parameters=plan.parameters,
            timeouts=timeouts,
            ask_usage=plan.request.include_usage
            or self.asks_usage
            or find_prices(plan.deployment) is not None,
            extra_body=plan.extra_body,
            trace=trace,
            weight=plan.request.weight,
            source=plan.source,
            reports=UsageReports(),
        )

    async def repair(self, failure: Failure[TextPlan]) -> None:
        """Return None: nothing is repaired."""

    def use_repair(self, failure: Failure[TextPlan], repaired: TextPlan) -> None:
        """Do nothing: there are no repairs."""

    def note_retry(self, failure: Failure[TextPlan]) -> None:
        """Do nothing: the next attempt is equal to the last one."""

    def begin_fallback(self) -> None:
        """Do nothing: a plan holds nothing of another model."""

    async def note_answered(self, plan: TextPlan) -> None:
        """Do nothing: there are no repairs."""
