"""Tests that the inspector shows a memory as a step, and every later step with the client's indexes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.inspector.inspect_request import inspect_request
from proxy.inspector.steps import SIGNATURES, find_stages
from proxy.inspector.targets import deployments_by_profile, withheld_unasked
from proxy.inspector.verdicts import verdict_row
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.dry_run import DryRun, DryRunInput, run_dry
from proxy.planning.plan_target import plan_target
from proxy.state.lessons import no_lessons
from tests.proxy.inspector.looking import parse, settings
from tests.proxy.planning.budgets.shapes import agent
from tests.proxy.planning.compact.memories import TEXT, memory_of
from tests.proxy.planning.compact.test_client_indexes import Compacted, compacted
from tests.support.builders import assistant, call, system, tool, user

History = list[dict[str, Any]]

HISTORY = [*agent(20)[:12], user("Now the other test."), *agent(20)[12:]]
FAULTS = [
    assistant(None, [call("a", "look up!"), call("b")]),
    tool("b"),
    tool("nobody"),
    system("Late."),
    user("Go on."),
    assistant("Well."),
]
PROFILES = ["openai", "gemini-3-strict", "gemini-1", "anthropic", "chat-template"]


def dry(history: History, memory: AppliedMemory | None, profile: str) -> DryRun:
    """Return the dry run of *history* with *memory* for a profile."""
    asked, loaded = deployments_by_profile()[profile], settings()
    target = plan_target(asked, loaded.sanitize, withheld_unasked)
    facts = facts_of(asked, loaded.budget, no_lessons(asked))
    return run_dry(DryRunInput(parse(history), target, facts, memory=memory))


def inspected(history: History, memory: AppliedMemory | None, profile: str = "openai") -> dict[str, Any]:
    """Return the inspector's answer for *history* with *memory*."""
    return inspect_request(parse(history), dry(history, memory, profile), {"profile": profile})


def test_compaction_is_the_first_step() -> None:
    """The memory is a new message without an original position. Pinned messages keep theirs."""
    result = inspected(HISTORY, memory_of(2, 33, 12))
    (step,) = result["steps"]

    assert (step["step"], step["made"]) == ("compaction", True)
    assert [entry["origin"] for entry in step["after"]] == [0, 1, None, 12, *range(33, len(HISTORY))]
    assert step["after"][2]["message"] == user(TEXT)
    assert [(change["kind"], change["index"], change["detail"]) for change in step["changes"]] == [
        ("replaced", 2, "messages 2-32")
    ]
    assert step["changes"][0]["why"].endswith(".")
    assert result["memory"]["text"] == TEXT
    assert result["after"] == step["after"]


@pytest.mark.parametrize(
    ("pinned", "words"),
    [
        ((), "It has 1,840 tokens and replaces the messages 2 to 32. It holds 3 summaries by cheap, and is"),
        (
            (12,),
            "the messages 2 to 32. Of these, the proxy still sends the messages 12. It holds 3 summaries by cheap",
        ),
        ((2, 6, 12), "Of these, the proxy still sends the messages 2, 6, 12."),
        ((2, 4, 6, 8, 10, 12), "Of these, the proxy still sends 6."),
    ],
)
def test_the_step_says_what_is_replaced_since_when_and_by_which_model(
    pinned: tuple[int, ...], words: str
) -> None:
    """The sentence about the step has the figures of this memory."""
    history = [*HISTORY[:2], *(user(f"Number {at}.") for at in range(2, 33)), *HISTORY[33:]]
    (step,) = inspected(history, memory_of(2, 33, *pinned))["steps"]

    assert words in step["what"]
    assert step["what"].endswith("in use since 2026-11-24, 06:00 UTC.")


def test_the_step_counts_a_single_summary() -> None:
    """A memory of one summary is not said to hold several."""
    (step,) = inspected(HISTORY, replace(memory_of(2, 33), reflections=1))["steps"]

    assert "It holds a summary by cheap," in step["what"]


def test_without_a_memory_nothing_is_shown() -> None:
    """The value is None, and there is no such step."""
    result = inspected(HISTORY, None)

    assert "memory" not in result
    assert result["steps"] == []


@pytest.mark.parametrize("profile", PROFILES)
def test_later_steps_have_the_indexes_of_the_client(profile: str) -> None:
    """The faults behind the memory are shown at the same indexes as without a memory."""
    history = [*HISTORY, *FAULTS]
    places = [
        [
            (step["step"], change["index"], change["reason"])
            for step in inspected(history, memory, profile)["steps"]
            for change in step["changes"]
            if change["index"] >= len(HISTORY)
        ]
        for memory in (memory_of(2, 33, 12), None)
    ]

    assert places[0] == places[1]
    assert profile == "openai" or places[0]


@given(compacted(), st.sampled_from(PROFILES))
def test_the_last_step_is_what_is_sent(made: Compacted, profile: str) -> None:
    """The steps show every change of the plan. No original position is shown twice."""
    history, memory = made
    if memory.end == memory.start:
        return
    run = dry([*history, *FAULTS], memory, profile)
    stages = list(find_stages([*history, *FAULTS], run))
    assert run.shown is not None
    shown = [
        change.as_dict()
        for stage in stages
        for change in stage.changes
        if stage.step != SIGNATURES and change.reason != "null_beside_calls"
    ]

    assert stages[0].step == "compaction"
    assert [message for _, message in stages[-1].history] == list(run.shown.messages)
    assert sorted(map(json.dumps, shown)) == sorted(json.dumps(each.as_dict()) for each in run.changes)
    for stage in stages:
        places = [origin for origin, _ in stage.history if origin is not None]
        assert len(places) == len(set(places))


def test_the_verdict_s_row_counts_the_memory() -> None:
    """The row of a target has the step with its number of changes."""
    run = dry(HISTORY, memory_of(2, 33), "openai")

    assert verdict_row(run, {})["changes"] == {"compaction": 1}
