"""Tests of writing chat messages as items."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Unrepairable, sanitize
from sanitizers.native.responses import project, read_tools, write_items
from sanitizers.profiles import OPENAI
from sanitizers.validation import read_history
from sanitizers.work_limit import WorkLimit, limited_by
from tests.sanitizers.native.responses.building import NO_TOOLS, Item, answered, called
from tests.support.strategies import any_histories, damaged_histories, legal_histories
from tests.support.strategies.hostile import paths_of, replaced

DECLARED: list[Item] = [
    {"type": "function", "name": "f"},
    {"type": "custom", "name": "edit"},
    {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "g"}]},
    {"type": "namespace", "name": "m", "tools": [{"type": "custom", "name": "run"}]},
    {"type": "local_shell"},
    {"type": "shell"},
    {"type": "apply_patch"},
]
TABLE = read_tools(DECLARED, [])
RAN = {"stdout": "x", "stderr": "", "outcome": {"type": "exit", "exit_code": 1}}


def call(name: str, arguments: str = "{}", call_id: str = "c1") -> Item:
    """Return a call in chat's form."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def turn(one: Item, result: Any = "ok") -> list[Item]:
    """Return the messages of one call and its result."""
    return [
        {"role": "assistant", "content": None, "tool_calls": [one]},
        {"role": "tool", "tool_call_id": one["id"], "content": result},
    ]


@pytest.mark.parametrize(
    ("messages", "items"),
    [
        ([{"role": "user", "content": "hi"}], [{"type": "message", "role": "user", "content": "hi"}]),
        (
            [{"role": "developer", "content": "Be brief.", "name": "ops"}],
            [{"type": "message", "role": "developer", "content": "Be brief."}],
        ),
        (
            [{"role": "assistant", "content": "hello", "reasoning_content": "hm"}],
            [{"type": "message", "role": "assistant", "content": "hello"}],
        ),
        (
            [{"role": "assistant", "content": ""}],
            [{"type": "message", "role": "assistant", "content": ""}],
        ),
        (
            [{"role": "assistant", "content": "so", "tool_calls": [call("f"), call("f", "{}", "c2")]}],
            [
                {"type": "message", "role": "assistant", "content": "so"},
                called("c1"),
                called("c2"),
            ],
        ),
        (
            [{"role": "assistant", "content": "", "tool_calls": [call("f", '{"a": 1}')]}],
            [called("c1", "f", '{"a": 1}')],
        ),
        (
            [{"role": "assistant", "content": None, "refusal": "no"}],
            [
                {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "refusal", "refusal": "no"}],
                }
            ],
        ),
    ],
)
def test_messages_become_items(messages: list[Item], items: list[Item]) -> None:
    """Words stand before calls, no item has an id, and thoughts and names are left out."""
    assert write_items(messages, None) == items
    assert write_items(messages, TABLE) == items


