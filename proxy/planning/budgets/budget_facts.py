"""The facts that decide a request's budget: the cut policy, and values learned from a deployment's answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import Any

from proxy.config.schema.policies import Budget
from proxy.core.deployment import Deployment
from proxy.state.lessons import DeploymentLessons, Learned
from sanitizers.budget import PRESETS, Cap, CutPolicy
from sanitizers.budget.calibration import Calibration
from sanitizers.budget.families import Family
from sanitizers.record import record

_FIELDS = ("high", "low", "hard", "last_turns", "unknown_window")
"""Fields of a policy that a setting of the same name replaces."""

_SET = attrgetter("preset", "cap", "exclude_tools", "notice", *_FIELDS)


@record
class BudgetFacts:
    """A deployment, the operator's settings and learned values, which decide a request's token budget."""

    deployment: Deployment
    policy: CutPolicy
    family: Family
    calibration: Calibration
    learned: Learned | None = None
    margin: float | None = None
    """The operator's safety margin for token estimates, as a share. With None, the calibration's margin is used."""

    reserve: int | None = None
    """Tokens that the operator reserves for the answer. With None, the reserve is computed from the request."""

    refuse_output: bool = False
    tight: bool = False
    """True where the target has refused this request for its length before."""

    most: int | None = None
    """The most tokens of a *tight* request.

    A share of the deployment's limit (``TIGHT``) overrides this number where the share is smaller.
    """

    def renamed(self, client_tool_names: Mapping[str, str]) -> BudgetFacts:
        """Return the facts with the new names of excluded tools added.

        *client_tool_names* maps each new name to the client's.
        """
        excluded = self.policy.excluded_tools
        new = {name for name, known in client_tool_names.items() if known in excluded}
        return replace(self, policy=replace(self.policy, excluded_tools=excluded | new)) if new else self


def facts_of(
    deployment: Deployment,
    budget: Budget,
    lessons: DeploymentLessons,
    *,
    tight: bool = False,
    most: int | None = None,
    allows_cuts: bool = False,
) -> BudgetFacts:
    """Return the facts about *deployment* under the operator's section *budget*.

    *lessons* holds what was learned from the deployment's own answers. :class:`BudgetFacts` describes *tight* and
    *most*. With *allows_cuts* the client wants a history that is too long to be cut, also where *budget* never cuts.
    """
    policy = policy_of(budget)
    if allows_cuts and policy.high is None:
        policy = _policy(("balanced", *_SET(budget)[1:]))
    return BudgetFacts(
        deployment,
        policy,
        lessons.family,
        lessons.calibration,
        lessons.learned,
        budget.margin,
        budget.reserve,
        refuse_output=budget.on_no_room == "refuse",
        tight=tight,
        most=most,
    )


def policy_of(settings: Budget) -> CutPolicy:
    """Return the policy that *settings* describe: the preset's values, except those that *settings* replace."""
    return _policy(_SET(settings))


@lru_cache(maxsize=16)
def _policy(values: tuple[Any, ...]) -> CutPolicy:
    """Return the policy for the *values* that :data:`_SET` reads. The result is cached, since each request needs it."""
    preset, cap, excluded, notice, *fields = values
    given = {name: value for name, value in zip(_FIELDS, fields, strict=True) if value is not None}
    if cap is not None:
        given["ingest"] = Cap(cap)
    policy = PRESETS[preset]
    return replace(policy, excluded_tools=frozenset(excluded), notice=policy.notice and notice, **given)
