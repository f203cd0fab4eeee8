"""Draws events of OpenAI's wire with valid types, in combinations that no careful server would send."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_SIGNED = st.just({"google": {"thought_signature": "c2ln"}})
_DETAILS = [{"type": "reasoning.encrypted", "id": "a", "data": "c2ln"}]


def _some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw an object with any of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


_TEXTS = st.sampled_from(["", None, "a", " ", "日", "\ud83d", "\ude00"])
_ARGUMENTS = st.sampled_from(
    ["", None, "{", "}", "{}", '{"a":1}', '{"a"', ":1}", '"{}"', "null", "x", " ", "\ud83d"]
)
_FUNCTION = _some(name=st.sampled_from(["f", "f", "", None]), arguments=_ARGUMENTS)
_PIECE = _some(
    index=st.sampled_from([0, 1, 2, None]),
    id=st.sampled_from(["a", "b", "", None]),
    type=st.just("function"),
    function=_FUNCTION,
    extra_content=_SIGNED,
)
_DELTA = _some(
    role=st.just("assistant"),
    content=_TEXTS,
    reasoning_content=_TEXTS,
    refusal=_TEXTS,
    function_call=st.none() | _FUNCTION,
    audio=st.sampled_from([None, {}]),
    annotations=st.sampled_from([None, [], [{}]]),
    tool_calls=st.none() | st.lists(_PIECE, max_size=3),
    extra_content=_SIGNED,
    reasoning_details=st.just(_DETAILS),
)
_CHOICE = _some(
    index=st.sampled_from([0, 0, 0, 1, None]),
    delta=st.none() | _DELTA,
    finish_reason=st.sampled_from([None, None, None, "stop", "tool_calls", "function_call", "length"]),
    logprobs=st.sampled_from([None, {"content": []}, {"content": None}, {}]),
)
_USAGE = st.sampled_from([None, {"prompt_tokens": 1, "completion_tokens": 2}, {"total_tokens": 3}])
_EVENT = st.fixed_dictionaries(
    {"choices": st.lists(_CHOICE, max_size=2)},
    optional={
        "id": st.sampled_from(["x", "y", "", None]),
        "model": st.sampled_from(["m", "n", None, 1]),
        "usage": _USAGE,
    },
)


def loose_events() -> st.SearchStrategy[list[dict[str, Any]]]:
    """Draw the events of one stream.

    A choice may occur twice in an event, calls may change their ids and indices, and characters may be cut in half.
    Only one tool name occurs. Two names without arguments between them would be one name in pieces, which is passed on
    unchanged.
    """
    return st.lists(_EVENT, max_size=6)
