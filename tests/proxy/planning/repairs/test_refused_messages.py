"""Tests of repairs of native messages by Anthropic's words."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.core.source import MessagesRequest
from proxy.planning.plan import Plan
from proxy.planning.repairs.refused_messages import without_refused_messages
from proxy.resilience.read_error import NO_ERROR_FACTS, ProviderError
from tests.proxy.planning.test_native_messages import GEMINI, OLDER, TOOL, planned, sent
from tests.proxy.upstream.deployments import deployment_of
from tests.sanitizers.native.messages.building import (
    answered,
    assistant,
    image,
    inline,
    said,
    thought,
    used,
    user,
)

UNKNOWN = deployment_of("anthropic/ours", api_key="sk-ours")
TURN = [user("go"), assistant(thought("S1"), used("toolu_1")), user(answered("toolu_1"))]
CLOSED = [user("go"), assistant(thought("S1"), said("so")), user("and?")]
BUDGET = {"type": "enabled", "budget_tokens": 1500}


def refusal(words: str) -> ProviderError:
    """Return a provider's error with *words*."""
    return replace(NO_ERROR_FACTS, words=words.lower())


def repaired(words: str, **fields: Any) -> tuple[Plan, dict[str, Any]]:
    """Return the plan of a request with *fields* after the refusal, and the body that goes out then."""
    done = without_refused_messages(planned(OLDER, max_tokens=2000, **fields), refusal(words))
    assert done is not None
    return done, json.loads(sent(done))


@pytest.mark.parametrize(
    "words",
    [
        "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
        "If ... any thinking blocks, the first block must be 'thinking' or 'redacted_thinking'. Found 'text'.",
    ],
)
def test_all_thinking_goes_and_none_is_asked_for_in_an_open_turn(words: str) -> None:
    """A block that Claude signed is never edited: it goes whole, with the request for more."""
    done, body = repaired(words, messages=TURN, thinking=BUDGET)

    assert body["messages"] == [user("go"), assistant(used("toolu_1")), user(answered("toolu_1"))]
    assert "thinking" not in body
    assert ("repair", "thinking_refused") in [(change.step, change.reason) for change in done.changes]
    assert without_refused_messages(done, refusal(words)) is None


def test_thinking_stays_on_where_no_turn_is_open() -> None:
    """Foreign signatures of earlier turns go, and the model still thinks about the next answer."""
    _, body = repaired("Invalid `signature` in `thinking` block", messages=CLOSED, thinking=BUDGET)

    assert body["messages"][1] == assistant(said("so"))
    assert body["thinking"] == BUDGET


@pytest.mark.parametrize(
    "words",
    [
        'messages: Unexpected role "system". The Messages API accepts',
        "role 'system' is not supported on this model",
    ],
)
def test_refused_system_messages_become_reminders(words: str) -> None:
    """The reminder stands in the user's message before it. The name of a model may tell nothing of it."""
    plan = planned(UNKNOWN, messages=[user("go"), inline("Now.")], thinking=None)
    done = without_refused_messages(plan, refusal(words))

    assert done is not None
    body = json.loads(sent(done))
    assert body["messages"] == [user(said("go"), said("<system-reminder>\nNow.\n</system-reminder>"))]
    assert without_refused_messages(done, refusal(words)) is None


