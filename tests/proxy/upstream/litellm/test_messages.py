"""Tests of the messages that litellm gets, for Gemini and for other models."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest

from proxy.emulator import judge
from proxy.upstream.litellm.messages import litellm_messages
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3
from sanitizers.profiles import OPENAI
from tests.support.builders import assistant, call, text, tool, user


def test_openai_targets_get_the_same_objects_in_a_list_of_their_own() -> None:
    """Litellm removes messages from the list that it gets."""
    history = [user("a", x=1), assistant("b")]

    given = litellm_messages(history, OPENAI)

    assert given is not history
    assert all(ours is theirs for ours, theirs in zip(given, history, strict=True))


def test_gemini_targets_get_only_fields_that_a_conversion_needs() -> None:
    """Other fields could make litellm fetch or create something."""
    loaded = call("c", provider_specific_fields={"thought_signature": "x"}, cache_control={})
    history = [
        user("a", images=[{"image_url": {"url": "http://x"}}]),
        assistant("b", calls=[loaded], thinking_blocks=[]),
    ]

    given = litellm_messages(history, GEMINI_3)

    assert [user("a"), assistant("b", calls=[call("c")])] == given


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize(
    "content",
    [
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": "\\ud800"}',
        '{"broken": ',
        [text('{"a": '), text("NaN}")],
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_result_that_is_no_clean_object_arrives_as_text(content: Any) -> None:
    """Litellm decodes texts that look like an object. Gemini refuses some of these objects."""
    factory = importlib.import_module("litellm.llms.vertex_ai.gemini.transformation")
    history = [user("go"), assistant(calls=[call("c")]), tool("c", content)]
    whole = content if isinstance(content, str) else "".join(part["text"] for part in content)

    contents = factory._gemini_convert_messages_with_history(
        messages=litellm_messages(history, GEMINI_2), model="gemini-2.5-pro"
    )

    assert {"content": whole} == contents[-1]["parts"][0]["function_response"]["response"]
    assert judge("gemini-2.5-pro", {"contents": contents}) is None


def test_clean_object_is_left_to_litellm() -> None:
    """The result message stays the same object, since litellm itself sends a clean JSON text as an object."""
    history = [user("go"), assistant(calls=[call("c")]), tool("c", json.dumps({"a": 1}))]

    assert litellm_messages(history, GEMINI_2)[-1] is history[-1]
