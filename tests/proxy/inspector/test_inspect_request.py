"""Tests that the inspector shows each step of a repair, with each message's original position."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import InvalidRequest
from proxy.core.json_text import write_json
from proxy.inspector.inspect_request import inspect_request
from proxy.inspector.steps import SIGNATURES, find_stages
from proxy.inspector.targets import MODELS
from proxy.inspector.verdicts import verdict_row
from sanitizers.turns import TurnPolicy
from tests.proxy.inspector.looking import look, parse, query, run
from tests.support.builders import assistant, call, system, tool, user
from tests.support.strategies.hostile import hostile_requests

KNOWN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[3] / "proxy" / "conformance" / "known.json").read_text("utf-8")
)
BROKEN = [
    assistant("Hi."),
    tool("nobody", "lost"),
    user("go"),
    assistant(None, [call("c1", "f"), call("c2", "g")]),
    tool("c1"),
    user("and?"),
    assistant("well"),
]

STEPS = ("orphan_drop", "user_prepend", "pairing", "tail")


def roles(history: list[dict[str, Any]]) -> list[tuple[int | None, str]]:
    """Return each message's original position and role."""
    return [(entry["origin"], entry["message"]["role"]) for entry in history]


def test_each_step_that_changes_something_is_shown_with_its_history() -> None:
    """An inserted message has no original position."""
    result = look(BROKEN)

    assert [step["step"] for step in result["steps"]] == [*STEPS, "signatures"]
    first, second, third, last, signed = (roles(step["after"]) for step in result["steps"])
    kept = [(0, "assistant"), (2, "user"), (3, "assistant"), (4, "tool"), (5, "user"), (6, "assistant")]
    assert first == kept
    assert second == [(None, "user"), *kept]
    assert third == [(None, "user"), *kept[:4], (None, "tool"), *kept[4:]]
    assert last == [*third, (None, "user")] == signed == roles(result["after"])
    assert [entry["message"] for entry in result["after"]] == result["body"]["messages"]
    assert [entry["index"] for entry in result["before"]] == list(range(7))


def test_each_change_has_its_reason_rule_and_providers_words() -> None:
    """The explanation of the reason is a sentence."""
    [change] = look(BROKEN)["steps"][2]["changes"]

    assert (change["kind"], change["index"], change["reason"]) == ("inserted", 3, "missing_result")
    assert change["rule"] == "missing_result"
    assert change["why"].endswith(".")
    assert "must be followed by tool messages" in change["words"]


def test_empty_text_beside_calls_is_shown_and_is_no_change() -> None:
    """A template gets an empty text where the client sent null. Only the inspector names this rewrite."""
    result = look([user("go"), assistant(None, [call("c1")]), tool("c1")], "chat-template")

    assert [(step["step"], [change["reason"] for change in step["changes"]]) for step in result["steps"]] == [
        ("dialect", ["null_beside_calls"])
    ]
    assert result["after"][1]["message"]["content"] == ""
    assert result["changes"] == []


@pytest.mark.long
@pytest.mark.parametrize("entry", KNOWN, ids=lambda entry: entry["id"])
def test_last_step_of_each_known_history_is_the_sent_one(entry: dict[str, Any]) -> None:
    """The history after the last step is the sent one for every profile.

    Each original position occurs at most once in a history. Signatures, and null that is written as an empty text, are
    in no list of changes.
    """
    chat = parse(entry["messages"])
    for profile in MODELS:
        dry = run(chat, profile)
        stages = list(find_stages(chat.messages, dry))
        if dry.shown is None:
            continue
        result = inspect_request(chat, dry, {})
        assert [message for _, message in (stages[-1].history if stages else ())] == (
            list(dry.shown.messages) if stages else []
        )
        made = [
            change.as_dict()
            for stage in stages
            if stage.step != SIGNATURES
            for change in stage.changes
            if change.reason != "null_beside_calls"
        ]
        key = json.dumps
        assert sorted(map(key, made)) == sorted(map(key, result["changes"]))
        for stage in stages:
            places = [at for at, _ in stage.history if at is not None]
            assert len(places) == len(set(places))
            assert all(change["why"] for change in result["steps"][stages.index(stage)]["changes"])


