"""Counts the tokens of a history that may be long enough for a memory in place of its older messages.

Most requests are far below their limit. For these requests a cheap upper bound is enough, and nothing is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from proxy.core.chat_request import ChatRequest
from proxy.planning.apply_defaults import with_defaults
from proxy.planning.budgets.budget_facts import BudgetFacts
from proxy.planning.budgets.fit_request import FitInput, bounds_of, declared_tools
from proxy.planning.budgets.limits import asked_output, limit_of
from proxy.planning.compact.policies import CompactionPolicy
from sanitizers import Message, Messages, profile_for
from sanitizers.budget import FixedTokens, count_leading_system, marks_for
from sanitizers.budget.calibration import margin
from sanitizers.budget.estimate import Estimator
from sanitizers.budget.ledger import Size
from sanitizers.budget.upper_bound import bound_of_changed
from sanitizers.record import record

_LOOK_UP = 6 / 7
"""Stored summaries are looked up from this share of the trigger on: at 60 % of the limit for a trigger of 70 %.

The trigger is the share of the limit at which a summary is written. Replicas may estimate the same request differently.
While the estimates differ by less than a seventh, each replica still looks up the summaries that another replica wrote.
"""

_FAR_ABOVE = 1.25
"""A first bound above the look-up's mark by more than this factor ends the search for a closer bound.

The closer bound reads all texts. For long texts both bounds differ by only some 7 %. Counting is cheaper, since most of
a conversation's texts were counted with an earlier request.
"""


@record
class MeasuredHistory:
    """A history's tokens: *sizes* by message, and *fixed* for tools, the response format and the instructions.

    *limit* is the most tokens that the operator's budget allows for a prompt. From *trigger* tokens of a request on, a
    summary may be due. *size* returns the tokens of any message.
    """

    sizes: Sequence[int]
    fixed: int
    limit: int
    trigger: int
    size: Size

    @property
    def total(self) -> int:
        """The tokens of the whole request."""
        return self.fixed + sum(self.sizes)


def measure_history(
    request: ChatRequest, facts: BudgetFacts, policy: CompactionPolicy, added: Messages = ()
) -> MeasuredHistory | None:
    """Return the tokens of *request*, or None where it is too short for a memory or its limit is unknown.

    *added* are the messages that are sent before the client's own, which no memory replaces.

    Tokens are estimates for the model family of the deployment, times a factor learned from earlier requests
    (``sticky``).
    """
    request = with_defaults(request, facts.deployment)
    parameters = request.parameters
    limit = limit_of(
        facts.deployment, asked_output(parameters), facts.policy, facts.learned, facts.reserve
    ).tokens
    if not limit:
        return None
    usable = int(limit * facts.policy.window_share)
    least = ceil(look_up_share(policy) * usable)
    scale = facts.calibration.sticky
    given = FitInput(
        request.messages,
        profile_for(facts.deployment.model, facts.deployment.profile),
        parameters,
        outline=request.known_outline,
        most_bytes=request.body_bytes,
    )
    further = bound_of_changed(facts.family, added) if added else 0
    for bounded in bounds_of(given, facts.family):
        bound = bounded + further
        if bound * scale < least:
            return None
        if bound * scale > _FAR_ABOVE * least:
            break
    estimator = Estimator(facts.family)

    def size(message: Message) -> int:
        return ceil(estimator.message_tokens(message) * scale)

    tools = declared_tools(parameters)
    fixed = ceil(estimator.request_tokens([], tools, parameters.get("response_format")) * scale)
    fixed += sum(map(size, added))  # each is rounded up, as in the plan
    sizes = [*map(size, request.messages)]
    if fixed + sum(sizes) < least:
        return None
    system = sum(sizes[: count_leading_system(request.messages)])
    trigger = min(ceil(policy.trigger * usable), _cut_mark(facts, limit, FixedTokens(fixed, system)))
    return MeasuredHistory(sizes, fixed, usable, trigger, size)


def look_up_share(policy: CompactionPolicy) -> float:
    """Return the share of the limit at which the look-up of stored summaries begins."""
    return policy.trigger * _LOOK_UP


def _cut_mark(facts: BudgetFacts, limit: int, fixed: FixedTokens) -> int:
    """Return the tokens above which the history would be cut.

    A summary should be written before the history would be cut.
    """
    policy = facts.policy
    share = margin(facts.calibration, facts.family) if facts.margin is None else facts.margin
    marks = marks_for(policy, limit=limit, margin=share, fixed=fixed)
    return limit if marks.high is None else marks.high + marks.fixed
