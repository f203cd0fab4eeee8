"""Tests of reading messages of Anthropic's API as chat messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.native.messages.project import project
from sanitizers.native.messages.write_turn import turn_blocks
from sanitizers.native.protocol import HELD_PLACEHOLDER, Span
from tests.sanitizers.native.messages.building import (
    MARK,
    TENANT,
    Item,
    answered,
    assistant,
    image,
    inline,
    projected,
    said,
    sealed,
    thought,
    used,
    user,
)


def shapes(messages: list[dict[str, Any]]) -> list[Any]:
    """Return each message as its role with its content, calls and call id."""
    return [
        (
            message["role"],
            message["content"],
            *[call["id"] for call in message.get("tool_calls", ())],
            *([message["tool_call_id"]] if "tool_call_id" in message else []),
        )
        for message in messages
    ]


def outcomes(*items: Item, system: Any = None) -> list[tuple[int, str, str]]:
    """Return the changes of a projection, each as index, reason and detail."""
    return [
        (change.index, change.reason, change.detail) for change in projected(*items, system=system).changes
    ]


def refusal_of(items: Any, system: Any = None) -> Unrepairable:
    """Return the error with which *items* are refused."""
    with pytest.raises(Unrepairable) as caught:
        project(items, system)
    return caught.value


def test_results_come_before_the_words_of_their_message() -> None:
    """Each result is a tool message in the order of the blocks, and the rest is one message of the user's."""
    done = projected(
        user("go"),
        assistant(said("I look."), used("a", given={"p": 1}), used("b")),
        user(said("before"), answered("b", "B"), said("between"), answered("a", [said("A")]), said("after")),
    )

    assert shapes(done.messages) == [
        ("user", "go"),
        ("assistant", "I look.", "a", "b"),
        ("tool", "B", "b"),
        ("tool", "A", "a"),
        ("user", [said("before"), said("between"), said("after")]),
    ]
    assert done.messages[1]["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"p":1}'}
    assert done.spans == [
        Span(range(1), range(1)),
        Span(range(1, 2), range(1, 2)),
        Span(range(2, 3), range(2, 5)),
    ]
    assert (done.changes, done.needs, done.leading) == ((), (), 0)
    assert [done.message_of(at) for at in range(3)] == [0, 1, 2]
    assert [done.item_of(at) for at in range(5)] == [0, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("system", "content"),
    [
        ("Be brief.", "Be brief."),
        ([said("Be brief.")], "Be brief."),
        ([said("a", **MARK), said("b")], [said("a", **MARK), said("b")]),
        ([said("x-anthropic-billing-header: cch=1"), said("Be brief.")], "Be brief."),
    ],
)
def test_system_is_one_message_with_its_parts_apart(system: Any, content: Any) -> None:
    """The field becomes the first message, and a part keeps its cache mark. A billing line is left out."""
    done = projected(user("hi"), system=system)

    assert done.messages == [{"role": "system", "content": content}, {"role": "user", "content": "hi"}]
    assert (done.leading, done.spans) == (1, [Span(range(1), range(1, 2))])
    assert [done.item_of(at) for at in range(2)] == [0, 0]


@pytest.mark.parametrize("system", [None, "", [], [said("x-anthropic-billing-header: cch=1")]])
def test_system_that_says_nothing_is_no_message(system: Any) -> None:
    """An empty field becomes no message."""
    assert projected(user("hi"), system=system).leading == 0


def test_billing_line_is_reported() -> None:
    """A billing line that a chat does not have is a change, and the place says where it was."""
    billed = outcomes(user("hi"), system=[said("a"), said("x-anthropic-billing-header: cch=1")])

    assert billed == [(0, "billing_header", "system.1")]


def test_system_message_stays_in_its_place() -> None:
    """A system message among the messages is one in the chat too."""
    done = projected(user("hi"), inline("Now in French."), assistant("ok"))

    assert [message["role"] for message in done.messages] == ["user", "system", "assistant"]


def test_messages_of_the_model_in_a_row_are_one_turn() -> None:
    """Anthropic joins messages of one role, so that no result loses its call."""
    done = projected(
        user("go"),
        assistant(thought(), said("x"), used("a")),
        assistant(said("y"), used("b")),
        user(answered("a"), answered("b")),
    )

    assert shapes(done.messages)[1] == ("assistant", "x\n\ny", "a", "b")
    assert done.spans[1] == Span(range(1, 3), range(1, 2))


@pytest.mark.parametrize(
    "blocks",
    [
        [thought("S1"), said("x"), used("a")],
        [thought("S1"), said("x"), thought("S2"), used("a"), thought("S3"), used("b")],
        [said("x"), thought("S1"), used("a"), {"type": "redacted_thinking", "data": "D"}, used("b")],
        [used("a"), thought("S1"), said("x")],
        [thought("S1"), used("a"), used("b"), said("x")],
    ],
)
def test_thinking_keeps_its_place(blocks: list[Item]) -> None:
    """A turn with Claude's thinking is written again as it came, whatever the order of its blocks."""
    message = projected(user("go"), assistant(*blocks)).messages[1]

    assert turn_blocks(message) == blocks


def test_thinking_in_its_usual_order_has_no_places() -> None:
    """Thinking before text and calls is litellm's form, which other code reads."""
    done = projected(user("go"), assistant(thought("S1"), thought("S2"), said("x"), used("a")))

    assert done.messages[1]["thinking_blocks"] == [thought("S1"), thought("S2")]
    assert "reasoning_content" not in done.messages[1]


def test_texts_that_citations_divide_are_one() -> None:
    """Texts directly behind one another belong together. Texts apart are divided."""
    done = projected(
        user("go"), assistant(said("a", citations=[{"type": "x"}]), said("b"), used("1"), said("c"))
    )

    assert done.messages[1]["content"] == "ab\n\nc"
    assert [(change.reason, change.detail) for change in done.changes] == [
        ("citations", "messages.1.content.0.citations")
    ]


def test_marked_texts_of_the_model_stay_parts() -> None:
    """A cache mark on a text of the model keeps its part."""
    done = projected(user("go"), assistant(said("a", **MARK), said("b"), used("1", **MARK)))

    assert done.messages[1]["content"] == [said("a", **MARK), said("b")]
    assert done.messages[1]["tool_calls"][0]["cache_control"] == MARK["cache_control"]


def test_failed_call_is_marked() -> None:
    """A result's mark of failure and its cache mark are keys of the tool message."""
    [_, _, failed, passed] = projected(
        user("go"),
        assistant(used("a"), used("b")),
        user(answered("a", "no", is_error=True, **MARK), answered("b", is_error=False)),
    ).messages

    assert failed == {"role": "tool", "tool_call_id": "a", "content": "no", "is_error": True, **MARK}
    assert passed == {"role": "tool", "tool_call_id": "b", "content": "ok"}


@pytest.mark.parametrize("mark", [False, None, 1, "true", []])
def test_another_value_marks_no_failure(mark: Any) -> None:
    """Only true is a mark."""
    [*_, result] = projected(user("go"), assistant(used("a")), user(answered("a", is_error=mark))).messages

    assert "is_error" not in result


def test_result_without_content_is_empty() -> None:
    """A result may have no content at all."""
    bare = {"type": "tool_result", "tool_use_id": "a"}

    assert projected(user("go"), assistant(used("a")), user(bare)).messages[2]["content"] == ""


def test_envelope_goes_to_the_call_that_it_names() -> None:
    """A signature of another model's is put on its call. The envelope and its thoughts are no thinking of Claude's."""
    done = projected(user("go"), assistant(sealed("a", "SIG", text="hm"), used("a"), used("b")))
    first, second = done.messages[1]["tool_calls"]

    assert first["extra_content"] == {"google": {"thought_signature": "SIG"}}
    assert "extra_content" not in second
    assert "thinking_blocks" not in done.messages[1]
    assert done.messages[1]["reasoning_content"] == "hm"


@pytest.mark.parametrize(
    ("block", "reported"),
    [
        (sealed("b"), []),
        (sealed("a", tenant="other"), ["envelope_damaged"]),
        (thought("tr1_AAAA"), ["envelope_damaged"]),
        (thought(""), []),
    ],
)
def test_envelope_of_another_call_or_tenant_signs_nothing(block: Item, reported: list[str]) -> None:
    """Only the envelope that the tenant got for this very call puts a signature on it."""
    done = projected(user("go"), assistant(block, used("a")))

    assert "extra_content" not in done.messages[1]["tool_calls"][0]
    assert [change.reason for change in done.changes] == reported
    assert "tr1_" not in json.dumps(done.messages)


def test_turn_of_thinking_alone_is_no_message() -> None:
    """A turn that was cut in its thoughts has nothing that a chat could hold, and is reported."""
    done = projected(user("go"), assistant(thought()), user("and?"))

    assert shapes(done.messages) == [("user", "go"), ("user", "and?")]
    assert done.spans[1] == Span(range(1, 2), range(1, 1))
    assert [(change.index, change.reason) for change in done.changes] == [(1, "thinking_alone")]


def test_calls_of_the_server_become_texts() -> None:
    """A search with its results is text, without what Anthropic alone can read."""
    found = [
        {"type": "web_search_result", "title": "T", "url": "https://e.org", "encrypted_content": "SECRET"}
    ]
    done = projected(
        user("go"),
        assistant(
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "cats"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": found},
            said("So."),
        ),
    )

    assert done.messages[1] == {
        "role": "assistant",
        "content": "[web_search: cats]\n\n- T (https://e.org)\n\nSo.",
    }
    assert (done.needs, done.changes) == ((), ())


@pytest.mark.parametrize(
    ("items", "param", "names_object", "can_be_left_out"),
    [
        ([user(said("x"), {"type": "unheard_of"})], "messages.0.content.1", False, False),
        ([user({"type": "container_upload", "file_id": "f"})], "messages.0.content.0.file_id", True, False),
        (
            [user("x"), assistant({"type": "compaction", "content": "c"})],
            "messages.1.content.0",
            False,
            False,
        ),
        ([user(image("file"))], "messages.0.content.0.source.file_id", True, False),
        (
            [user(answered("a", [said("x"), image("file")]))],
            "messages.0.content.0.content.1.source.file_id",
            True,
            False,
        ),
        (
            [
                user("x"),
                assistant(
                    {
                        "type": "code_execution_tool_result",
                        "tool_use_id": "s",
                        "content": {"type": "r", "stdout": "1", "content": [{"type": "o", "file_id": "f"}]},
                    }
                ),
            ],
            "messages.1.content.0.content.content.0.file_id",
            True,
            True,
        ),
    ],
)
def test_what_only_anthropic_can_read_is_a_need(
    items: list[Item], param: str, names_object: bool, can_be_left_out: bool
) -> None:
    """A block that no chat can hold is a need with its place. A text stands for what cannot be left out."""
    done = projected(*items)
    [need] = done.needs

    assert (need.param, need.names_object, need.can_be_left_out) == (param, names_object, can_be_left_out)
    assert need.message.startswith(f"{param}: ")
    assert (HELD_PLACEHOLDER in json.dumps(done.messages)) is not can_be_left_out


@pytest.mark.parametrize(
    "items",
    [
        [user({"type": "unheard_of", "source": {"type": "file", "file_id": "f"}})],
        [user("x"), assistant({"type": "unheard_of", "content": [{"parts": [{"file_id": "f"}]}]})],
        [user(answered("a", [{"type": "unheard_of", "file_id": "f"}]))],
    ],
)
def test_block_of_an_unknown_type_may_name_a_file(items: list[Item]) -> None:
    """Such a file is an object at the provider, as in known blocks: it may be another client's."""
    needs = projected(*items).needs

    assert [(need.rule, need.names_object) for need in needs] == [
        ("claude_block", False),
        ("provider_object", True),
    ]
    assert len({need.param for need in needs}) == 1


def test_file_deep_in_an_unknown_block_is_found() -> None:
    """The search needs no recursion."""
    deep: Any = {"file_id": "f"}
    for _ in range(5_000):
        deep = [deep]

    assert len(projected(user({"type": "unheard_of", "x": deep})).needs) == 2
    assert len(projected(user({"type": "unheard_of", "x": {"file_id": 7}})).needs) == 1


@pytest.mark.parametrize(
    ("items", "param"),
    [
        (None, "messages"),
        ({}, "messages"),
        ([], "messages"),
        ([assistant(thought())], "messages"),
        (["x"], "messages.0"),
        ([{"content": "x"}], "messages.0.role"),
        ([user("x"), {"role": "tool", "content": "x"}], "messages.1.role"),
        ([{"role": "user", "content": 7}], "messages.0.content"),
        ([{"role": "assistant", "content": {}}], "messages.0.content"),
        ([{"role": "system", "content": [image()]}], "messages.0.content.0.type"),
        ([user("x", "y")], "messages.0.content.0"),
        ([user({"text": "x"})], "messages.0.content.0.type"),
        ([user({"type": 1})], "messages.0.content.0.type"),
        ([user({"type": "text", "text": 1})], "messages.0.content.0.text"),
        ([user(used("a"))], "messages.0.content.0"),
        ([user(thought())], "messages.0.content.0"),
        ([assistant(answered("a"))], "messages.0.content.0"),
        ([assistant({**used("a"), "id": 1})], "messages.0.content.0.id"),
        ([assistant({**used("a"), "name": []})], "messages.0.content.0.name"),
        ([assistant({**thought(), "signature": 1})], "messages.0.content.0.signature"),
        ([user({"type": "image"})], "messages.0.content.0.source"),
        ([user({"type": "image", "source": {"type": "odd"}})], "messages.0.content.0.source.type"),
        ([user({"type": "image", "source": {"type": "base64"}})], "messages.0.content.0.source.data"),
        (
            [user({"type": "image", "source": {"type": "base64", "data": "A", "media_type": "image/png,x"}})],
            "messages.0.content.0.source.media_type",
        ),
        ([user(answered("a", [{"type": "image"}]))], "messages.0.content.0.content.0.source"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(items: Any, param: str) -> None:
    """A refusal begins with the place in Anthropic's notation."""
    error = refusal_of(items)

    assert error.param == param
    assert error.message.startswith(f"{param}: ")


@pytest.mark.parametrize(
    ("system", "param"),
    [
        (7, "system"),
        ([7], "system.0"),
        ([said("x"), image()], "system.1.type"),
        ([{"type": "text", "text": 1}], "system.0.text"),
    ],
)
def test_system_that_cannot_be_read_is_refused(system: Any, param: str) -> None:
    """The field is a text or a list of text blocks."""
    assert refusal_of([user("x")], system).param == param


@pytest.mark.parametrize("given", ["{}", '{"a": 1}', "not JSON", "[1]"])
def test_input_that_is_a_text_stays(given: str) -> None:
    """A client's text in place of an object is left to the steps that repair arguments."""
    done = projected(user("go"), assistant(used("a", given=given)))

    assert done.messages[1]["tool_calls"][0]["function"]["arguments"] == given


def test_input_that_is_nested_too_deep_is_refused() -> None:
    """No recursion on what a client nests."""
    deep: Any = {}
    for _ in range(5000):
        deep = {"a": deep}

    assert refusal_of([assistant(used("a", given=deep))]).param == "messages.0.content.0.input"


def test_blocks_of_the_client_in_a_turn_of_the_model_are_left_out() -> None:
    """A chat's assistant has no images. Each kind of what is left out is reported once."""
    assert outcomes(user("go"), assistant(said("x"), image(), image())) == [
        (1, "refused_part", "messages.1.content.1:image")
    ]


def test_envelope_in_redacted_thinking_is_the_proxys_too() -> None:
    """A text of the proxy's in another field is no thinking of Claude's either."""
    packed = sealed("a")["signature"]
    done = project(
        [user("x"), assistant({"type": "redacted_thinking", "data": packed}, used("a"))], tenant=TENANT
    )

    assert "thinking_blocks" not in done.messages[1]