def test_compact_answer_has_unchanged_messages_by_position_alone() -> None:
    """Changed messages are given whole."""
    result = look(BROKEN, compact=True)

    assert result["after"][0]["message"]["role"] == "user"
    assert result["after"][1] == {"origin": 0}
    assert [entry["origin"] for entry in result["after"] if "message" in entry] == [None, 3, None, None]


def test_legal_history_has_no_steps() -> None:
    """The history after the steps is the original history."""
    result = look([system("s"), user("Hello.")])

    assert (result["verdict"], result["steps"], result["found"], result["refusal"]) == (
        "unchanged",
        [],
        [],
        None,
    )
    assert roles(result["after"]) == [(0, "system"), (1, "user")]


def test_refused_history_shows_the_steps_taken_and_the_reason() -> None:
    """The steps before the refusal are shown."""
    result = look([tool("nobody", "lost")])

    assert (result["verdict"], result["body"], result["budget"]) == ("refused", None, None)
    assert result["refusal"]["code"] == "illegal_history"
    assert [step["step"] for step in result["steps"]] == ["orphan_drop"]
    assert result["after"] == []


def test_refusal_of_mode_strict_lists_the_broken_rules() -> None:
    """The inspector shows the steps of mode ``repair``, and marks no step as made."""
    result = look(BROKEN, sanitize={"mode": "strict"})

    assert result["verdict"] == "refused"
    assert {fault["rule"] for fault in result["refusal"]["violations"]} >= {
        "orphaned_result",
        "missing_result",
    }
    assert [step["step"] for step in result["steps"]] == [*STEPS, "signatures"]
    assert {step["made"] for step in result["steps"]} == {False}
    assert result["budget"]["would"]
    assert result["would"] == look(BROKEN)["after"]


def test_mode_strict_sends_a_legal_history() -> None:
    """Mode ``repair`` would send the same history."""
    result = look([user("Hello.")], sanitize={"mode": "strict"})

    assert (roles(result["after"]), result["would"], result["budget"]["would"]) == (
        [(0, "user")],
        None,
        False,
    )


@pytest.mark.parametrize("mode", ["observe", "off"])
def test_steps_of_modes_that_change_nothing_are_those_of_repair(mode: str) -> None:
    """No step is made, and the original history is sent."""
    result = look(BROKEN, "openai", sanitize={"mode": mode})

    assert result["verdict"] == "sent_as_is"
    assert result["body"]["messages"] == BROKEN
    assert [(step["step"], step["made"]) for step in result["steps"]] == [
        ("orphan_drop", False),
        ("pairing", False),
    ]
    assert [entry["message"] for entry in result["after"]] == BROKEN
    assert [entry["origin"] for entry in result["after"]] == list(range(len(BROKEN)))
    assert result["would"] == look(BROKEN, "openai")["after"]
    assert result["budget"]["would"]


def test_all_steps_of_mode_repair_are_made() -> None:
    """The field ``would`` is None, since all shown steps are made."""
    result = look(BROKEN)

    assert {step["made"] for step in result["steps"]} == {True}
    assert (result["would"], result["budget"]["would"]) == (None, False)


def test_step_of_the_turn_guard_is_made_in_mode_observe() -> None:
    """Mode ``observe`` sends the turn guard's note, and makes no other change."""
    rounds = [
        message
        for number in range(4)
        for message in (assistant(None, [call(f"c{number}", "f")]), tool(f"c{number}"))
    ]
    chat = parse([tool("nobody"), user("go"), *rounds])
    dry = run(chat, "openai", TurnPolicy(mode="enforce", max_rounds=3), sanitize={"mode": "observe"})

    result = inspect_request(chat, dry, {})

    assert [(step["step"], step["made"]) for step in result["steps"]] == [
        ("turns", True),
        ("orphan_drop", False),
    ]
    assert [entry["message"] for entry in result["after"]] == result["body"]["messages"] != chat.messages


