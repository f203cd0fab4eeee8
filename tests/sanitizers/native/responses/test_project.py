"""Tests of reading items as chat messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sanitizers import Unrepairable, sanitize
from sanitizers.gemini_profiles import GEMINI_3_STRICT
from sanitizers.native.protocol import Span
from sanitizers.native.responses import SUMMARY_START, pack_summary, project, read_tools
from tests.sanitizers.native.responses.building import (
    NO_TOOLS,
    Item,
    answered,
    called,
    projected,
    said,
    sealed,
    signature_of,
    thought,
)
from tests.support.builders import PNG_URL


def shapes(messages: list[dict[str, Any]]) -> list[Any]:
    """Return each message as its role with its text, calls and call id."""
    return [
        (
            message["role"],
            message["content"],
            *[call["id"] for call in message.get("tool_calls", ())],
            *([message["tool_call_id"]] if "tool_call_id" in message else []),
        )
        for message in messages
    ]


def outcomes(*items: Item) -> list[tuple[int, str, str]]:
    """Return the changes of a projection, each as index, reason and detail."""
    return [(change.index, change.reason, change.detail) for change in projected(*items).changes]


def refusal_of(*items: Any) -> Unrepairable:
    """Return the error with which *items* are refused."""
    with pytest.raises(Unrepairable) as caught:
        project([*items], NO_TOOLS)
    return caught.value


@pytest.mark.parametrize(
    "turn",
    [
        [thought(), said("x", "assistant"), called("a"), called("b")],
        [called("a"), thought(), called("b"), said("x", "assistant")],
        [
            said("x", "assistant"),
            called("a"),
            {"type": "web_search_call", "id": "ws"},
            called("b"),
            thought(),
        ],
    ],
)
def test_all_that_the_model_says_between_two_client_items_is_one_message(turn: list[Item]) -> None:
    """Reasoning, texts and calls in any order become one message, so that no result loses its call."""
    done = projected(said("go"), *turn, answered("b"), answered("a"), said("thanks"))

    assert shapes(done.messages) == [
        ("user", "go"),
        ("assistant", "x", "a", "b"),
        ("tool", "ok", "b"),
        ("tool", "ok", "a"),
        ("user", "thanks"),
    ]
    assert done.spans[1] == Span(range(1, 1 + len(turn)), range(1, 2))


@pytest.mark.parametrize("role", ["user", "system", "developer"])
def test_client_message_closes_the_turn_and_keeps_its_place(role: str) -> None:
    """A message of the client's stands between two turns, also a developer's in mid-history."""
    done = projected(said("a", "assistant"), said("stop", role), said("b", "assistant"))

    assert shapes(done.messages) == [("assistant", "a"), (role, "stop"), ("assistant", "b")]


def test_two_texts_of_one_turn_are_joined() -> None:
    """A commentary and the final answer of one turn become one text. The phase is dropped."""
    done = projected(
        said("first", "assistant", phase="commentary"), said("last", "assistant", phase="final_answer")
    )

    assert done.messages == [{"role": "assistant", "content": "first\n\nlast"}]


def test_instructions_are_a_system_message_of_no_item() -> None:
    """Instructions become a system message in front, whose span has no item."""
    done = project([said("go")], NO_TOOLS, "Be brief.")

    assert shapes(done.messages) == [("system", "Be brief."), ("user", "go")]
    assert done.spans == [Span(range(0), range(1)), Span(range(1), range(1, 2))]
    assert done.message_of(0) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, {"role": "assistant", "content": ""}),
        ([], {"role": "assistant", "content": ""}),
        ([{"type": "refusal", "refusal": "no"}], {"role": "assistant", "content": None, "refusal": "no"}),
        (
            [{"type": "output_text", "text": "a"}, {"type": "output_text", "text": "b"}],
            {"role": "assistant", "content": "ab"},
        ),
    ],
)
def test_assistant_message_is_its_text_and_its_refusal(content: Any, message: dict[str, Any]) -> None:
    """The parts of an assistant message are joined. An empty content is legal (vllm#45276)."""
    assert projected({"role": "assistant", "content": content}).messages == [message]


def test_image_of_an_assistant_is_left_out_and_reported() -> None:
    """An assistant message cannot hold an image."""
    image = {"type": "input_image", "image_url": PNG_URL}

    assert outcomes({"role": "assistant", "content": [image]}) == [
        (0, "refused_part", "content[0]:input_image")
    ]


def test_envelope_signs_the_calls_of_its_turn_by_call_id() -> None:
    """An envelope signs the calls that it names, wherever in the turn it stands, and no call of another turn."""
    turn = [called("a"), called("b"), thought(sealed("hm", a="SIG_A", c="SIG_C"))]
    done = projected(*turn, answered("a"), called("c"))
    first, _, second = done.messages

    assert [signature_of(call) for call in first["tool_calls"]] == ["SIG_A", None]
    assert first["reasoning_content"] == "hm"
    assert signature_of(second["tool_calls"][0]) is None
    assert done.changes == ()


def test_signature_of_a_text_stands_on_its_message() -> None:
    """A text's signature stands on the message, and not where the turn has calls."""
    text = projected(thought(sealed("", "SIG")), said("x", "assistant")).messages
    calls = projected(thought(sealed("", "SIG")), said("x", "assistant"), called("a")).messages

    assert [signature_of(message) for message in (*text, *calls)] == ["SIG", None]


@pytest.mark.parametrize(
    ("item", "thoughts", "reason"),
    [
        (thought(None, summary="short"), "short", None),
        (thought(None, summary="short", content="long"), "long", None),
        (thought("gAAAAA", summary="short"), None, "foreign_reasoning"),
        (thought("gAAAAA", summary="short", content="long"), "long", "foreign_reasoning"),
        (thought(sealed("whole"), summary="short"), "whole", None),
        (thought(sealed("whole")[:-1], summary="short"), "short", "envelope_damaged"),
        (thought(sealed("", a="S"), summary="short"), "short", None),
        ({"type": "reasoning", "id": "rs", "summary": None, "content": None}, None, None),
    ],
)
def test_thoughts_are_reasoning_content_and_never_a_text(
    item: Item, thoughts: str | None, reason: str | None
) -> None:
    """Thoughts go to ``reasoning_content``. A foreign summary is left out with its encrypted content, and reported."""
    done = projected(item, said("x", "assistant"))

    assert done.messages[0]["content"] == "x"
    assert done.messages[0].get("reasoning_content") == thoughts
    assert [change.reason for change in done.changes] == ([] if reason is None else [reason])


@pytest.mark.parametrize(
    ("text", "thoughts", "content"),
    [
        ("<think>\n\n</think>", None, "x"),
        ("<think>\nshort\n</think>", "short", "x"),
        ("<think>a</think> b", None, "<think>a</think> b\n\nx"),
        ("<think>a</think><think>b</think>", None, "<think>a</think><think>b</think>\n\nx"),
        ("<think>", None, "<think>\n\nx"),
    ],
)
def test_message_that_is_thoughts_in_tags_is_no_text(text: str, thoughts: str | None, content: str) -> None:
    """pydantic-ai sends thoughts as a message without an id. A message with an id is the model's own, and stays."""
    wrapped = {"role": "assistant", "content": text}

    [message] = projected(wrapped, said("x", "assistant")).messages
    [own] = projected({**wrapped, "id": "msg_1"}, said("x", "assistant")).messages

    assert (message["content"], message.get("reasoning_content")) == (content, thoughts)
    assert own["content"] == f"{text}\n\nx"


def test_equal_thoughts_of_one_turn_are_given_once() -> None:
    """A client that sends a reasoning item twice does not double the thoughts."""
    [message] = projected(thought(summary="a"), thought(summary="a"), said("x", "assistant")).messages

    assert message["reasoning_content"] == "a"


def test_reasoning_alone_makes_no_message_and_is_reported() -> None:
    """Reasoning without a text or a call makes no message (ccx#35)."""
    done = projected(thought(sealed("hm", a="S")), said("go"), thought())

    assert shapes(done.messages) == [("user", "go")]
    assert done.spans == [
        Span(range(1), range(0)),
        Span(range(1, 2), range(1)),
        Span(range(2, 3), range(1, 1)),
    ]
    assert [(change.index, change.reason) for change in done.changes] == [(0, "reasoning_alone")]


@pytest.mark.parametrize(
    ("items", "shape"),
    [
        (
            [{"type": "mcp_call", "id": "m", "name": "f", "output": "x"}, said("y", "assistant")],
            [("assistant", None, "m"), ("tool", "x", "m"), ("assistant", "y")],
        ),
        (
            [called("a"), {"type": "mcp_call", "id": "m", "name": "f", "output": "x"}, answered("a")],
            [("assistant", None, "a", "m"), ("tool", "x", "m"), ("tool", "ok", "a")],
        ),
        (
            [
                called("a"),
                {"type": "mcp_call", "id": "m", "name": "f", "output": "x"},
                said("y", "assistant"),
                answered("a"),
            ],
            [("assistant", "y", "a", "m"), ("tool", "x", "m"), ("tool", "ok", "a")],
        ),
    ],
)
def test_call_that_the_server_ran_is_a_call_with_its_result(items: list[Item], shape: list[Any]) -> None:
    """The result directly follows its call. Where the client has calls to answer, the turn stays one message."""
    done = projected(*items)

    assert shapes(done.messages) == shape
    assert sanitize([{"role": "user", "content": "go"}, *done.messages], GEMINI_3_STRICT).violations == ()


@pytest.mark.parametrize(
    ("item", "change"),
    [
        ({"type": "mcp_call", "id": "m", "name": "f", "output": None}, (0, "no_result", "mcp_call")),
        ({"type": "web_search_call", "id": "ws"}, (0, "server_item", "web_search_call")),
        ({"type": "mcp_list_tools", "tools": []}, (0, "server_item", "mcp_list_tools")),
        ({"type": "tool_search_call"}, (0, "server_item", "tool_search_call")),
        ({"type": "program", "fingerprint": "x"}, (0, "server_item", "program")),
        ({"type": "configuration_update"}, (0, "server_item", "configuration_update")),
        ({"type": "said by a client", "content": "x"}, (0, "unknown_item", "")),
        ({"type": "item_reference", "id": "rs_1"}, (0, "reference_to_reasoning", "")),
        ({"id": "rs_1"}, (0, "reference_to_reasoning", "")),
    ],
)
def test_item_without_a_message_is_reported(item: Item, change: tuple[int, str, str]) -> None:
    """An item that no message carries is left out with a report, which holds no word of the client's."""
    assert outcomes(item, said("go")) == [change]


@pytest.mark.parametrize(
    ("item", "param", "rule"),
    [
        (7, "input[1]", "input_unreadable"),
        ({}, "input[1].type", "input_unreadable"),
        ({"type": 7}, "input[1].type", "input_unreadable"),
        ({"type": "message", "content": "x"}, "input[1].role", "input_unreadable"),
        ({"role": "tool", "content": "x"}, "input[1].role", "input_unreadable"),
        ({"role": 7, "content": "x"}, "input[1].role", "input_unreadable"),
        ({"role": "user", "content": 7}, "input[1].content", "input_unreadable"),
        ({"role": "user", "content": [{"type": "x"}]}, "input[1].content[0].type", "input_unreadable"),
        ({"role": "assistant", "content": [{"type": "x"}]}, "input[1].content[0].type", "input_unreadable"),
        (called(7), "input[1].call_id", "input_unreadable"),
        (called("a", 7), "input[1].name", "input_unreadable"),
        (called("a", namespace=7), "input[1].namespace", "input_unreadable"),
        (answered(7), "input[1].call_id", "input_unreadable"),
        ({"type": "reasoning", "summary": 7}, "input[1].summary", "input_unreadable"),
        ({"type": "reasoning", "content": [{"text": 7}]}, "input[1].content[0].text", "input_unreadable"),
        ({"type": "item_reference"}, "input[1].id", "input_unreadable"),
        ({"type": "compaction"}, "input[1].encrypted_content", "input_unreadable"),
        (
            {"type": "compaction", "encrypted_content": sealed("a turn's")},
            "input[1].encrypted_content",
            "invalid_encrypted_content",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(item: Any, param: str, rule: str) -> None:
    """A refusal names the place of the unreadable item in the words of the Responses API."""
    error = refusal_of(said("go"), item)

    assert (error.param, error.rule) == (param, rule)


@pytest.mark.parametrize(
    ("item", "places", "rule"),
    [
        (
            answered("a", [{"type": "input_image", "file_id": "x"}]),
            ["output[0].file_id"],
            "provider_object",
        ),
        (
            {"role": "user", "content": [{"type": "input_file", "file_id": "x"}]},
            ["content[0].file_id"],
            "provider_object",
        ),
        (
            {
                "type": "computer_call_output",
                "call_id": "a",
                "output": {"type": "computer_screenshot", "file_id": "x"},
            },
            ["output.file_id"],
            "provider_object",
        ),
        ({"type": "code_interpreter_call", "container_id": "x"}, ["container_id"], "provider_object"),
        (
            {"type": "shell_call", "environment": {"container_id": "x"}},
            ["environment.container_id"],
            "provider_object",
        ),
        (
            {"type": "file_search_call", "results": [7, {"file_id": "x"}]},
            ["results[1].file_id"],
            "provider_object",
        ),
        ({"type": "image_generation_call", "id": "ig_1"}, ["id"], "provider_object"),
        ({"type": "unheard_of", "file_ids": ["x"]}, ["file_ids"], "provider_object"),
        ({"type": "item_reference", "id": "msg_1"}, ["id"], "item_not_found"),
        (
            {"type": "compaction", "encrypted_content": "gAAA"},
            ["encrypted_content"],
            "invalid_encrypted_content",
        ),
    ],
)
def test_what_only_a_provider_can_read_is_a_need(item: Any, places: list[str], rule: str) -> None:
    """It is no fault of the input, and no message has the id."""
    done = projected(said("go"), item)

    assert [(need.param, need.rule) for need in done.needs] == [
        (f"input[1].{place}", rule) for place in places
    ]
    assert '"x"' not in json.dumps(done.messages)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "code_interpreter_call", "id": "ci_1", "container_id": None, "code": "1"},
        {"type": "image_generation_call", "id": "ig_1", "result": "aGk="},
        {
            "type": "shell_call",
            "call_id": "call_1",
            "action": {"commands": ["ls"]},
            "environment": {"type": "local"},
        },
        called("a"),
        thought(),
    ],
)
def test_usual_item_needs_no_provider(item: Any) -> None:
    assert projected(said("go"), item).needs == ()


@pytest.mark.parametrize(
    ("item", "place"),
    [
        (answered("a", [{"type": "input_file", "file_id": "x"}]), "output[0].file_id"),
        (
            {"type": "message", "role": "assistant", "content": [{"type": "input_image", "file_id": "x"}]},
            "content[0].file_id",
        ),
        ({"type": "computer_call_output", "call_id": "a", "output": {"file_id": "x"}}, "output.file_id"),
        ({"type": "code_interpreter_call", "container_id": "x"}, "container_id"),
        ({"type": "item_reference", "id": "rs_x"}, "id"),
        ({"id": "msg_x"}, "id"),
    ],
)
def test_object_before_a_summary_is_needed_too(item: Any, place: str) -> None:
    """The provider that reads the summary gets the items before it as well."""
    for sealed_by in ("gAAAA", pack_summary("They met.")):
        done = projected(said("go"), item, {"type": "compaction", "encrypted_content": sealed_by})
        assert f"input[1].{place}" in [need.param for need in done.needs]


def test_many_needs_of_a_kind_are_one() -> None:
    """The first one has the place of the refusal. A small body has no long list of needs."""
    file: Item = {"role": "user", "content": [{"type": "input_file", "file_id": "x"}] * 50}
    call: Item = {"type": "code_interpreter_call", "container_id": "x"}
    done = projected(*[call, file, {"id": "msg_1"}] * 20)

    assert [need.param for need in done.needs] == [
        "input[0].container_id",
        "input[1].content[0].file_id",
        "input[2].id",
    ]


def test_reference_to_a_thought_can_be_left_out() -> None:
    [need] = projected(said("go"), {"id": "rs_1"}).needs

    assert (need.can_be_left_out, need.holds_history, need.names_object) == (True, False, True)


@pytest.mark.parametrize(
    ("items", "instructions"), [([], None), ([], "Be brief."), ([thought()], None), ([{"id": "msg_1"}], None)]
)
def test_a_message_stands_for_the_part_that_the_provider_holds(
    items: list[Item], instructions: str | None
) -> None:
    """Such a request is whole, although no message of it is here."""
    done = project(items, NO_TOOLS, instructions, is_partial=True)

    assert [message["role"] for message in done.messages][-1] == "user"
    assert done.spans[-1].messages.stop == len(done.messages)
    assert done.spans[-1].items == range(len(items), len(items))


def test_unknown_reference_has_the_words_of_openai() -> None:
    """A reference to an unknown item is needed, since leaving it out would lose content."""
    [need] = project([{"id": "msg_1"}], NO_TOOLS).needs

    assert need.holds_history
    assert need.message == (
        "Item with id 'msg_1' not found. Items are not persisted when `store` is set to false. Try again with `store` "
        "set to true, or remove this item from your input."
    )


@pytest.mark.parametrize(
    "items", [[], [{"type": "web_search_call"}], [thought()], [{"type": "compaction_trigger"}]]
)
def test_input_without_any_message_is_refused(items: list[Item]) -> None:
    """Items of which no message is left are refused."""
    error = refusal_of(*items)

    assert (error.param, error.rule) == ("input", "nothing_to_send")


def test_own_summary_stands_for_the_models_items_before_it() -> None:
    """A summary becomes a text. The client's messages before it stay, and the model's items are left out."""
    compaction = {"type": "compaction", "encrypted_content": pack_summary("They built a house.")}
    old = {"type": "compaction", "encrypted_content": "foreign, and behind a newer one"}
    done = projected(said("build"), called("a"), answered("a"), old, thought(), compaction, said("paint"))

    assert shapes(done.messages) == [
        ("user", "build"),
        ("user", f"{SUMMARY_START}They built a house."),
        ("user", "paint"),
    ]
    assert [(change.index, change.reason) for change in done.changes] == [
        (n, "summarized") for n in (1, 2, 3)
    ]


def test_trigger_asks_for_a_summary_and_makes_no_message() -> None:
    """A trigger marks the projection."""
    done = projected(said("go"), {"type": "compaction_trigger"})

    assert done.wants_compaction
    assert shapes(done.messages) == [("user", "go")]
    assert done.changes == ()
    assert not projected(said("go")).wants_compaction


def test_trigger_in_the_middle_counts_as_the_last_item() -> None:
    """A trigger that is not the last item is read as if it were (sub2api#6366)."""
    done = projected({"type": "compaction_trigger"}, said("go"))

    assert done.wants_compaction
    assert [(change.kind, change.index, change.reason) for change in done.changes] == [
        ("moved", 0, "compaction_trigger")
    ]


def test_trigger_that_was_answered_asks_for_nothing() -> None:
    """A trigger before a summary was answered by it."""
    compaction = {"type": "compaction", "encrypted_content": pack_summary("x")}

    assert not projected(said("go"), {"type": "compaction_trigger"}, compaction, said("on")).wants_compaction


def test_tool_items_make_no_message_and_no_report() -> None:
    """Items that declare tools are read with the tools."""
    items = [{"type": "additional_tools", "role": "developer", "tools": []}, said("go")]
    done = project(items, read_tools(None, items))

    assert (len(done.messages), done.changes) == (1, ())


@pytest.mark.parametrize(
    "items",
    [
        [answered("lost"), said("go")],
        [said("go"), called("a"), said("never mind")],
        [said("go"), called("a"), called("a"), answered("a"), answered("a", "again")],
        [said("go"), called("a"), said("wait"), answered("a")],
        [said("go"), called(None), answered(None)],
        [said("go"), called("a", arguments="{broken"), answered("a")],
    ],
)
def test_broken_history_is_passed_on_and_repaired(items: list[Item]) -> None:
    """A broken history becomes a broken chat history, which the sanitizing steps make legal."""
    done = projected(*items)

    assert done.changes == ()
    assert sanitize(done.messages, GEMINI_3_STRICT).found != ()
    assert sanitize(done.messages, GEMINI_3_STRICT).violations == ()


@pytest.mark.parametrize("role", [[], {}, 1, None, "other"])
def test_message_before_a_summary_may_have_any_role(role: Any) -> None:
    """A role that is no text, and is left out with what the summary stands for, is no fault of ours."""
    items = [
        {"type": "message", "role": role, "content": "a"},
        {"type": "compaction", "encrypted_content": pack_summary("We went.")},
    ]

    projection = project(items, read_tools(None, items))

    assert [message["role"] for message in projection.messages] == ["user"]