@pytest.mark.parametrize(
    ("one", "result", "items"),
    [
        (call("f"), "ok", [called("c1"), answered("c1")]),
        (call("old"), "ok", [called("c1", "old"), answered("c1")]),
        (call("n__g"), "ok", [called("c1", "g", namespace="n"), answered("c1")]),
        (
            call("edit", '{"input": "x"}'),
            "ok",
            [
                {"type": "custom_tool_call", "call_id": "c1", "name": "edit", "input": "x"},
                {"type": "custom_tool_call_output", "call_id": "c1", "output": "ok"},
            ],
        ),
        (
            call("m__run", '{"input": "x"}'),
            [{"type": "text", "text": "ok"}, {"type": "text", "text": "too"}],
            [
                {"type": "custom_tool_call", "call_id": "c1", "name": "run", "namespace": "m", "input": "x"},
                {
                    "type": "custom_tool_call_output",
                    "call_id": "c1",
                    "output": [{"type": "input_text", "text": "ok"}, {"type": "input_text", "text": "too"}],
                },
            ],
        ),
        (
            call("local_shell", '{"command": ["ls"]}'),
            "done",
            [
                {
                    "type": "local_shell_call",
                    "id": "c1",
                    "call_id": "c1",
                    "action": {"type": "exec", "env": {}, "command": ["ls"]},
                    "status": "completed",
                },
                {"type": "local_shell_call_output", "id": "c1", "output": "done"},
            ],
        ),
        (
            call("shell", '{"commands": ["ls"]}'),
            json.dumps([RAN]),
            [
                {
                    "type": "shell_call",
                    "call_id": "c1",
                    "action": {"commands": ["ls"]},
                    "status": "completed",
                },
                {"type": "shell_call_output", "call_id": "c1", "output": [RAN]},
            ],
        ),
        (
            call("apply_patch", '{"type": "delete_file", "path": "a"}'),
            '{"status": "failed", "output": "none"}',
            [
                {
                    "type": "apply_patch_call",
                    "call_id": "c1",
                    "operation": {"type": "delete_file", "path": "a"},
                    "status": "completed",
                },
                {
                    "type": "apply_patch_call_output",
                    "call_id": "c1",
                    "status": "failed",
                    "output": "none",
                },
            ],
        ),
        (call("shell", "cut"), "ok", [called("c1", "shell", "cut"), answered("c1")]),
    ],
)
def test_calls_have_the_type_of_their_tool_and_are_read_again(
    one: Item, result: Any, items: list[Item]
) -> None:
    """Calls and results get the items of the declared tool, and reading them again gives the same messages."""
    messages = turn(one, result)

    assert write_items(messages, TABLE) == items
    assert project(items, TABLE).messages == messages


def test_without_a_table_all_calls_are_function_calls() -> None:
    """A client of chat's has functions alone."""
    written = write_items(turn(call("shell", '{"commands": []}')), None)

    assert written == [called("c1", "shell", '{"commands": []}'), answered("c1")]


def test_custom_call_of_chat_is_a_custom_call() -> None:
    """Chat's own custom calls keep their raw text, and their results find them."""
    custom = {"id": "c1", "type": "custom", "custom": {"name": "edit", "input": "x"}}

    assert write_items(turn(custom), None) == [
        {"type": "custom_tool_call", "call_id": "c1", "name": "edit", "input": "x"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "ok"},
    ]


def test_result_has_the_type_of_the_newest_call_with_its_id() -> None:
    """Some clients number the calls of each turn anew."""
    custom = {"id": "c1", "type": "custom", "custom": {"name": "edit", "input": "x"}}
    written = write_items([*turn(custom), *turn(call("f"))], None)

    assert [item["type"] for item in written[1::2]] == ["custom_tool_call_output", "function_call_output"]


def test_legacy_calls_and_their_results_share_an_id() -> None:
    """A legacy call has no id, so that it gets one, and so does its result."""
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    result = {"role": "function", "name": "f", "content": "ok"}
    first, one, second, two = write_items([legacy, result, legacy, result], None)

    assert (first["call_id"], second["call_id"]) == (one["call_id"], two["call_id"])
    assert first["call_id"] != second["call_id"]


@pytest.mark.parametrize("content", ["plain", "[", "[1]", '[{"stdout": "x"}]', "[" * 200_000, "[]"])
def test_other_output_of_a_shell_is_its_stdout(content: str) -> None:
    """A result in words is what the command printed."""
    item = write_items(turn(call("shell"), content), TABLE)[1]

    assert item["output"][0]["stdout"] == content


def test_outputs_that_would_take_much_memory_are_not_decoded() -> None:
    """Many small objects take many times the memory of their text."""
    content = json.dumps([RAN] * 140_000)

    assert write_items(turn(call("shell"), content), TABLE)[1]["output"][0]["stdout"] == content


@pytest.mark.parametrize(
    "content",
    ["plain", '{"status": "odd"}', '{"status": "failed", "more": 1}', '{"status": "failed", "output": 1}'],
)
def test_other_output_of_a_patch_is_its_words(content: str) -> None:
    """A result in words belongs to a patch that was made."""
    item = write_items(turn(call("apply_patch"), content), TABLE)[1]

    assert (item["status"], item["output"]) == ("completed", content)