def test_turn_guard_tools_and_parameters_are_steps() -> None:
    """The guard, the tools and the parameters change the request outside its history as well."""
    rounds = [
        message
        for number in range(4)
        for message in (assistant(None, [call(f"c{number}", "mcp.f", "{}")]), tool(f"c{number}"))
    ]
    declared = {
        "type": "function",
        "function": {"name": "mcp.f", "parameters": {"type": ["object"], "$id": "x"}},
    }
    chat = parse([user("go"), *rounds], tools=[declared], temperature=2)
    dry = run(chat, "anthropic", TurnPolicy(mode="enforce", max_rounds=3))

    result = inspect_request(chat, dry, {})

    assert [step["step"] for step in result["steps"]] == ["turns", "tools", "parameters", "tools"]
    assert {change["reason"] for change in result["steps"][0]["changes"]} >= {"wrap_up"}
    assert result["after"][-1]["origin"] is None
    assert [entry["origin"] for entry in result["after"][:9]] == list(range(9))
    assert all(change["why"] for step in result["steps"] for change in step["changes"])


def test_budget_shows_each_messages_tokens_before_and_after_a_cut() -> None:
    """The budget's limit, margin, reserve and available tokens are shown too."""
    history = [user("go")]
    for number in range(40):
        history += [
            assistant(None, [call(f"c{number}", "f")]),
            tool(f"c{number}", "a line of text\n" * 2_000),
        ]

    result = look(history, "openai")

    budget = result["budget"]
    assert result["steps"][-1]["step"] == "budget"
    assert [turn["index"] for turn in budget["parts"]["before"]["turns"]] == list(range(len(history)))
    assert sum(turn["tokens"] for turn in budget["parts"]["after"]["turns"]) < budget["limit"]
    assert budget["margin"] > 0 < budget["reserve"]
    assert budget["limit"] - budget["fixed"] - budget["margin"] == budget["marks"]["available"]
    assert result["after"][0]["origin"] == 0


def test_request_that_cannot_fit_is_refused_with_its_steps() -> None:
    """The history after the steps is shown."""
    result = look([system("word " * 200_000), tool("nobody"), user("x")], "openai")

    assert (result["verdict"], result["refusal"]["code"]) == ("refused", "context_length_exceeded")
    assert result["after"]


@given(hostile_requests(), st.sampled_from([*MODELS]))
def test_hostile_body_is_inspected_or_refused_as_invalid(body: bytes, profile: str) -> None:
    """The result and the verdict's row can be written as JSON. No original position occurs twice."""
    asked = b'{"target":{"profile":"' + profile.encode() + b'"},"request":' + body + b"}"
    try:
        read = query(asked)
    except InvalidRequest:
        return
    dry = run(read.chat, profile)
    result = inspect_request(read.chat, dry, read.target.as_dict())
    assert write_json(result)
    assert write_json(verdict_row(dry, {}))
    places = [entry["origin"] for entry in result["after"] if entry["origin"] is not None]
    assert len(places) == len(set(places))


def test_provider_is_named_for_its_words() -> None:
    """The provider is named in each change, and for each rule that the history breaks.

    The named provider need not be the provider of the inspected profile.
    """
    shown = look([user("go"), tool("nobody", "lost"), user("on")])

    assert shown["profile"] == "gemini-3-strict"
    assert shown["providers"] == {"orphaned_result": "OpenAI"}
    [step] = shown["steps"]
    assert [(one["rule"], one["provider"]) for one in step["changes"]] == [("orphaned_result", "OpenAI")]
