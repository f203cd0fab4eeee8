"""Tests of the turn guard: its notes to the model, the dry run's list of them, and limits by key."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.cli.show_explanation import show_explanation
from proxy.config import Settings
from tests.support.builders import assistant, call, tool, user
from tests.support.proxied import GEMINI, MODEL, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

ROUTES = [
    {"type": "function", "function": {"name": name, "description": "d", "parameters": {"type": "object"}}}
    for name in ("look", "transfer_to_clerk", "transfer_to_guide")
]


def told(mode: str = "warn") -> Settings:
    """Return settings with all notes to the model, and a limit of five rounds."""
    turns = {"mode": mode, "max_rounds": 5, "max_rounds_multi_agent": 5, "hint_after_errors": 3}
    return settings_of(turns={**turns, "tell_model": True})


def failing_rounds(count: int) -> list[dict[str, Any]]:
    """Return *count* rounds of one tool, whose every call fails with a different error."""
    history: list[dict[str, Any]] = [user("go")]
    for number in range(count):
        history += [
            assistant(None, [call(f"c{number}", "look", json.dumps({"n": number}))]),
            tool(f"c{number}", f"Error: no page {number}"),
        ]
    return history


@pytest.mark.parametrize("mode", ["warn", "enforce"])
async def test_notes_stay_at_their_place_in_later_requests(upstream: ScriptedUpstream, mode: str) -> None:
    """The hint follows the third failure, and the warning follows the fourth round.

    Later requests have both notes in the same messages.
    """
    seen = []
    async with proxied(told(mode), upstream) as proxy:
        for count in range(7):
            reply = await proxy.post({"model": MODEL, "messages": failing_rounds(count), "tools": ROUTES[:1]})
            assert reply.status == 200
            seen.append((reply.headers.get("x-turnright-changes"), list(upstream.calls[-1].messages)))
        events = {
            event: await proxy.count("turn_events_total", event=event)
            for event in ("tool_errors", "warning", "limit", "loop")
        }

    hint = (
        "\n\n[turnright: The tool look has failed 3 times since the user's last message. Its last words: "
        '"Error: no page 2". Do not call it in the same way again: try another way, or say what is missing.]'
    )
    warning = "\n\n[turnright: 4 of 5 rounds of tool calls are used. Work towards an answer.]"
    for count, (changes, messages) in enumerate(seen):
        contents = [message["content"] for message in messages if message["role"] == "tool"]
        assert contents == [
            f"Error: no page {number}" + (hint if number == 2 else "") + (warning if number == 3 else "")
            for number in range(count)
        ]
        wrapped_up = mode == "enforce" and count >= 5
        due = (count >= 3) + (count >= 4) + 2 * wrapped_up
        assert changes == (f"turns={due}" if due else None)
        grown = seen[count - 1][1] if count else []
        instruction = mode == "enforce" and count - 1 >= 5
        assert messages[: len(grown) - instruction] == grown[: len(grown) - instruction]
    assert events == {"tool_errors": 1, "warning": 1, "limit": 1, "loop": 0}


async def test_guidance_is_in_the_first_tool_that_delegates(upstream: ScriptedUpstream) -> None:
    """The guidance gives the rounds for a simple, a medium and a complex task.

    The text of the guidance is the same in each request.
    """
    async with proxied(told(), upstream) as proxy:
        for _ in range(2):
            await proxy.post({"model": MODEL, "messages": [user("go")], "tools": ROUTES})

    first, second = (
        [entry["function"]["description"] for entry in sent.parameters["tools"]] for sent in upstream.calls
    )
    assert first == second
    assert first[0] == first[2] == "d"
    assert first[1] == (
        "d\n\nOf 10 rounds of handing on that a task may take, a simple one needs 1-2, a medium one 3-5, "
        "a complex one 6-10."
    )


async def test_model_gets_no_notes_by_default(upstream: ScriptedUpstream) -> None:
    """Notes on errors, on the limit and on delegation are off."""
    async with proxied(settings_of(turns={"max_rounds": 5}), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": failing_rounds(6), "tools": ROUTES})

    [sent] = upstream.calls
    assert "x-turnright-changes" not in reply.headers
    assert "turnright" not in json.dumps([list(sent.messages), dict(sent.parameters)])


@pytest.mark.parametrize(
    ("mode", "count", "line"),
    [
        ("warn", 1, "rounds    1 of 5 since the user last spoke (warn)"),
        ("warn", 4, "rounds    4 of 5 since the user last spoke, warning (warn)"),
        ("enforce", 5, "rounds    5 of 5 since the user last spoke, warning, wrap-up: limit (enforce)"),
    ],
)
async def test_the_dry_run_lists_the_notes(
    upstream: ScriptedUpstream, mode: str, count: int, line: str
) -> None:
    """A note is listed with the index of its result. A change of the tools is listed without an index."""
    request = {"model": MODEL, "messages": failing_rounds(count), "tools": ROUTES[:1]}
    async with proxied(told(mode), upstream) as proxy:
        explained = (await proxy.post(request, "/v1/explain")).json

    lines = list(show_explanation({**explained, "before": [], "steps": []}, colours=False))
    assert line in lines
    shown = [shown.split() for shown in lines if shown.startswith("  turns")]
    expected = []
    if count >= 4:
        expected += [["turns", "messages[6]", "inserted", "tool_error_hint"]]
        expected += [["turns", "messages[8]", "inserted", "warning_note"]]
    if count >= 5:
        expected += [["turns", "messages[10]", "inserted", "wrap_up"]]
        expected += [["turns", "replaced", "tools_withheld", "tool_choice"]]
    assert shown == expected


async def test_a_key_s_values_override_a_model_s(upstream: ScriptedUpstream) -> None:
    """A key's turn limits win over a model's, and a wildcard's turn limits hold for its models.

    A request's own limit can only lower these limits.
    """
    settings = settings_of(
        {MODEL: GEMINI, "gemini/*": "gemini/*"},
        general_settings={"keys": [{"name": "a", "key": "sk-a"}, {"name": "b", "key": "sk-b"}]},
        turns={
            "per_model": [{"model": MODEL, "max_rounds": 7}, {"model": "gemini/*", "max_rounds": 6}],
            "per_key": [{"key": "b", "max_rounds": 9}],
        },
    )
    seen = []
    async with proxied(settings, upstream) as proxy:
        for model, key, own in (
            (MODEL, "sk-a", None),
            ("gemini/gemini-2.5-pro", "sk-a", None),
            (MODEL, "sk-b", None),
            (MODEL, "sk-b", "8"),
            (MODEL, "sk-b", "11"),
        ):
            headers = {"Authorization": f"Bearer {key}", **({"x-turnright-max-rounds": own} if own else {})}
            reply = await proxy.post({"model": model, "messages": [user("go")]}, headers=headers)
            seen.append(reply.headers["x-turnright-rounds"])

    assert seen == ["0/7", "0/6", "0/9", "0/8", "0/9"]
