"""Tests of the checker's rules about one message: its ids, its calls and its content."""

from __future__ import annotations

import pytest

from tests.sanitizers.broken import ASKED, ASKS, GO, TWO, Broken, asks, check, openai_but
from tests.support.builders import (
    PNG_URL,
    assistant,
    call,
    image,
    legacy_call,
    legacy_result,
    text,
    tool,
    user,
    without,
)

CUSTOM = {"id": "a", "type": "custom", "custom": {"name": "f", "input": "x"}}
BLANK_FREE = openai_but(blank_texts=False)
TOKEN, NINE = openai_but(call_id_form="token"), openai_but(call_id_form="nine")
NAMED = openai_but(empty_names=False)
BARE, NAMES_OF_USERS = openai_but(bare_calls=True), openai_but(named_roles=frozenset({"user"}))
NO_BLANK_RESULT = openai_but(blank_results=False)

ABOUT_IDS = [
    Broken("call_id_missing", 1, asks(""), asks("a")),
    Broken("call_id_too_long", 1, asks("x" * 41), asks("x" * 40)),
    Broken("call_id_illegal", 1, asks("functions.f:0"), asks("functions_f-0"), TOKEN, "of a token"),
    Broken("call_id_illegal", 1, asks("ü"), asks("u"), TOKEN, "of a letter that is not ASCII"),
    Broken("call_id_illegal", 1, asks("abcdefgh"), asks("abcdefgh1"), NINE, "of eight letters"),
    Broken("call_id_illegal", 1, asks("abcdefgh12"), asks("ABCDEFGH1"), NINE, "of ten letters"),
    Broken("call_id_illegal", 1, asks("call_1234"), asks("callX1234"), NINE, "of nine with another sign"),
    Broken(
        "signature_unreadable",
        1,
        asks("a__thought__?"),
        asks("a__thought__QUJD"),
        openai_but(signs_calls=True),
    ),
]

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
PLACES = [THOUGHT, {"type": "text", "length": 1}, {"type": "redacted_thinking", "data": "x"}]
SIGNED = openai_but(signed_thoughts=True)

ABOUT_THOUGHTS = [
    Broken(
        "thought_unsigned",
        1,
        [GO, assistant("a", thinking_blocks=blocks)],
        [GO, assistant("a", thinking_blocks=PLACES)],
        SIGNED,
        f"{blocks}",
    )
    for blocks in (
        "x",
        ["x"],
        [{"type": "thinking", "thinking": "hm"}],
        [{"type": "thinking", "thinking": "hm", "signature": ""}],
        [{"type": "thinking", "signature": "s"}],
        [{"type": "redacted_thinking"}],
        [THOUGHT, {"type": "image"}],
        [{"type": ["thinking"]}],
    )
]

ABOUT_CALLS = [
    Broken("arguments_not_a_string", 1, asks(arguments={}), asks()),
    Broken("arguments_not_an_object", 1, asks(arguments="[1]"), asks(), openai_but(object_arguments=True)),
    Broken("call_unreadable", 1, asks(name=""), asks()),
    Broken("tool_name_illegal", 1, asks(name="a.b"), asks(name="a_b")),
    Broken(
        "custom_call", 1, [GO, assistant(calls=[CUSTOM]), tool("a")], asks(), openai_but(custom_calls=False)
    ),
    Broken("call_type", 1, [GO, assistant(calls=[without(call("a"), "type")]), tool("a")], asks()),
    Broken("call_type", 1, asks(type=None), asks(), note="that is null"),
    Broken(
        "call_type",
        1,
        [GO, assistant(calls=[without(CUSTOM, "type")]), tool("a")],
        [GO, assistant(calls=[CUSTOM]), tool("a")],
        note="of a custom tool",
    ),
    Broken(
        "arguments_not_a_string",
        1,
        [GO, assistant(calls=[{**CUSTOM, "custom": {"name": "f", "input": {}}}]), tool("a")],
        [GO, assistant(calls=[CUSTOM]), tool("a")],
        note="of a custom tool",
    ),
    Broken(
        "call_unreadable",
        1,
        [GO, assistant(calls=[{**CUSTOM, "custom": {"input": "x"}}]), tool("a")],
        [GO, assistant(calls=[CUSTOM]), tool("a")],
        note="of a custom tool",
    ),
    Broken("unknown_field", 1, asks(index=0), asks(), BARE, "of a call"),
    Broken("result_name_empty", 2, [*ASKS, tool("a", name="")], [*ASKS, tool("a", name="f")], NAMED),
    Broken("empty_tool_calls", 1, [GO, assistant("a", tool_calls=[])], [GO, assistant("a")]),
    Broken("misplaced_calls", 0, [user("a", tool_calls=[call("a")])], [user("a", tool_calls=None)]),
    Broken(
        "legacy_function",
        1,
        [GO, legacy_call(content="a")],
        [GO, assistant("a", function_call=None)],
        openai_but(openai_forms=False),
    ),
    Broken(
        "result_name_missing",
        2,
        [GO, legacy_call(), legacy_result(None)],
        [GO, legacy_call(), legacy_result()],
    ),
    Broken(
        "identical_call",
        1,
        [*TWO[:1], assistant(calls=[call("a"), call("b")]), tool("a"), tool("b")],
        [*TWO, tool("a"), tool("b")],
        openai_but(call_ids=False, object_arguments=True),
    ),
]

