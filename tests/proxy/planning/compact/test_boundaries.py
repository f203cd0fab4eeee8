"""Tests of the places where a history can be cut."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.planning.compact.boundaries import find_boundaries, is_boundary
from tests.support.builders import assistant, call, tool, user


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([], [0]),
        ([user(), assistant("a"), user()], [0, 1, 2, 3]),
        ([user(), assistant(None, [call("c")]), tool("c"), user()], [0, 1, 3, 4]),
        ([user(), assistant(None, [call("c"), call("d")]), tool("c"), tool("d")], [0, 1, 4]),
        # A late result holds its round open.
        ([assistant(None, [call("c")]), user(), tool("c"), user()], [0, 3, 4]),
        # Parallel calls in two messages.
        (
            [assistant(None, [call("c")]), assistant(None, [call("d")]), tool("c"), tool("d"), user()],
            [0, 4, 5],
        ),
        # An id that a client uses again belongs to the newest call.
        ([assistant(None, [call("c")]), tool("c"), assistant(None, [call("c")]), tool("c")], [0, 2, 4]),
        # A result of a used id may belong to the older call, which has none yet.
        ([assistant(None, [call("c")]), assistant(None, [call("c")]), tool("c"), user(), tool("c")], [0, 5]),
        # The last of several results of one call counts, so they stay together.
        ([assistant(None, [call("c")]), tool("c"), user(), tool("c"), user()], [0, 4, 5]),
        # A call without a result ends with its message, and a result without a call begins nothing.
        ([assistant(None, [call("c")]), user(), tool("x"), user()], [0, 1, 3, 4]),
        (
            [assistant("a", function_call={"name": "f"}), {"role": "function", "name": "f", "content": ""}],
            [0, 2],
        ),
        ([assistant(None, [call("c__thought__abc")]), user(), tool("c")], [0, 3]),
    ],
)
def test_boundaries_separate_no_call_from_its_result(messages: list[Any], expected: list[int]) -> None:
    """A boundary stands before no result, and between no call and its result."""
    assert find_boundaries(messages) == expected


_MESSAGES = st.lists(
    st.one_of(
        st.just(user()),
        st.lists(st.sampled_from("abc"), max_size=2).map(lambda ids: assistant("x", map(call, ids))),
        st.sampled_from("abc").map(tool),
    ),
    max_size=12,
)


@given(_MESSAGES)
def test_each_boundary_splits_no_pair(messages: list[dict[str, Any]]) -> None:
    """The newest call before a result stands on the same side of each boundary as the result."""
    for boundary in find_boundaries(messages):
        for at in range(boundary, len(messages)):
            if messages[at]["role"] != "tool":
                continue
            name = messages[at]["tool_call_id"]
            callers = [
                place
                for place in range(at)
                if any(made["id"] == name for made in messages[place].get("tool_calls", ()))
            ]
            answered = [
                place
                for place in range(at)
                if messages[place]["role"] == "tool" and messages[place]["tool_call_id"] == name
            ]
            if len(callers) > len(answered):  # a call without a result may be the one that is answered
                assert callers[0] >= boundary or answered
            assert not callers or callers[-1] >= boundary


@given(_MESSAGES)
def test_one_place_is_judged_as_in_the_whole_list(messages: list[dict[str, Any]]) -> None:
    """A look-up asks for one place, and a cut for all of them."""
    found = [at for at in range(len(messages) + 1) if is_boundary(messages, at)]
    assert found == find_boundaries(messages)


_ODD = st.recursive(
    st.none() | st.text(max_size=3) | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["id", "function"]), inner),
)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"role": st.sampled_from(["assistant", "tool"])},
            optional={"tool_calls": _ODD, "tool_call_id": _ODD, "function_call": _ODD},
        )
    )
)
def test_boundaries_never_raise_for_odd_messages(messages: list[dict[str, Any]]) -> None:
    """The history is read before it is checked, so fields may hold any JSON value."""
    assert find_boundaries(messages) == [at for at in range(len(messages) + 1) if is_boundary(messages, at)]
