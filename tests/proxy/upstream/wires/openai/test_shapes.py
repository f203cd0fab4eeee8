"""Tests that answers in other shapes are rewritten as OpenAI writes them, or raise the provider's fault."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.planning.signatures.client_ids import CallIds
from tests.proxy.upstream.wires.openai.reading import (
    CALL,
    FUNCTION,
    STREAMED_IDS,
    TOKEN,
    USAGE,
    is_refused,
    streamed,
    whole,
)
from tests.support.scripted_upstream import answer, chunk

ODD: list[Any] = [True, False, 0, 7, -1, 0.5, "", "x", [], [1], [[]], {}, {"a": 1}]


def message_of(**message: Any) -> Any:
    """Return the message that a client gets when the provider's message has these fields."""
    return whole(answer(**message))["choices"][0]["message"]


def call_of(call: Any) -> Any:
    """Return the call that a client gets for the provider's *call* in a whole answer."""
    [found] = message_of(tool_calls=[call])["tool_calls"]
    return found


def pieces_of(*values: Any) -> list[Any]:
    """Return the pieces of calls that a client gets from these events."""
    choices = [choice for found in streamed(*values) for choice in found["choices"]]
    return [piece for choice in choices for piece in choice["delta"].get("tool_calls", ())]


def piece_of(piece: Any) -> Any:
    """Return the piece that a client gets for the provider's *piece* of a call in a stream."""
    [found] = pieces_of(chunk({"tool_calls": [piece]}))
    return found


@pytest.mark.parametrize("index", [True, False, -1, 0.0, "0", [], [0], {}], ids=repr)
def test_index_that_is_no_place_is_refused(index: Any) -> None:
    """A choice with an invalid index is refused, since the index could mean any choice."""
    is_refused(
        {"choices": [{"index": index, "message": {"content": "x"}, "finish_reason": "stop"}]},
        chunk({"content": "x"}, index=index),
    )


def test_choice_without_an_index_gets_its_place() -> None:
    """A choice without an index, or with an index of null, gets its position."""
    choices = [
        {"message": {}, "finish_reason": "stop"},
        {"index": None, "message": {}, "finish_reason": "stop"},
    ]

    assert [found["index"] for found in whole({"choices": choices})["choices"]] == [0, 1]
    assert streamed({"choices": [{"index": None, "delta": {"content": "x"}}]})[0]["choices"][0]["index"] == 0


@pytest.mark.parametrize("choice", [{}, {"message": None}, {"text": "x"}], ids=repr)
def test_whole_answer_without_a_message_is_refused(choice: Any) -> None:
    """A choice of a whole answer needs a message. In a stream, a choice may have no delta."""
    with pytest.raises(UpstreamFault, match="not a chat completion"):
        whole({"choices": [{"index": 0, "finish_reason": "stop", **choice}]})
    assert streamed({"choices": [{"index": 0, "finish_reason": "stop"}]})


def test_choices_that_share_an_index_are_numbered_by_their_order() -> None:
    """Some servers send the index 0 for all choices."""
    choices = [{"index": 0, "message": {"content": text}, "finish_reason": "stop"} for text in "ab"]

    found = whole({"choices": choices})["choices"]
    assert [(choice["index"], choice["message"]["content"]) for choice in found] == [(0, "a"), (1, "b")]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"reasoning": "r"}, "r"),
        ({"reasoning": "r", "reasoning_content": None}, "r"),
        ({"reasoning": "r", "reasoning_content": "c"}, "c"),
        ({"reasoning": None}, None),
        ({"reasoning": {"effort": "low"}}, None),
        ({"reasoning": "r", "reasoning_details": [{"text": "r"}]}, "r"),
    ],
    ids=repr,
)
def test_reasoning_is_read_under_each_name_once(given: Any, wanted: str | None) -> None:
    """OpenRouter, Ollama and newer vLLM call the field ``reasoning``.

    The client gets the text once, as ``reasoning_content``.
    """
    for found in (message_of(**given), streamed(chunk(given))[0]["choices"][0]["delta"]):
        assert found.get("reasoning_content") == wanted
        assert "reasoning" not in found