ABOUT_CONTENTS = [
    Broken("empty_content", 1, [GO, assistant(None)], ASKED),
    Broken("empty_text", 1, [GO, user("")], [*ASKS, tool("a", "")], openai_but(empty_texts=False)),
    Broken(
        "empty_text",
        1,
        [GO, legacy_call(content="")],
        [GO, legacy_call(), legacy_result(content="")],
        openai_but(empty_texts=False),
        "beside a function call",
    ),
    Broken("blank_text", 1, [GO, user(" \n")], [GO, user(" a ")], BLANK_FREE),
    Broken(
        "blank_text", 1, [GO, user([text("a"), text("\t")])], [GO, user([text("a")])], BLANK_FREE, "in a part"
    ),
    Broken(
        "blank_text", 2, [*ASKS, tool("a", [text(" ")])], [*ASKS, tool("a", " ")], BLANK_FREE, "in a result"
    ),
    Broken(
        "blank_text",
        2,
        [*ASKS, tool("a", [text("")])],
        [*ASKS, tool("a", [text("r")])],
        BLANK_FREE,
        "in a result, of nothing",
    ),
    Broken("blank_result", 2, [*ASKS, tool("a", "")], [*ASKS, tool("a", "0")], NO_BLANK_RESULT, "of nothing"),
    Broken(
        "blank_result", 2, [*ASKS, tool("a", " ")], [*ASKS[:1], user(" ")], NO_BLANK_RESULT, "of whitespace"
    ),
    Broken(
        "blank_result",
        2,
        [*ASKS, tool("a", [text(" "), text("")])],
        [*ASKS, tool("a", [text(" "), text("b")])],
        NO_BLANK_RESULT,
        "of blank parts",
    ),
    Broken("media_in_result", 2, [*ASKS, tool("a", [image()])], ASKED),
    Broken("media_mistyped", 0, [user([image(PNG_URL.replace("png", "jpeg", 1))])], [user([image(PNG_URL)])]),
    Broken("media_type", 0, [user([image(PNG_URL.replace("png", "bmp", 1))])], [user([image(PNG_URL)])]),
    Broken("media_unreadable", 0, [user([image("data:image/png;base64,?")])], [user([image(PNG_URL)])]),
    Broken("refused_part", 1, [GO, assistant([text("a"), image()])], [GO, user([text("a"), image()])]),
    Broken(
        "refused_part",
        2,
        [*ASKS, tool("a", [{"type": "refusal", "refusal": "no"}])],
        [GO, assistant([{"type": "refusal", "refusal": "no"}])],
        note="of a refusal in a result",
    ),
    Broken(
        "remote_media",
        0,
        [user([image("https://example.com/a.png")])],
        [user([image()])],
        openai_but(remote_media=False),
    ),
    Broken("refused_field", 0, [user("a", extra_content={})], [user("a", extra_content=None)]),
    Broken(
        "refused_field",
        1,
        [GO, assistant("a", name="bo")],
        [user("a", name="ann"), assistant("a", name=None)],
        NAMES_OF_USERS,
        "of a name",
    ),
    Broken(
        "refused_field",
        2,
        [*ASKS, tool("a", name="f")],
        ASKED,
        NAMES_OF_USERS,
        "of a result's name",
    ),
    Broken(
        "refused_field",
        1,
        [GO, assistant([text("a")], name="bo")],
        [user([text("a")], name="ann")],
        NAMES_OF_USERS,
        "of a name beside parts",
    ),
    Broken(
        "unknown_field",
        0,
        [user("a", x=1)],
        [user("a")],
        openai_but(only_fields=frozenset({"role", "content"})),
    ),
    Broken(
        "unknown_field",
        0,
        [user("a", x=None)],
        [user("a")],
        openai_but(only_fields=frozenset({"role", "content"})),
        "that is null",
    ),
]

BROKEN = [*ABOUT_IDS, *ABOUT_THOUGHTS, *ABOUT_CALLS, *ABOUT_CONTENTS]


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.name)
def test_each_rule_about_one_message_is_broken_alone_at_its_place(broken: Broken) -> None:
    """A similar legal history breaks no rule."""
    check(broken)
