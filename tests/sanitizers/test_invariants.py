"""The checker, rule by rule: each is broken alone, at its place, and its neighbour that is legal is not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from sanitizers import find_violations, validate_messages
from sanitizers.invariants import RULES
from sanitizers.profiles import OPENAI, Profile
from tests.support.builders import (
    PNG_URL,
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

History = list[dict[str, Any]]
GO = user("go")
ASKS = [GO, assistant(calls=[call("a")])]
ASKED = [*ASKS, tool("a")]
TWO = [GO, assistant(calls=[call("a", "f"), call("b", "g")])]
CUSTOM = {"id": "a", "type": "custom", "custom": {"name": "f", "input": "x"}}


def openai_but(**facts: Any) -> Profile:
    """Return OpenAI's row with other facts."""
    return replace(OPENAI, **facts)


@dataclass(frozen=True)
class Broken:
    """A history that breaks one rule under *profile*, at *index*. *legal* is like it and breaks none."""

    rule: str
    index: int
    history: History
    legal: History
    profile: Profile = OPENAI
    note: str = ""

    @property
    def name(self) -> str:
        """The test's id."""
        return f"{self.rule} {self.note}".strip()


def asks(id: Any = "a", arguments: Any = "{}", name: Any = "f", **extra: Any) -> History:
    """Return an exchange of one call, whose result has its id."""
    return [GO, assistant(calls=[call(id, name, arguments, **extra)]), tool(id)]


BLANK_FREE = openai_but(blank_texts=False)
TOKEN, NINE = openai_but(call_id_form="token"), openai_but(call_id_form="nine")
NO_BLANK_RESULT = openai_but(blank_results=False)

ABOUT_TURNS = [
    Broken(
        "first_turn_not_user", 1, [system(), assistant("a"), GO], [system(), GO], openai_but(user_first=True)
    ),
    Broken("no_turn", 0, [system()], [system(), GO], openai_but(turn_required=True)),
    Broken("trailing_model_turn", 1, [GO, assistant("a")], [GO], openai_but(model_last=False)),
    Broken(
        "trailing_model_turn",
        1,
        [GO, assistant("a", prefix=False)],
        [GO, assistant("a", prefix=True)],
        openai_but(model_last=False, takes_prefix=True),
        "where `prefix` is asked for",
    ),
    Broken(
        "trailing_model_turn",
        1,
        [GO, assistant("a", prefix=True)],
        [GO, assistant("a", prefix=True), GO],
        openai_but(model_last=False),
        "where `prefix` means nothing",
    ),
    Broken(
        "trailing_space",
        1,
        [GO, assistant("a\n")],
        [GO, assistant("a\n"), GO, assistant("a")],
        openai_but(trailing_space=False),
    ),
    Broken(
        "same_role_neighbours",
        2,
        [GO, assistant("a"), assistant("b")],
        [GO, assistant("a"), GO, assistant("b")],
        openai_but(assistant_runs=False),
        "of the model",
    ),
    Broken(
        "same_role_neighbours",
        1,
        [GO, GO],
        [GO, assistant("a"), GO],
        openai_but(user_runs=False),
        "of the user",
    ),
    Broken(
        "call_after_model_turn",
        2,
        [GO, assistant("a"), *ASKED[1:]],
        ASKED,
        openai_but(assistant_runs=False),
    ),
    Broken(
        "user_after_result",
        3,
        [*ASKED, GO],
        [*ASKED, assistant("a"), GO],
        openai_but(user_after_result=False),
    ),
    Broken(
        "text_beside_calls",
        1,
        [GO, assistant("a", calls=[call("a")]), tool("a")],
        ASKED,
        openai_but(calls_with_text=False),
    ),
    Broken(
        "reasoning_missing",
        3,
        [GO, assistant("a", reasoning_content=""), GO, assistant("b", reasoning_content=None)],
        [GO, assistant("a", reasoning_content="hm")],
        openai_but(echoes_reasoning=True),
    ),
]

ABOUT_SYSTEMS = [
    Broken("system_after_start", 1, [GO, system()], [system(), GO], openai_but(system_anywhere=False)),
    Broken("system_unsupported", 0, [system(), GO], [GO], openai_but(system_role=False)),
    Broken(
        "many_systems", 1, [system(), system(), GO], [system(), GO, system()], openai_but(many_systems=False)
    ),
    Broken("developer_role", 0, [developer(), GO], [system(), GO], openai_but(developer_role=False)),
]

