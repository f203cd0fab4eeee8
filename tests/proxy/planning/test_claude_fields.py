"""Tests of what only Claude reads of a Messages request that goes to another model."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from proxy.core.chat_request import ChatRequest
from proxy.core.json_text import write_json
from proxy.ingress.anthropic_messages.read_request import read_request
from proxy.ingress.gemini_native.fields import read_fields
from proxy.ingress.gemini_native.read_request import to_chat
from proxy.planning.claude_fields import without_claude_fields
from sanitizers.gemini_profiles import GEMINI_3_STRICT
from sanitizers.native.gemini.envelope import pack_thoughts
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import ANTHROPIC, BEDROCK_CLAUDE, DEEPSEEK
from tests.proxy.planning.test_native_requests import asked
from tests.sanitizers.native.messages.building import MARK, answered, assistant, said, thought, used, user

TOOL = {"name": "f", "input_schema": {"type": "object"}, **MARK}
ITEMS = [
    user(said("go", **MARK)),
    assistant(thought("S1"), said("x"), used("a", **MARK)),
    user(answered("a", [said("A", **MARK)], is_error=True, **MARK)),
    assistant("plain"),
    user("plain"),
]


def request_of(*items: Any, **fields: Any) -> ChatRequest:
    """Return a request of the Messages API."""
    body = {"model": "m", "max_tokens": 1, "messages": items, **fields}
    return read_request(write_json(body), max_nesting=50)


@pytest.mark.parametrize(
    ("profile", "marks_errors"), [(OPENAI, False), (DEEPSEEK, False), (GEMINI_3_STRICT, True)]
)
def test_other_models_get_no_field_of_claudes(profile: Any, marks_errors: bool) -> None:
    """Marks and signed thinking go from messages, parts, calls and tools. Gemini has a form for failed calls."""
    request = request_of(*ITEMS, system=[said("s", **MARK), said("t")], tools=[TOOL])
    before = copy.deepcopy(request.messages)

    done = without_claude_fields(request, profile)
    text = json.dumps([done.messages, done.parameters["tools"]])

    assert not any(name in text for name in ("cache_control", "thinking_blocks", "S1"))
    assert ("is_error" in text) is marks_errors
    assert request.messages == before
    assert done.messages[-2:] == [request.messages[-2], request.messages[-1]]
    assert done.known_outline is not None
    made = done.mended[len(request.mended) :]
    assert [(change.index, change.reason) for change in made] == [
        (0, "claude_field"),
        (0, "claude_field"),
        (1, "claude_field"),
        (2, "claude_field"),
        (0, "claude_field"),
    ]


@pytest.mark.parametrize("profile", [ANTHROPIC, BEDROCK_CLAUDE])
def test_claude_keeps_its_fields(profile: Any) -> None:
    """Also where it is asked by litellm."""
    request = request_of(*ITEMS, tools=[TOOL])

    assert without_claude_fields(request, profile) is request


def test_request_without_such_fields_is_the_same() -> None:
    """And so is a request of another format."""
    plain = request_of(user("go"), tools=[{"name": "f", "input_schema": {"type": "object"}}])

    assert without_claude_fields(plain, OPENAI) is plain
    responses = asked()
    assert without_claude_fields(responses, OPENAI) is responses


def test_thoughts_in_an_envelope_go_to_claude_alone() -> None:
    """A client of Gemini's own API carries them for it."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "S1"}
    part: dict[str, Any] = {"functionCall": {"id": "a", "name": "f", "args": {}}}
    part["thoughtSignature"] = pack_thoughts([thought], "abcde", "a", "tenant")
    contents = [{"role": "user", "parts": [{"text": "go"}]}, {"role": "model", "parts": [part]}]
    body = write_json({"contents": contents})
    request = to_chat(read_fields(body, model="m", max_nesting=50), tenant="tenant").chat

    assert request.messages[1]["thinking_blocks"] == [thought]
    assert without_claude_fields(request, ANTHROPIC) is request
    done = without_claude_fields(request, OPENAI)
    assert "thinking_blocks" not in done.messages[1]
    assert [(change.index, change.reason) for change in done.mended] == [(1, "claude_field")]


def test_tools_without_marks_are_one_object_for_all_requests() -> None:
    """Their schemas are cleaned once."""
    first, second = (without_claude_fields(request_of(user("go"), tools=[TOOL]), OPENAI) for _ in range(2))

    assert first.known_tools is not None
    assert first.parameters["tools"] is first.known_tools.tools
    assert second.parameters["tools"] is first.parameters["tools"]


SPLIT = assistant(thought("S2"), said("y"), thought("S3"), used("b"))


@pytest.mark.parametrize("profile", [ANTHROPIC, BEDROCK_CLAUDE])
@pytest.mark.parametrize(
    ("items", "kept", "named"),
    [
        (ITEMS, ["S1"], []),
        ([ITEMS[0], SPLIT, user(answered("b"))], [], [1]),
        ([*ITEMS[:3], SPLIT, user(answered("b"))], [], [1, 3]),
        ([ITEMS[0], SPLIT, user(answered("b")), *ITEMS], ["S1"], [1]),
    ],
)
def test_thoughts_whose_places_litellm_loses_are_left_out(
    profile: Any, items: list[Any], kept: list[str], named: list[int]
) -> None:
    """Claude refuses thoughts that were moved. Those of an open turn go together, and the rest stays."""
    done = without_claude_fields(request_of(*items), profile)

    text = json.dumps(done.messages)
    assert [name for name in ("S1", "S2", "S3") if name in text] == kept
    assert [
        (change.index, change.reason) for change in done.mended if change.reason == "thinking_places"
    ] == [(index, "thinking_places") for index in named]


def test_claudes_own_wire_gets_the_places() -> None:
    request = request_of(ITEMS[0], SPLIT, user(answered("b")))
    profile = ANTHROPIC.over_messages(is_claude=True, takes_systems=True)

    assert without_claude_fields(request, profile) is request