OTHER_TYPES: dict[str, list[Any]] = {
    "content": [
        *(True, 0, 7, {}, {"text": "x"}, [1], [["x"]], [{"type": "image_url"}]),
        *([{"type": "reasoning", "summary": odd}] for odd in (7, "t", {"text": "t"}, [{"text": 7}])),
    ],
    "reasoning_content": [True, 7, [], {}],
    "refusal": [True, 7, [], {}],
    "arguments": [True, 0, 7, [], ["x"]],
    "name": [True, 0, [], {}],
    "id": [True, 0.5, [], {}],
}


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in OTHER_TYPES.items() for value in values]
)
def test_field_of_a_message_or_call_with_an_unreadable_type_is_refused(field: str, value: Any) -> None:
    """A whole answer and an event with such a field are both refused."""
    delta: dict[str, Any] = {field: value}
    if field in ("arguments", "name"):
        delta = {"tool_calls": [{**CALL, "function": {**FUNCTION, field: value}}]}
    elif field == "id":
        delta = {"tool_calls": [{**CALL, "id": value}]}
    others = {name: held for name, held in delta.items() if name != "content"}
    is_refused(answer(delta.get("content"), **others), chunk(delta))


@pytest.mark.parametrize(
    ("content", "text", "thought"),
    [
        ([], "", None),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab", None),
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "t"}]},
                {"type": "text", "text": "a"},
            ],
            "a",
            "t",
        ),
        ([{"type": "thinking", "thinking": "t"}], "", "t"),
        (
            [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "t", "signature": "s"}]},
                {"type": "text", "text": "a"},
            ],
            "a",
            "t",
        ),
        ([{"type": "reasoning", "summary": [{"text": "t"}, {"text": "u"}]}], "", "tu"),
        ([{"type": "reasoning", "summary": []}, {"type": "text", "text": "a"}], "a", None),
        ([{"type": "reasoning"}], "", None),
    ],
)
def test_content_parts_are_joined_and_thoughts_become_reasoning(
    content: Any, text: str, thought: str | None
) -> None:
    """Mistral's reasoning models send content in parts, and so do those at Databricks."""
    for found in (message_of(text=content), streamed(chunk({"content": content}))[0]["choices"][0]["delta"]):
        assert (found["content"], found.get("reasoning_content")) == (text, thought)


@pytest.mark.parametrize(
    ("arguments", "written"),
    [({"a": "é", "b": [1]}, '{"a":"é","b":[1]}'), ({}, "{}"), ("", "{}"), ('{"a"', '{"a"'), (None, "{}")],
)
def test_arguments_become_json_text(arguments: Any, written: str) -> None:
    """Null and an empty text become an empty object. Any other text stays unchanged."""
    call = {**CALL, "function": {"name": "f", "arguments": arguments}}

    assert call_of(call)["function"] == {"name": "f", "arguments": written}
    first, *more = pieces_of(chunk({"tool_calls": [{"index": 0, **call}]}), chunk(finish="stop"))
    assert first["function"]["name"] == "f"
    assert "".join(piece["function"]["arguments"] for piece in (first, *more)) == written


def test_null_name_of_a_legacy_function_is_left_out() -> None:
    """A function call with neither a name nor arguments is left out."""
    event = chunk({"function_call": {"name": None, "arguments": "{}"}})

    assert streamed(event)[0]["choices"][0]["delta"]["function_call"] == {"arguments": "{}"}
    more = chunk({"content": "x", "function_call": {"name": "f", "arguments": "{}", "choices": None}})
    assert streamed(more)[0]["choices"][0]["delta"]["function_call"] == {"name": "f", "arguments": "{}"}
    none = chunk({"content": "x", "function_call": {"choices": None}})
    assert "function_call" not in streamed(none)[0]["choices"][0]["delta"]


@pytest.mark.parametrize(
    "call", [{**CALL, "function": {"arguments": "{}"}}, {"id": "c1"}, {**CALL, "function": None}]
)
def test_call_without_a_name_is_refused(call: Any) -> None:
    """In a stream the call's name may come later, but before the answer ends."""
    event = chunk({"tool_calls": [{"index": 0, **call}]})
    name = chunk({"tool_calls": [{"index": 0, "function": {"name": "f"}}]})

    with pytest.raises(UpstreamFault):
        call_of(call)
    assert pieces_of(event) == pieces_of(event, chunk(finish="length")) == []
    assert [(piece["id"], piece["function"]["name"]) for piece in pieces_of(event, name)] == [("c1", "f")]
    with pytest.raises(UpstreamFault, match="without a name") as caught:
        streamed(event, chunk(finish="stop"))
    assert caught.value.cause is Cause.MALFORMED_CALL