ABOUT_PAIRS = [
    Broken("missing_result", 1, [*TWO, tool("b"), GO], [*TWO, tool("b"), tool("a"), GO]),
    Broken("orphaned_result", 1, [GO, tool("a")], ASKED),
    Broken("duplicate_result", 3, [*ASKED, tool("a")], ASKED),
    Broken(
        "result_order",
        2,
        [*TWO, tool("b"), tool("a")],
        [*TWO, tool("a"), tool("b")],
        openai_but(ordered_results=True),
    ),
]

ABOUT_IDS = [
    Broken("call_id_missing", 1, asks(""), asks("a")),
    Broken("call_id_too_long", 1, asks("x" * 41), asks("x" * 40)),
    Broken("call_id_illegal", 1, asks("functions.f:0"), asks("functions_f-0"), TOKEN, "of a token"),
    Broken("call_id_illegal", 1, asks("ü"), asks("u"), TOKEN, "of a letter that is not ASCII"),
    Broken("call_id_illegal", 1, asks("abcdefgh"), asks("abcdefgh1"), NINE, "of eight letters"),
    Broken("call_id_illegal", 1, asks("abcdefgh12"), asks("ABCDEFGH1"), NINE, "of ten letters"),
    Broken("call_id_illegal", 1, asks("call_1234"), asks("callX1234"), NINE, "of nine with another sign"),
    Broken(
        "call_id_repeated",
        4,
        [*ASKED, GO, *ASKS[1:], tool("a")],
        [*ASKED, GO, assistant(calls=[call("b")]), tool("b")],
        openai_but(unique_call_ids=True),
    ),
    Broken(
        "signature_unreadable",
        1,
        asks("a__thought__?"),
        asks("a__thought__QUJD"),
        openai_but(signs_calls=True),
    ),
]

ABOUT_CALLS = [
    Broken("arguments_not_a_string", 1, asks(arguments={}), asks()),
    Broken("arguments_not_an_object", 1, asks(arguments="[1]"), asks(), openai_but(object_arguments=True)),
    Broken("call_unreadable", 1, asks(name=""), asks()),
    Broken("tool_name_illegal", 1, asks(name="a.b"), asks(name="a_b")),
    Broken(
        "custom_call", 1, [GO, assistant(calls=[CUSTOM]), tool("a")], asks(), openai_but(custom_calls=False)
    ),
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
    Broken("tool_name_illegal", 1, asks(name="a b"), asks()),
    Broken("refused_part", 1, [GO, assistant([text("a"), image()])], [GO, user([text("a"), image()])]),
    Broken(
        "remote_media",
        0,
        [user([image("https://example.com/a.png")])],
        [user([image()])],
        openai_but(remote_media=False),
    ),
    Broken("refused_field", 0, [user("a", extra_content={})], [user("a", extra_content=None)]),
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

BROKEN = [*ABOUT_TURNS, *ABOUT_SYSTEMS, *ABOUT_PAIRS, *ABOUT_IDS, *ABOUT_CALLS, *ABOUT_CONTENTS]


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.name)
def test_each_rule_is_broken_alone_at_its_place(broken: Broken) -> None:
    """A similar legal history breaks no rule."""
    validate_messages(broken.history)

    found = find_violations(broken.history, broken.profile)

    assert {broken.rule} == {violation.rule for violation in found}
    assert broken.index == found[0].index  # results that changed places are two
    assert find_violations(broken.legal, broken.profile) == ()


def test_every_rule_has_an_example() -> None:
    """No rule without a history that breaks it."""
    assert set(RULES) == {broken.rule for broken in BROKEN}


@pytest.mark.parametrize(
    "rule",
    [
        "blank_result",
        "blank_text",
        "call_id_illegal",
        "developer_role",
        "many_systems",
        "reasoning_missing",
        "system_unsupported",
        "text_beside_calls",
        "trailing_space",
        "unknown_field",
        "user_after_result",
    ],
)
def test_openai_does_not_have_other_providers_rules(rule: str) -> None:
    """The rules of other providers are no rules of OpenAI's."""
    for broken in BROKEN:
        if broken.rule == rule:
            assert find_violations(broken.history, OPENAI) == ()
