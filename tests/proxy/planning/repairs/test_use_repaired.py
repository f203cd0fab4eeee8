"""Tests of a plan that gets a repaired request."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.core.source import ResponsesRequest
from proxy.planning.plan import Plan
from proxy.planning.repairs import Repaired, repair_request
from proxy.planning.repairs.use_repaired import use_repaired
from sanitizers import Change
from sanitizers.gemini_profiles import GEMINI_3_STRICT
from tests.proxy.planning.learned.teaching import case_named, plan_of_case
from tests.proxy.planning.repairs.asking import refusal
from tests.proxy.planning.repairs.test_unseal_items import USER, plan_of
from tests.support.native_responses import MESSAGE, THOUGHT

EARLIER = Change("note", "inserted", 3, "malformed")
COUNTS = {"restored": 2, "carried": 1, "withheld": 4, "replaced": 8}


def repaired_case(name: str) -> tuple[Plan, Repaired]:
    """Return the plan of the request in the case *name*, with an earlier change, and its repair."""
    case = case_named(name)
    plan = replace(plan_of_case(case), later_changes=(EARLIER,), signatures=COUNTS)
    repaired = repair_request(plan.messages, plan.parameters, plan.profile, refusal(case.words, **case.more))
    assert repaired is not None
    return plan, repaired


@pytest.mark.parametrize("name", ["parameter-renamed", "alternation", "tail", "call_ids-unknown"])
def test_plan_gets_the_repaired_request_and_its_changes(name: str) -> None:
    """All else stays: the client's request, the deployment, the counts and the earlier changes."""
    plan, repaired = repaired_case(name)

    used = use_repaired(plan, repaired)

    assert (used.messages, used.parameters) == (repaired.messages, repaired.parameters)
    assert used.later_changes == (EARLIER, *repaired.changes)
    assert (
        replace(
            used,
            messages=plan.messages,
            parameters=plan.parameters,
            profile=plan.profile,
            later_changes=plan.later_changes,
        )
        == plan
    )


def test_request_of_items_gets_the_repaired_history_as_items() -> None:
    """The changes of items are those of the new history."""
    plan = plan_of([USER, THOUGHT, MESSAGE, USER, {**THOUGHT, "id": "rs_2"}])
    assert [change.reason for change in plan.item_changes] == ["reasoning_alone"]
    note = {"role": "user", "content": "Note."}

    used = use_repaired(plan, Repaired([*plan.messages[:1], note], plan.parameters, None, ()))

    source = used.request.source
    assert source is not None
    assert isinstance(source.native, ResponsesRequest)
    assert source.messages is used.messages
    assert source.native.items == [USER, {"type": "message", **note}]
    assert used.item_changes == ()


def test_profile_stays_where_the_repair_needs_no_other() -> None:
    plan, repaired = repaired_case("tail")

    assert use_repaired(plan, repaired).profile == GEMINI_3_STRICT
    assert use_repaired(plan, replace(repaired, profile=None)).profile is plan.profile


@pytest.mark.parametrize(
    "name",
    ["signature-corrupted", "signature-missing"],  # the second repair makes the target one with stand-ins
)
def test_refused_signatures_count_as_withheld_and_replaced(name: str) -> None:
    """The repair takes every signature out, and puts a stand-in on the first call of each turn."""
    plan, repaired = repaired_case(name)

    assert use_repaired(plan, repaired).signatures == {"withheld": 7, "replaced": 1}