@pytest.mark.parametrize(("call_id", "written"), [(7, "7"), (0, "0"), ("c1", "c1")])
def test_numeric_id_becomes_its_digits(call_id: Any, written: str) -> None:
    """A numeric id of a call becomes a text, since clients expect a text."""
    assert call_of({**CALL, "id": call_id})["id"] == written
    assert piece_of({"index": 0, **CALL, "id": call_id})["id"] == written


@pytest.mark.parametrize("call_id", [None, ""])
def test_call_without_an_id_gets_one(call_id: Any) -> None:
    """The proxy's id for such a call is unique in the answer. Later pieces of the call have no id."""
    call = {**CALL, "id": call_id, "type": None}
    calls = message_of(tool_calls=[call, call])["tool_calls"]
    begun = {**call, "function": {"name": "f", "arguments": '{"a":'}}
    pieces = [
        {"index": 0, **begun},
        {"index": 1, **begun},
        {"index": 0, "id": call_id, "function": {"arguments": "1}"}},
    ]
    found = pieces_of(*(chunk({"tool_calls": [piece]}) for piece in pieces))

    ids = CallIds("chatcmpl-0123456789abcdef01234567")
    assert [found["id"] for found in calls] == [ids.id_for(None, 0, at) for at in (0, 1)]
    assert [piece.get("id") for piece in found] == [*STREAMED_IDS, None]
    assert [piece.get("type") for piece in found] == ["function", "function", None]
    assert len({*STREAMED_IDS, *(found["id"] for found in calls)}) == 4


