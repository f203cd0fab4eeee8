"""Tests that any JSON in place of an answer gives a legal answer, or raises the provider's fault."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import UpstreamFault
from tests.proxy.upstream.wires.openai.reading import CALL, FUNCTION, TOKEN, USAGE, streamed, whole
from tests.support.scripted_upstream import answer, chunk

RICH = {
    **answer(reasoning_content="r", refusal=None, annotations=[{}], tool_calls=[CALL, {**CALL, "id": "c2"}]),
    "usage": {**USAGE, "total_tokens": 10, "prompt_tokens_details": {"cached_tokens": 2}},
    "system_fingerprint": "fp",
}
RICH["choices"][0]["logprobs"] = {"content": [TOKEN], "refusal": None}
EVENTS: list[Any] = [
    chunk({"role": "assistant", "content": ""}),
    {
        "choices": [
            {"index": 0, "delta": {"content": "a"}, "logprobs": {"content": [TOKEN]}, "finish_reason": None}
        ]
    },
    chunk({"tool_calls": [{"index": 0, **CALL}, {"index": 1, "function": {"name": "g", "arguments": "x"}}]}),
    chunk({"function_call": FUNCTION, "reasoning_content": "r"}, index=1),
    chunk(finish="stop"),
    {"choices": [], "usage": {**USAGE, "completion_tokens_details": {"reasoning_tokens": 2}}},
]
NAMES = [
    "choices",
    "message",
    "delta",
    "tool_calls",
    "function",
    "index",
    "id",
    "content",
    "usage",
    "error",
    "logprobs",
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 600)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to every value within a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inner:
        yield (*path, key)
        yield from places(child, (*path, key))


@st.composite
def damaged(draw: st.DrawFn, value: Any) -> Any:
    """Draw *value* with one to three of its inner values replaced or left out."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        found = list(places(value))
        if not found:
            break
        *path, last = draw(st.sampled_from(found))
        holder = value
        for key in path:
            holder = holder[key]
        if draw(st.booleans()):
            holder[last] = draw(JSON)
        else:
            del holder[last]
    return value


@given(value=JSON | damaged(RICH))
def test_any_answer_is_legal_or_the_providers_fault(value: Any) -> None:
    """The client gets a legal answer, or the provider's fault is raised."""
    try:
        whole(value)
    except UpstreamFault:
        return


@given(values=st.lists(JSON, max_size=3) | damaged(EVENTS))
def test_any_stream_is_legal_or_the_providers_fault(values: list[Any]) -> None:
    """Every chunk before the fault is legal."""
    try:
        streamed(*values)
    except UpstreamFault:
        return


def test_undamaged_samples_are_legal() -> None:
    """The client gets the whole sample unchanged, except for a null refusal and a corrected finish reason."""
    [choice] = RICH["choices"]
    message = {name: value for name, value in choice["message"].items() if name != "refusal"}
    assert whole(RICH) == {**RICH, "choices": [{**choice, "message": message, "finish_reason": "tool_calls"}]}
    assert len(streamed(*EVENTS)) == len(EVENTS)