@pytest.mark.parametrize(
    ("words", "name", "after"),
    [
        ("unheard_of: Extra inputs are not permitted", "unheard_of", None),
        ("context_management: Extra inputs are not permitted", "context_management", None),
        (
            "system.1.cache_control.ephemeral.ttl: Extra inputs are not permitted",
            "system",
            [said("a"), said("b", cache_control={"type": "ephemeral"})],
        ),
        (
            "tools.1.custom.input_examples: Extra inputs are not permitted",
            "tools",
            [TOOL, {**TOOL, "name": "g"}],
        ),
        (
            "`max_tokens` must be greater than `thinking.budget_tokens`",
            "thinking",
            {**BUDGET, "budget_tokens": 1999},
        ),
        ("Thinking may not be enabled when tool_choice forces tool use.", "thinking", None),
    ],
)
def test_field_that_is_refused_by_name_is_changed(words: str, name: str, after: Any) -> None:
    """Only the named field changes, and the change list names it."""
    fields: dict[str, Any] = {
        "system": [said("a"), said("b", cache_control={"type": "ephemeral", "ttl": "1h"})],
        "tools": [{**TOOL, "input_examples": [{}]}, {**TOOL, "name": "g", "input_examples": [{}]}],
        "thinking": {**BUDGET, "budget_tokens": 3000} if "greater" in words else BUDGET,
        "messages": CLOSED,
        "unheard_of": 1,
        "context_management": {"edits": []},
    }
    plan = planned(OLDER, max_tokens=2000, **fields)
    if "greater" in words:  # the beta for interleaved thinking leaves it to the provider
        source = plan.request.source
        assert source is not None
        assert isinstance(source.native, MessagesRequest)
        plan = replace(
            plan,
            request=replace(plan.request, source=replace(source, native=replace(source.native, changed={}))),
        )
    done = without_refused_messages(plan, refusal(words))
    assert done is not None
    body = json.loads(sent(done))

    assert body.get(name) == after
    assert {one: body[one] for one in fields if one != name} == {
        one: fields[one] for one in fields if one != name
    }
    assert ("repair", "refused_parameter", name) in [
        (change.step, change.reason, change.detail) for change in done.changes
    ]


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("`top_p` is deprecated for this model.", set()),
        (
            "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
            {"temperature", "top_k"},
        ),
        ("`temperature` may only be set to 1 when thinking is enabled.", set()),
        ("`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.", set()),
        ("`top_k` must be unset when thinking is enabled.", set()),
    ],
)
def test_refused_sampling_goes(words: str, left: set[str]) -> None:
    """All sampling goes at once for a model that has none."""
    sampling = {"temperature": 0.5, "top_p": 0.9, "top_k": 5}
    done, body = repaired(words, messages=CLOSED, **sampling)

    assert {name for name in sampling if name in body} == left
    repairs = {change.detail for change in done.changes if change.reason == "refused_parameter"}
    assert repairs == sampling.keys() - left
    assert without_refused_messages(planned(OLDER, messages=CLOSED), refusal(words)) is None


def test_field_of_a_block_is_left_out() -> None:
    """A field of a block goes, and the message is named by its index in the chat."""
    messages = [user("go"), assistant(used("toolu_1", caller={"type": "direct"})), user(answered("toolu_1"))]
    done, body = repaired(
        "messages.1.content.0.tool_use.caller: Extra inputs are not permitted",
        messages=messages,
        thinking=None,
    )

    assert body["messages"][1] == assistant(used("toolu_1"))
    assert [(change.index, change.reason) for change in done.changes if change.step == "repair"] == [
        (2, "refused_field")
    ]


def test_signed_thinking_is_never_edited() -> None:
    """A field of a thinking block stays: such a block goes whole or not at all."""
    turn = [TURN[0], assistant({"type": "redacted_thinking", "data": "D", "x": 1}, used("toolu_1")), TURN[2]]
    plan = planned(OLDER, messages=turn)

    words = "messages.1.content.0.redacted_thinking.x: Extra inputs are not permitted"
    assert without_refused_messages(plan, refusal(words)) is None


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("messages: Too much media: 0 document pages + 3 images > 2", ["text", "image", "image"]),
        ("messages.0.content.1.image.source.base64: Could not process image", ["image", "text", "image"]),
        (
            "messages.0.content.2.image.source.base64.data: image exceeds 5 MB maximum",
            ["image", "image", "text"],
        ),
    ],
)
def test_refused_media_become_notes(words: str, left: list[str]) -> None:
    """The oldest media go where there are too many, and the named one where it cannot be read."""
    _, body = repaired(words, messages=[user(image(), image(), image())], thinking=None)

    assert [block["type"] for block in body["messages"][0]["content"]] == left


@pytest.mark.parametrize(
    "words",
    [
        "messages.9.content.9.image: Could not process image",
        "model: Extra inputs are not permitted",
        "messages: Extra inputs are not permitted",
        "mcp_servers: Extra inputs are not permitted",
        "container: Extra inputs are not permitted",
        "overloaded",
        "Too much media: 0 document pages + 3 images > 5",
    ],
)
def test_other_words_change_nothing(words: str) -> None:
    """Words that name nothing in the request, or nothing that may go, leave the plan."""
    held: dict[str, Any] = {
        "container": "c_1",
        "mcp_servers": [{"type": "url", "url": "https://a.example", "name": "a"}],
    }
    plan = planned(OLDER, messages=CLOSED, **held)

    assert without_refused_messages(plan, refusal(words)) is None


def test_plan_of_a_chat_is_left_to_the_other_repairs() -> None:
    """A request that went out as a chat has no native messages to repair."""
    plan = planned(GEMINI, messages=CLOSED)

    assert without_refused_messages(plan, refusal("Invalid `signature` in `thinking` block")) is None
