"""The ``shape`` step: contents, calls, fields, system messages."""

from __future__ import annotations

import pytest

from sanitizers import Unrepairable, run_steps
from sanitizers.profiles import GEMINI_2, OPENAI
from sanitizers.steps.shape import normalize_shape
from tests.sanitizers.steps.case import Case, History, check
from tests.support.builders import (
    assistant,
    call,
    developer,
    image,
    legacy_call,
    legacy_result,
    system,
    text,
    tool,
    user,
)

GO = user("go")


def asks(arguments: object, name: str = "f") -> History:
    """Return an exchange whose call has *arguments*."""
    raw = {"id": "a", "type": "function", "function": {"name": name, "arguments": arguments}}
    return [GO, {"role": "assistant", "content": None, "tool_calls": [raw]}, tool("a")]


CONTENTS = [
    Case("texts are left alone", [GO, assistant("b"), user([text("c"), image()])], None),
    Case("whitespace is text", [user(" "), assistant("\n"), user("\t")], None),
    Case("media alone is content", [user([image()])], None),
    Case("an empty user text goes", [GO, user("")], [GO], [("dropped", 1, "empty_message")]),
    Case("a null user content goes", [GO, user(None)], [GO], [("dropped", 1, "empty_message")]),
    Case("a user message without parts goes", [GO, user([])], [GO], [("dropped", 1, "empty_message")]),
    Case("an empty assistant goes", [GO, assistant("")], [GO], [("dropped", 1, "empty_message")]),
    Case("an empty system text goes", [system(""), GO], [GO], [("dropped", 0, "empty_message")]),
    Case(
        "an empty text beside calls goes",
        [GO, assistant("", calls=[call("a")]), tool("a")],
        [GO, assistant(None, calls=[call("a")]), tool("a")],
        [("dropped", 1, "empty_text")],
    ),
    Case(
        "an empty part goes, the others stay",
        [user([text(""), text("b"), {"type": "text", "text": None}])],
        [user([text("b")])],
        [("dropped", 0, "empty_text"), ("dropped", 0, "empty_text")],
    ),
    Case(
        "a message of empty parts goes, each part named",
        [GO, user([text("")])],
        [GO],
        [("dropped", 1, "empty_text"), ("dropped", 1, "empty_message")],
    ),
    Case("OpenAI takes empty texts", [user(""), assistant("")], None, (), OPENAI),
    Case(
        "OpenAI takes no null user content", [GO, user(None)], [GO], [("dropped", 1, "empty_message")], OPENAI
    ),
    Case(
        "an empty part of a result stays",
        [GO, assistant(calls=[call("a")]), tool("a", [text(""), text("r")])],
        None,
    ),
    Case("an empty result is an answer", [GO, assistant(calls=[call("a")]), tool("a", "")], None),
    Case(
        "a null result becomes an empty one",
        [GO, assistant(calls=[call("a")]), tool("a", None)],
        [GO, assistant(calls=[call("a")]), tool("a", "")],
        [("replaced", 2, "result_content")],
    ),
    Case(
        "a bare JSON result becomes its text",
        [GO, assistant(calls=[call("a")]), tool("a", {"x": [1, "ü"]})],
        [GO, assistant(calls=[call("a")]), tool("a", '{"x": [1, "ü"]}')],
        [("replaced", 2, "result_content")],
    ),
    Case(
        "a bare JSON array becomes its text",
        [GO, assistant(calls=[call("a")]), tool("a", [{"row": 1}])],
        [GO, assistant(calls=[call("a")]), tool("a", '[{"row": 1}]')],
        [("replaced", 2, "result_content")],
    ),
    Case(
        "a refusal is the assistant's text",
        [GO, assistant(None, refusal="I cannot.")],
        [GO, assistant("I cannot.", refusal="I cannot.")],
        [("replaced", 1, "refusal_as_text")],
    ),
    Case(
        "a refusal part is text",
        [GO, assistant([{"type": "refusal", "refusal": "No."}])],
        [GO, assistant([text("No.")])],
        [("replaced", 1, "refusal_as_text")],
    ),
    Case("OpenAI takes a refusal as it is", [GO, assistant(None, refusal="I cannot.")], None, (), OPENAI),
    Case(
        "media of the assistant's cannot be carried",
        [GO, assistant([text("b"), image()])],
        [GO, assistant([text("b")])],
        [("dropped", 1, "refused_part")],
    ),
    Case(
        "thinking parts cannot be carried",
        [GO, assistant([{"type": "thinking", "thinking": "hm"}, text("b")])],
        [GO, assistant([text("b")])],
        [("dropped", 1, "refused_part")],
    ),
]