def test_whole_calls_without_index_and_id_are_told_apart_by_their_names() -> None:
    """A piece without a name belongs to the call before it."""
    events = [
        chunk({"tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}),
        chunk({"tool_calls": [{"function": {"name": "f", "arguments": ""}}]}),
        chunk({"tool_calls": [{"function": {"arguments": '{"b": 2}'}}]}),
    ]
    found = pieces_of(*events)

    assert [piece["index"] for piece in found] == [0, 1, 1]
    assert [piece.get("id") for piece in found] == [*STREAMED_IDS, None]


@pytest.mark.parametrize("index", [True, -1, 0.5, "0", [], {}], ids=repr)
def test_invalid_index_of_a_call_s_piece_is_refused(index: Any) -> None:
    """Without a valid index, the call of the piece would be unknown."""
    with pytest.raises(UpstreamFault):
        piece_of({**CALL, "index": index})


@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize("name", ["id", "created", "model", "system_fingerprint", "service_tier", "object"])
def test_invalid_field_of_the_answer_s_head_is_no_fault(name: str, value: Any) -> None:
    """An invalid field is filled like a missing field, or left out."""
    whole({**answer(), name: value})
    streamed(chunk({"content": "x"}, **{name: value}))


@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize(
    "name", ["prompt_tokens", "total_tokens", "prompt_tokens_details", "completion_tokens_details"]
)
def test_invalid_count_in_the_usage_is_left_out(name: str, value: Any) -> None:
    """The answer has no usage if a count is missing and cannot be computed."""
    is_count = type(value) is int and value >= 0
    missing = name == "prompt_tokens" and not is_count
    prompt = value if name == "prompt_tokens" else 7
    counts = (
        {"prompt_tokens": prompt, "completion_tokens": 3, "total_tokens": prompt + 3} if not missing else None
    )
    check_usage({**USAGE, name: value}, counts)
    details = {"prompt_tokens_details": {"cached_tokens": value}}
    check_usage({**USAGE, **details}, {**USAGE, "total_tokens": 10, **(details if is_count else {})})
    check_usage(details, None)


def check_usage(usage: Any, wanted: Any) -> None:
    """Check the usage that a client gets with a whole answer and at the end of a stream."""
    found = streamed(chunk({"content": "x"}, usage=usage))

    assert whole({**answer(), "usage": usage}).get("usage") == wanted
    assert [read.get("usage") for read in found] == ([None] if wanted is None else [None, wanted])


@pytest.mark.parametrize(
    ("usage", "wanted"),
    [
        ({"prompt_tokens": 7.0, "completion_tokens": 3}, (7, 3)),
        ({**USAGE, "total_tokens": 9}, (7, 3)),
        ({"prompt_tokens": 7, "total_tokens": 10}, (7, 3)),
        ({"completion_tokens": 3, "total_tokens": 10}, (7, 3)),
        ({"prompt_tokens": 7, "total_tokens": 6}, None),
        ({"total_tokens": 10}, None),
        ({"prompt_tokens": 7}, None),
        ({}, None),
    ],
)
def test_missing_count_is_what_the_total_leaves(usage: Any, wanted: tuple[int, int] | None) -> None:
    """A missing count is the total less the other count. Floats that are whole numbers are counts too."""
    if wanted is None:
        check_usage(usage, None)
    else:
        names = ("prompt_tokens", "completion_tokens", "total_tokens")
        check_usage(usage, dict(zip(names, (*wanted, sum(wanted)), strict=True)))


@pytest.mark.parametrize(
    ("extra", "wanted"),
    [
        (
            {"prompt_tokens_details": {"cached_tokens": 2, "x": None}},
            {"prompt_tokens_details": {"cached_tokens": 2}},
        ),
        ({"prompt_tokens_details": {"text_tokens": 2}, "cost": 0.1}, {}),
        (
            {"prompt_cache_hit_tokens": 2, "prompt_cache_miss_tokens": 5},
            {"prompt_tokens_details": {"cached_tokens": 2}},
        ),
        ({"cached_tokens": 2}, {"prompt_tokens_details": {"cached_tokens": 2}}),
        (
            {"cached_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}},
            {"prompt_tokens_details": {"cached_tokens": 1}},
        ),
        (
            {"total_tokens": 15},
            {
                "completion_tokens": 8,
                "total_tokens": 15,
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
        ),
    ],
)
def test_usage_details_are_read_under_each_name(extra: Any, wanted: Any) -> None:
    """If the total exceeds prompt plus completion tokens, the difference counts as reasoning tokens."""
    check_usage({**USAGE, **extra}, {**USAGE, "total_tokens": 10, **wanted})


@pytest.mark.parametrize("usage", [True, 0, 7, "", "x", [], [1]], ids=repr)
def test_usage_that_is_no_object_is_refused(usage: Any) -> None:
    """A body with such a usage is no answer of OpenAI's wire."""
    is_refused({**answer(), "usage": usage}, chunk({"content": "x"}, usage=usage))


@pytest.mark.parametrize(
    "logprobs",
    [
        *ODD,
        {"tokens": ["a"], "token_logprobs": [-1]},
        {"content": {}},
        {"content": [1]},
        {"content": [{"token": 1, "logprob": 0}]},
        {"content": [{"token": "a", "logprob": True}]},
        {"content": [{**TOKEN, "bytes": ["a"]}]},
        {"content": [{**TOKEN, "top_logprobs": [1]}]},
        {"content": [TOKEN], "refusal": 1},
    ],
    ids=repr,
)
def test_invalid_log_probabilities_of_a_chat_are_left_out(logprobs: Any) -> None:
    """Log probabilities of another shape, such as that of text completions, are left out."""
    value = answer()
    value["choices"][0]["logprobs"] = logprobs
    event = chunk({"content": "x"})
    event["choices"][0]["logprobs"] = logprobs

    assert "logprobs" not in whole(value)["choices"][0]
    assert "logprobs" not in streamed(event)[0]["choices"][0]


@pytest.mark.parametrize(
    "logprobs", [{"content": [TOKEN], "refusal": None}, {"content": None}, {"refusal": [TOKEN]}]
)
def test_log_probabilities_of_chats_stay(logprobs: Any) -> None:
    """The client gets valid log probabilities unchanged."""
    value = answer()
    value["choices"][0]["logprobs"] = logprobs

    assert whole(value)["choices"][0]["logprobs"] == logprobs


@pytest.mark.parametrize(("name", "value"), [("audio", 1), ("annotations", 1), ("annotations", [1])])
def test_invalid_audio_and_annotations_are_left_out(name: str, value: Any) -> None:
    """Invalid audio and annotations are left out, since the text is complete without them."""
    assert name not in message_of(**{name: value})
    assert name not in streamed(chunk({"content": "x", name: value}))[0]["choices"][0]["delta"]
