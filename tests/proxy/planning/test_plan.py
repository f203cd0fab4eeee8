"""Tests of the plan of one attempt: history, signatures and budget by mode, and the summary of changes."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.policies import Sanitize
from proxy.core.errors import ContextTooLong
from proxy.planning.plan import (
    Plan,
    format_changes,
    plan_request,
    planning_weight,
    restore_or_remove_signatures,
    split_changes,
)
from proxy.planning.plan_target import PlanTarget, plan_target
from sanitizers import Change, profile_for
from tests.proxy.inspector.looking import parse
from tests.proxy.planning.budgets.shapes import GEMINI, LOCAL, agent, deployment_of, facts_for
from tests.support.builders import assistant, call, tool, user

LONG = agent(40)


def target_of(mode: str = "repair", model: str = LOCAL) -> PlanTarget:
    """Return a plan target in this mode. The target's provider takes every parameter."""
    return plan_target(deployment_of(model), Sanitize.model_validate({"mode": mode}), lambda *_: frozenset())


def planned(mode: str) -> Plan:
    """Return the plan of a history that exceeds its window."""
    return plan_request(parse(LONG), target_of(mode), facts=facts_for(window=24_000))


@pytest.mark.parametrize(
    ("mode", "is_whole", "has_report", "has_cuts"),
    [("repair", False, True, True), ("observe", True, True, True), ("off", True, False, False)],
)
def test_only_mode_repair_cuts_a_long_history(
    mode: str, is_whole: bool, has_report: bool, has_cuts: bool
) -> None:
    """Mode observe reports the cuts. Mode off counts no tokens."""
    plan = planned(mode)

    assert (list(plan.messages) == LONG) is is_whole
    assert (plan.budget is not None) is has_report
    assert bool(plan.cuts) is has_cuts
    assert plan.budget is None or (plan.budget.sent == plan.budget.estimate) is is_whole


def test_mode_strict_refuses_a_history_that_needs_a_cut() -> None:
    """The error has the mode, since the operator can change it."""
    with pytest.raises(ContextTooLong, match=r"to be cut \(mode 'strict'\)") as refused:
        planned("strict")

    assert refused.value.param == "messages"


@pytest.mark.parametrize(("model", "outcome"), [(GEMINI, "carried"), ("openai/gpt-4o", "withheld")])
def test_signatures_go_only_to_models_that_sign(model: str, outcome: str) -> None:
    """Signatures are withheld from models that do not sign, since their format has no field for them."""
    signed = call("c1", extra_content={"google": {"thought_signature": "T3Vycw=="}})
    history: list[dict[str, Any]] = [user("go"), assistant(None, [signed]), tool("c1")]

    messages, counts = restore_or_remove_signatures(history, deployment_of(model), profile_for(model))

    assert counts == {outcome: 1}
    assert ("T3Vycw==" in str(messages)) is (outcome == "carried")


def test_new_tools_weigh_more_than_their_bytes() -> None:
    """Cleaning a schema takes longer than reading the same bytes of a history."""
    plain, with_tools = (
        parse([user("go")], tools=tools)
        for tools in ([], [{"type": "function", "function": {"name": "weighed", "parameters": {}}}])
    )

    assert planning_weight(plain, target_of()) == plain.weight
    assert planning_weight(with_tools, target_of()) > 10 * with_tools.weight


@pytest.mark.parametrize("times", [1, 700], ids=["few", "many"])
def test_summary_counts_changes_in_the_order_of_the_steps(times: int) -> None:
    """The summary lists steps in pipeline order, for few changes and for many."""
    changes = [Change(step, "dropped", 0, "x") for step in ("turns", "pairing", "orphan_drop", "pairing")]

    assert format_changes(changes * times) == f"orphan_drop={times},pairing={2 * times},turns={times}"


def test_changes_of_the_turn_guard_and_the_answer_are_of_every_mode() -> None:
    """Changes of the turn guard and of the answer are made in every mode. These changes have their own settings."""
    changes = [Change(step, "replaced", 0, "x") for step in ("turns", "pairing", "answer_repair")]

    assert split_changes(changes) == ([changes[1]], [changes[0], changes[2]])