def test_output_of_a_local_shell_is_text() -> None:
    """The texts of parts are joined, since the field holds a text alone."""
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]

    assert write_items(turn(call("local_shell"), parts), TABLE)[1]["output"] == "a\nb"


def test_arguments_that_are_an_object_become_json() -> None:
    """Some profiles have arguments that are no text."""
    one = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}

    assert write_items(turn(one), None)[0]["arguments"] == '{"a": 1}'


@given(legal_histories(extras=False, reuse_ids=False, allow_trailing_assistant=True))
def test_reading_what_was_written_gives_the_same_messages(history: list[Item]) -> None:
    """A legal history comes back, each message with the same words, calls and results."""
    before = json.dumps(history)
    items = write_items(history, None)

    assert [_plain(message) for message in project(items, NO_TOOLS).messages] == [
        _plain(message) for message in history
    ]
    assert json.dumps(history) == before
    assert not any("id" in item for item in items)


@given(damaged_histories(), st.sampled_from([None, TABLE]))
def test_a_repaired_history_is_written_and_keeps_its_calls(history: list[Item], table: Any) -> None:
    """Each history of the sanitizer can be written and read, and its calls and results are all there."""
    try:
        legal = sanitize(history, OPENAI).messages
    except Unrepairable:
        return
    items = write_items(legal, table)
    again = project(items, NO_TOOLS if table is None else table).messages

    assert _call_ids(again) == _call_ids(legal)


@pytest.mark.parametrize(
    ("message", "item"),
    [
        ({"tool_calls": [{"id": "c1"}]}, called("c1", "")),
        ({"tool_calls": [{"function": {}}]}, called("", "")),
        (
            {"tool_calls": [{"custom": {}}]},
            {"type": "custom_tool_call", "call_id": "", "name": "", "input": ""},
        ),
        ({"content": "x", "refusal": 7}, {"type": "message", "role": "assistant", "content": "x"}),
    ],
)
def test_fields_that_are_missing_or_odd_are_empty(message: Item, item: Item) -> None:
    """The provider says what is wrong with such a history."""
    assert write_items([{"role": "assistant", **message}], None) == [item]


ODD: list[Any] = [None, "", 0, [], {}, "odd", ["odd"], {"name": "f"}, [{"type": "text"}]]


@given(st.one_of(any_histories(), damaged_histories()), st.data(), st.sampled_from([None, TABLE]))
def test_every_readable_history_can_be_written(history: list[Item], data: st.DataObject, table: Any) -> None:
    """In the modes ``off`` and ``observe`` a history goes out as it came, however broken it is."""
    path = data.draw(st.sampled_from([*paths_of(history)]))
    for spoilt in (history, replaced(history, path, data.draw(st.sampled_from(ODD)))):
        try:
            read_history(spoilt)
        except Unrepairable:
            continue
        assert all(item["type"] for item in write_items(spoilt, table))


def test_work_is_linear_and_counted() -> None:
    """The work is linear: twice the messages take twice the steps."""

    def steps(size: int) -> int:
        limit = WorkLimit(10**9)
        messages = [message for n in range(size) for message in turn(call("f", "{}", f"c{n}"))]
        with limited_by(limit):
            write_items(messages, TABLE)
        return 10**9 - limit.left

    assert steps(200) >= 400
    assert steps(400) <= 2 * steps(200) + 10


def _plain(message: Item) -> Item:
    """Return *message* with a content of one text, or of the assistant's texts, as a text."""
    content = message.get("content")
    plain = {key: value for key, value in message.items() if key not in ("name", "reasoning_content")}
    if isinstance(content, list) and message["role"] == "assistant":
        plain["content"] = "".join(part.get("text", "") for part in content)
    elif isinstance(content, list) and len(content) == 1 and content[0]["type"] == "text":
        plain["content"] = content[0]["text"]
    elif not content and message.get("tool_calls"):
        plain["content"] = None
    return plain


def _call_ids(messages: Any) -> list[str]:
    """Return the ids of all calls but those that had none in chat's older form."""
    calls = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    return [call_id for call_id in calls if not call_id.startswith("call_legacy")]
