"""Equal tool lists share one cached object, and are treated like lists that are not cached."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.chat_request import LARGEST_KNOWN
from proxy.core.errors import InvalidRequest
from proxy.core.nesting import depth_of, nesting_exceeds
from proxy.ingress.openai_chat.known_tools import known_tools
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.planning.clean_tools import clean_declared
from proxy.planning.guard_turns import guard_chat
from sanitizers import Unrepairable
from sanitizers.name_rules import GEMINI_NAMES, OPENAI_NAMES, NameRule
from sanitizers.outline import DEPTH
from sanitizers.schemas import DIALECTS, Target
from sanitizers.tool_names import rename_tools
from sanitizers.turns import TurnPolicy
from tests.support.builders import assistant, call, text, tool, user

TARGETS = [Target(dialect) for dialect in DIALECTS.values()]

leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=3),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["a", "const", "type"]), inner, max_size=2),
    ),
    max_leaves=6,
)
schemas = st.dictionaries(st.sampled_from(["properties", "type", "const", "enum", "x"]), values, max_size=3)


def declared(schema: Any, name: str = "f") -> dict[str, Any]:
    """Return a tool with this name and parameter schema."""
    return {"type": "function", "function": {"name": name, "parameters": schema}}


def asked(tools: Any, max_nesting: int = 100, messages: Any = None) -> Any:
    """Return the parsed request, or its error."""
    body = {"model": "m", "messages": messages or [user("a")], "tools": tools}
    try:
        return parse_chat_request(json.dumps(body).encode(), max_nesting=max_nesting)
    except InvalidRequest as error:
        return error.message, error.param


@given(st.lists(schemas.map(declared), max_size=3))
def test_cached_tools_equal_the_sent_tools(tools: list[Any]) -> None:
    """Equal lists give the same cached object."""
    first, second = asked(tools), asked(tools)

    assert first.parameters["tools"] == tools
    assert json.dumps(first.parameters["tools"]) == json.dumps(tools)
    assert second.parameters["tools"] is first.parameters["tools"] is first.known_tools.tools


@given(
    st.lists(
        st.sampled_from(["f", "g", "9f", "a.b", "task", "handoff_x", "f\ng", "é"]).map(
            lambda name: declared({}, name)
        ),
        max_size=4,
    ),
    st.sampled_from([{}, {"tool_choice": "auto"}, {"functions": [{"name": "task"}]}]),
    st.sampled_from([OPENAI_NAMES, GEMINI_NAMES]),
)
def test_guard_and_renaming_read_the_same_names_from_cached_tools(
    tools: list[Any], further: dict[str, Any], rule: NameRule
) -> None:
    """The turn guard and the renaming of tools give the same result with and without the cached tools."""
    body = {
        "model": "m",
        "messages": [user("a"), assistant("b", [call("c", "task")]), tool("c")],
        "tools": tools,
    }
    chat = parse_chat_request(json.dumps({**body, **further}).encode(), max_nesting=100)
    known = chat.known_tools
    assert known is not None
    for mode in ("warn", "enforce"):
        policy = TurnPolicy(mode, 5, 1, max_delegation_rounds=1, tell_model=True)
        guarded = guard_chat(chat, policy, None, mode="repair")
        assert guarded[1] == guard_chat(replace(chat, known_tools=None), policy, None, mode="repair")[1]
    renamed = rename_tools(chat.messages, chat.parameters, rule, chat.outline, known.names)
    assert renamed == rename_tools(chat.messages, chat.parameters, rule)


@given(st.lists(schemas.map(declared), max_size=3), st.sampled_from(TARGETS))
def test_cached_tools_are_cleaned_in_the_same_way(tools: list[Any], target: Target) -> None:
    """Cached tools are cleaned or refused in the same way as tools that are not cached."""
    known = known_tools(tools)
    assert known is not None
    outcomes: list[Any] = []
    for seen in (None, known, known):
        try:
            cleaned, changes = clean_declared({"tools": known.tools}, target, seen)
            outcomes.append((cleaned, changes, cleaned["tools"] is known.tools))
        except Unrepairable as error:
            outcomes.append((str(error), (), False))
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize(
    "tools", [[7], [{"type": "mcp"}], [declared([])], [declared({}, "")], {}, "x", 7], ids=str
)
def test_error_of_faulty_tools_is_raised_each_time(tools: Any) -> None:
    """The cache holds no errors, so each request with faulty tools gets its own error."""
    assert isinstance(asked(tools), tuple)
    assert asked(tools) == asked(tools)


@given(st.lists(schemas.map(declared), max_size=2), st.integers(1, 12), st.integers(0, 3))
def test_limit_of_nesting_is_the_same_for_cached_tools(tools: list[Any], limit: int, deep: int) -> None:
    """The nesting of messages and the nesting of tools both count for the limit."""
    odd: Any = [text("x", deep=[[]])]
    histories = (
        [user("a")],
        [user(odd)],
        [assistant(None, [call("c1")]), tool("c1")],
        [user("a"), user(odd)],
    )
    body = {"model": "m", "messages": histories[deep], "tools": tools}

    refused = asked(tools, limit, histories[deep]) == (
        f"The body is nested deeper than {limit} levels.",
        None,
    )

    assert refused == nesting_exceeds(body, limit)


@given(values)
def test_depth_is_that_of_the_deepest_container(value: Any) -> None:
    """A container exceeds a limit below its depth, and does not exceed a limit at its depth."""
    if isinstance(value, dict | list):
        assert nesting_exceeds(value, depth_of(value) - 1) or depth_of(value) == 1
        assert not nesting_exceeds(value, depth_of(value))


def test_depth_of_a_plain_message_is_the_declared_constant() -> None:
    """``DEPTH`` is the nesting of a message with a signed call."""
    signed = call("c1", extra_content={"google": {"thought_signature": "c2lnbmVk"}})
    assert depth_of(assistant(None, [signed])) == DEPTH


def test_large_tool_list_is_not_cached() -> None:
    """A large tool list is not cached, and the request still holds the list."""
    tools = [declared({"description": "x" * LARGEST_KNOWN})]
    assert known_tools(tools) is None
    assert asked(tools).parameters["tools"] == tools


def test_refused_tool_list_is_not_cached() -> None:
    """A faulty tool list is not cached, since a client could fill the cache with such lists."""
    refused: list[Any] = [{}, {"type": 5}]
    declared = [{"type": "function", "function": {"name": "f"}}]
    assert known_tools(refused) is not known_tools(refused)
    assert known_tools(declared) is known_tools(declared)


@pytest.mark.parametrize("item", [[], {}, 1, "", {"a": 1}, [[]]])
def test_list_of_many_small_parts_is_not_cached(item: Any) -> None:
    """A tool list of many small parts is not cached, since its memory is many times its bytes."""
    many = [declared({"enum": [item] * 8_200})]
    few = [declared({"enum": [item] * 2_000})]

    assert known_tools(many) is None
    assert known_tools(few) is known_tools(json.loads(json.dumps(few)))
    assert asked(many).parameters["tools"] == many
