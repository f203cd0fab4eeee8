"""Tests that messages with calls and without content get an empty text for chat templates."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.plan import plan_request
from proxy.planning.texts_beside_calls import with_texts_beside_calls
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import CHAT_TEMPLATE, PROVIDER_PROFILES
from tests.proxy.inspector.looking import parse
from tests.proxy.planning.test_plan import target_of
from tests.support.builders import assistant, call, tool, user, without

GO, ASKS, RESULT = user("go"), assistant(None, [call("c1")]), tool("c1")


@pytest.mark.parametrize("given", [ASKS, without(ASKS, "content")], ids=["null", "missing"])
@pytest.mark.parametrize("mode", ["repair", "strict"])
def test_calls_get_an_empty_text(given: dict[str, Any], mode: str) -> None:
    """In a turn with calls, null or a missing content becomes an empty text. The given messages are not changed."""
    messages = [GO, given, RESULT, assistant("b"), GO]

    written = with_texts_beside_calls(messages, CHAT_TEMPLATE, mode)

    assert list(written) == [GO, {**given, "content": ""}, RESULT, assistant("b"), GO]
    assert messages[1] is given
    assert with_texts_beside_calls(written, CHAT_TEMPLATE, mode) is written


def test_null_as_calls_is_left_out() -> None:
    """Many templates count the calls of every turn that has the field. An empty list is the sanitizer's to drop."""
    said = assistant("b", tool_calls=None)
    messages = [GO, said, user("c", tool_calls=None)]

    written = with_texts_beside_calls(messages, CHAT_TEMPLATE, "repair")

    assert list(written) == [GO, assistant("b"), messages[2]]
    assert messages[1] is said
    assert with_texts_beside_calls(messages, CHAT_TEMPLATE, "observe") is messages
    assert with_texts_beside_calls(messages, OPENAI, "repair") is messages


@pytest.mark.parametrize("mode", ["observe", "off"])
def test_history_that_goes_as_it_came_keeps_null(mode: str) -> None:
    """In the modes that send a history as it came, the same messages are returned."""
    messages = [GO, ASKS, RESULT]

    assert with_texts_beside_calls(messages, CHAT_TEMPLATE, mode) is messages


@pytest.mark.parametrize(("mode", "content"), [("repair", ""), ("strict", ""), ("observe", None)])
def test_plan_for_a_template_has_empty_texts_and_no_change(mode: str, content: str | None) -> None:
    """The empty text is only another notation of null, so no change lists it, and mode strict refuses nothing."""
    plan = plan_request(parse([GO, ASKS, RESULT]), target_of(mode, "hosted_vllm/qwen3"))

    assert plan.messages[1]["content"] == content
    assert plan.changes == ()


def test_only_templates_get_empty_texts() -> None:
    """Only the profiles of chat templates refuse a content that is null."""
    messages = [GO, ASKS, RESULT]
    rows = (OPENAI, *PROVIDER_PROFILES)

    assert {row.name for row in rows if with_texts_beside_calls(messages, row, "repair") is not messages} == {
        "chat-template",
        "chat-template-gemma",
        "chat-template-mistral",
    }