FIELDS = [
    Case(
        "fields that Gemini must not see go, each named",
        [
            user("a", cache_control={"type": "ephemeral"}),
            assistant("b", reasoning_content="hm", refusal=None),
        ],
        [user("a"), assistant("b", refusal=None)],
        [("dropped", 0, "refused_field"), ("dropped", 1, "refused_field")],
    ),
    Case(
        "fields of parts go too",
        [user([text("a", cache_control={"type": "ephemeral"})])],
        [user([text("a")])],
        [("dropped", 0, "refused_field")],
    ),
    Case("a null field says nothing", [user("a"), assistant("b", reasoning_content=None)], None),
    Case("unknown fields stay", [user("a", x_unknown={"k": 1})], None),
    Case("OpenAI targets keep cache marks", [user("a", cache_control={})], None, (), OPENAI),
]

SYSTEMS = [
    Case("leading system and developer messages stay", [system("s"), developer("d"), GO], None),
    Case(
        "a late system message becomes a user message in place, word for word",
        [GO, assistant("b"), system("now do x")],
        [GO, assistant("b"), user("now do x")],
        [("replaced", 2, "system_after_start")],
    ),
    Case(
        "a late developer message likewise",
        [GO, developer("d"), assistant("b")],
        [GO, user("d"), assistant("b")],
        [("replaced", 1, "system_after_start")],
    ),
    Case("OpenAI takes system messages anywhere", [GO, system("s"), assistant("b")], None, (), OPENAI),
]

CALLS = [
    Case("an object stays as it was written", asks('{"x":  1}'), None),
    Case("no arguments are an empty object", asks(""), asks("{}"), [("replaced", 1, "arguments")]),
    Case("null arguments are an empty object", asks(None), asks("{}"), [("replaced", 1, "arguments")]),
    Case("the text null is an empty object", asks("null"), asks("{}"), [("replaced", 1, "arguments")]),
    Case("a dict is written as JSON", asks({"x": "ü"}), asks('{"x": "ü"}'), [("replaced", 1, "arguments")]),
    Case(
        "an array is kept as raw text",
        asks("[1, 2]"),
        asks('{"_raw": "[1, 2]"}'),
        [("replaced", 1, "arguments")],
    ),
    Case(
        "broken JSON is kept as raw text, not completed",
        asks('{"path": "/tm'),
        asks('{"_raw": "{\\"path\\": \\"/tm"}'),
        [("replaced", 1, "arguments")],
    ),
    Case(
        "a bare string is kept as raw text",
        asks('"x"'),
        asks('{"_raw": "\\"x\\""}'),
        [("replaced", 1, "arguments")],
    ),
    Case(
        "an object encoded twice is decoded once",
        asks('"{\\"x\\": 1}"'),
        asks('{"x": 1}'),
        [("replaced", 1, "arguments")],
    ),
    Case(
        "NaN is no JSON",
        asks('{"x": NaN}'),
        asks('{"_raw": "{\\"x\\": NaN}"}'),
        [("replaced", 1, "arguments")],
    ),
    Case(
        "infinity in disguise is no JSON",
        asks('{"x": 1e999}'),
        asks('{"_raw": "{\\"x\\": 1e999}"}'),
        [("replaced", 1, "arguments")],
    ),
    Case(
        "a lone surrogate cannot be carried",
        asks('{"x": "\\ud800"}'),
        asks('{"_raw": "{\\"x\\": \\"\\\\ud800\\"}"}'),
        [("replaced", 1, "arguments")],
    ),
    Case("OpenAI takes any string", asks('{"a":'), None, (), OPENAI),
    Case("OpenAI takes no null arguments", asks(None), asks("{}"), [("replaced", 1, "arguments")], OPENAI),
    Case(
        "an empty call list goes",
        [GO, assistant("b", tool_calls=[])],
        [GO, assistant("b")],
        [("dropped", 1, "empty_tool_calls")],
    ),
    Case("null calls say nothing", [GO, assistant("b", tool_calls=None)], None),
    Case(
        "a call without a function goes",
        [GO, assistant("b", tool_calls=[{"id": "a", "type": "function"}])],
        [GO, assistant("b")],
        [("dropped", 1, "call_unreadable")],
    ),
    Case(
        "a call without a name goes, and the message with it when nothing is left",
        [GO, assistant(None, tool_calls=[call("a", "")])],
        [GO],
        [("dropped", 1, "call_unreadable"), ("dropped", 1, "empty_message")],
    ),
    Case(
        "only the assistant makes calls",
        [user("a", tool_calls=[call("x")], function_call={"name": "f"})],
        [user("a")],
        [("dropped", 0, "misplaced_calls"), ("dropped", 0, "misplaced_calls")],
    ),
    Case(
        "a custom call becomes a function call",
        [
            GO,
            assistant(
                tool_calls=[{"id": "a", "type": "custom", "custom": {"name": "sql", "input": "SELECT"}}]
            ),
            tool("a"),
        ],
        [GO, assistant(calls=[call("a", "sql", '{"input": "SELECT"}')]), tool("a")],
        [("replaced", 1, "custom_call")],
    ),
    Case(
        "a call without a type gets one",
        [GO, assistant(tool_calls=[{"id": "a", "function": {"name": "f", "arguments": "{}"}}]), tool("a")],
        [
            GO,
            assistant(
                tool_calls=[{"id": "a", "function": {"name": "f", "arguments": "{}"}, "type": "function"}]
            ),
            tool("a"),
        ],
        [("replaced", 1, "call_type")],
    ),
    Case(
        "OpenAI takes the legacy forms",
        [GO, legacy_call("f"), {"role": "function", "name": "f", "content": "1"}],
        None,
        (),
        OPENAI,
    ),
]


