"""Tests that the inspector shows the operator's instructions as a step, and hides their text from clients."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.inspector.inspect_request import inspect_request
from proxy.inspector.steps import SIGNATURES, find_stages
from proxy.inspector.targets import MODELS, deployments_by_profile, withheld_unasked
from proxy.inspector.verdicts import verdict_row
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.dry_run import DryRun, DryRunInput, run_dry
from proxy.planning.plan_target import plan_target
from proxy.state.lessons import no_lessons
from proxy.state.repairs.repair_key import LearnedRepair, RepairKey
from tests.proxy.inspector.looking import parse, settings
from tests.proxy.planning.budgets.shapes import agent
from tests.proxy.planning.compact.memories import memory_of
from tests.proxy.planning.operator_texts import OWN, SHOWN, WORDS, words_in
from tests.support.builders import assistant, call, system, tool, user
from tests.support.strategies import damaged_histories

History = list[dict[str, Any]]

PLAIN = [system("Be kind."), user("Hello.")]
NO_SYSTEM = LearnedRepair(
    RepairKey("system_role", "", "system role not supported", loosens=False), 0.8, 5.0, 0.0, 0.0, False, False
)
FORCED = LearnedRepair(
    RepairKey("result_then_user", "", "unexpected role 'user' after role 'tool'", loosens=False),
    *(0.38, 1.0, 0.0, 0.0, True, False),
)


def dry(
    history: History,
    profile: str,
    memory: AppliedMemory | None = None,
    learned: tuple[LearnedRepair, ...] = (),
    **sections: Any,
) -> DryRun:
    """Return the dry run of *history* with the instructions for a profile."""
    asked, loaded = deployments_by_profile()[profile], settings(**sections)
    target = plan_target(asked, loaded.sanitize, withheld_unasked)
    facts = facts_of(asked, loaded.budget, no_lessons(asked))
    return run_dry(
        DryRunInput(parse(history), target, facts, memory=memory, learned=learned, instructions=OWN)
    )


def inspected(history: History, run: DryRun, *, for_operator: bool = True) -> dict[str, Any]:
    """Return the inspector's answer for *run*, a dry run of *history*."""
    return inspect_request(parse(history), run, {}, for_operator=for_operator)


@pytest.mark.parametrize(
    ("profile", "origins", "head"),
    [
        ("openai", [None, 0, 1], system(OWN.text)),
        ("chat-template", [0, 1], system(f"{OWN.text}\n\nBe kind.")),
        ("chat-template-gemma", [1], user(f"{OWN.text}\n\nBe kind.\n\nHello.")),
    ],
)
def test_instructions_are_a_step_with_the_positions_of_the_client(
    profile: str, origins: list[int | None], head: dict[str, Any]
) -> None:
    """A message of their own has no position. Joined to a client's message they have that message's position."""
    result = inspected(PLAIN, dry(PLAIN, profile))
    step = result["steps"][-1]

    assert (step["step"], step["made"]) == ("instructions", True)
    assert [entry["origin"] for entry in step["after"]] == origins
    assert step["after"][0]["message"] == head
    assert [(change["kind"], change["index"]) for change in step["changes"]] == [("inserted", 0)]
    assert step["changes"][0]["why"].endswith(".")
    assert f"{OWN.bytes} bytes (" in step["what"]
    assert result["instructions"]["text"] == OWN.text


@pytest.mark.parametrize("mode", ["observe", "off", "strict"])
def test_instructions_are_made_in_every_mode(mode: str) -> None:
    """The history that goes out has them."""
    result = inspected(PLAIN, dry(PLAIN, "openai", sanitize={"mode": mode}))

    assert [(step["step"], step["made"]) for step in result["steps"]] == [("instructions", True)]
    assert [entry["origin"] for entry in result["after"]] == [None, 0, 1]


@pytest.mark.parametrize("mode", ["observe", "off"])
def test_history_beyond_repair_that_is_sent_shows_its_instructions(mode: str) -> None:
    """No plan of mode repair exists. The change list and the steps are still those of the sent request."""
    result = inspected([tool("nobody")], dry([tool("nobody")], "openai", sanitize={"mode": mode}))

    assert result["summary"] == "instructions=1"
    assert [step["step"] for step in result["steps"] if step["made"]] == ["instructions"]
    assert [entry["message"] for entry in result["after"]] == [system(OWN.text), tool("nobody")]


@given(damaged_histories(), st.sampled_from(sorted(MODELS)), st.booleans(), st.booleans())
def test_the_last_step_is_what_is_sent(
    history: History, profile: str, is_repaired: bool, is_compacted: bool
) -> None:
    """The steps show every change of the plan, and no original position twice. A client finds no word of the text."""
    memory = memory_of(2, 33) if is_compacted else None
    history = [*agent(20), *history] if is_compacted else history
    run = dry(history, profile, memory, (NO_SYSTEM, FORCED) if is_repaired else ())
    for shown in (run, run.for_client()):
        stages = list(find_stages(history, shown))
        if shown.shown is None:
            continue
        assert [message for _, message in stages[-1].history] == list(shown.shown.messages)
        told = [
            change.as_dict() | {"index": 0 if stage.step == "repair" else change.index}
            for stage in stages
            for change in stage.changes
            if stage.step != SIGNATURES and change.reason != "null_beside_calls"
        ]
        made = [
            change.as_dict() | {"index": 0 if change.step == "repair" else change.index}
            for change in run.changes
        ]
        assert sorted(map(json.dumps, told)) == sorted(map(json.dumps, made))
        for stage in stages:
            places = [origin for origin, _ in stage.history if origin is not None]
            assert len(places) == len(set(places))
    client = inspected(history, run, for_operator=False)
    assert words_in([client, verdict_row(run.for_client(), {})]) == []
    assert run.shown is None or words_in(inspected(history, run)) == [*WORDS]


@pytest.mark.parametrize("profile", ["openai", "gemini-3-strict", "chat-template-gemma", "anthropic"])
def test_client_sees_the_placeholder_and_the_tokens_of_the_text(profile: str) -> None:
    """The wire body has the placeholder where the provider gets the text. The figures are the operator's."""
    run = dry(PLAIN, profile)
    full, hidden = inspected(PLAIN, run), inspected(PLAIN, run, for_operator=False)

    assert hidden["budget"] == full["budget"]
    assert (words_in(hidden), words_in(full)) == ([], [*WORDS])
    for place in ("body", "after", "steps", "instructions"):
        assert SHOWN in json.dumps(hidden[place])
        assert words_in(full[place]) == [*WORDS]
    if full["wire"]["body"] is not None:
        assert SHOWN in hidden["wire"]["body"]
        assert words_in(full["wire"]) == [*WORDS]
    assert hidden["changes"] == full["changes"]


def test_learned_repair_is_a_step_with_the_positions_of_the_client() -> None:
    """The plan counts positions in the sent history, which has one message more."""
    history = [user("go"), assistant(None, [call("c1")]), tool("c1"), user("and?")]
    result = inspected(history, dry(history, "openai", learned=(FORCED,)))
    step = result["steps"][-1]

    assert [each["step"] for each in result["steps"]] == ["instructions", "repair"]
    assert [(change["reason"], change["index"]) for change in step["changes"]] == [("turn_between", 3)]
    assert [entry["origin"] for entry in step["after"]] == [None, 0, 1, 2, None, 3]
    assert "Learned in this conversation: result_then_user, since 1970-01-01, 00:00 UTC" in step["what"]
    assert result["learned"][0]["confidence"] == 0.38
    assert result["summary"] == "instructions=1,repair=1;learned"