LEGACY = [
    Case(
        "a legacy result without a name gets its call's",
        [GO, legacy_call("f"), {"role": "function", "content": "1"}],
        [GO, legacy_call("f"), {"role": "function", "content": "1", "name": "f"}],
        [("replaced", 2, "legacy_function")],
        OPENAI,
    ),
    Case(
        "a legacy result behind a tool call becomes a tool result",
        [GO, assistant(calls=[call("a", "g")]), {"role": "function", "name": "g", "content": "1"}],
        [
            GO,
            assistant(calls=[call("a", "g")]),
            {"role": "tool", "name": "g", "content": "1", "tool_call_id": "a"},
        ],
        [("replaced", 2, "legacy_function"), ("replaced", 2, "result_id")],
        OPENAI,
    ),
    Case(
        "a tool result behind a legacy call becomes a legacy result",
        [GO, legacy_call("f"), tool("a", "1")],
        [GO, legacy_call("f"), {"role": "function", "content": "1", "name": "f"}],
        [("replaced", 2, "legacy_function")],
        OPENAI,
    ),
    Case(
        "legacy arguments are a string as well",
        [GO, legacy_call("f", [1, 2]), legacy_result("f")],
        [GO, legacy_call("f", "[1, 2]"), legacy_result("f")],
        [("replaced", 1, "arguments")],
        OPENAI,
    ),
    Case(
        "a nameless result of nothing is left to orphan_drop",
        [GO, {"role": "function", "content": "1"}],
        None,
        (),
        OPENAI,
    ),
]


@pytest.mark.parametrize("case", [*CONTENTS, *FIELDS, *SYSTEMS, *CALLS, *LEGACY], ids=lambda case: case.id)
def test_each_message_gets_a_shape_that_can_be_sent(case: Case) -> None:
    """All of its content stays."""
    check(normalize_shape, case)


@pytest.mark.parametrize(
    ("part", "rule"),
    [
        ({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}, "remote_media"),
        ({"type": "image_url", "image_url": "gs://bucket/a.png"}, "remote_media"),
        ({"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}, "remote_media"),
        ({"type": "file", "file": {"file_id": "https://example.com/a.pdf"}}, "remote_media"),
        ({"type": "file", "file": {"file_data": "http://127.0.0.1/"}}, "remote_media"),
        ({"type": "video_url", "video_url": {"url": "data:video/mp4;base64,AA=="}}, "media_type"),
    ],
)
def test_user_media_that_cannot_be_given_is_refused(part: dict[str, object], rule: str) -> None:
    """Litellm would fetch media by address from this host. Nothing is fetched, and nothing vanishes."""
    with pytest.raises(Unrepairable) as caught:
        run_steps([user([text("look"), part])], GEMINI_2)

    assert (rule, 0) == (caught.value.rule, caught.value.index)
    assert caught.value.param.startswith("messages[0].content[1]")
