"""Tests of the checks of calls in answers that are not streamed: unchanged, corrected and refused calls."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from proxy.answers.tool_calls import check_calls, fit_schema, load_validator
from proxy.core.failures import Cause
from tests.support.builders import call
from tests.support.cpu_time import cpu_seconds

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
    "additionalProperties": False,
}


def tools_of(**schemas: Any) -> dict[str, Any]:
    """Return a request's parameters, with a tool for each name and schema.

    The schema None makes a tool without parameters.
    """
    functions = [
        {"name": name} if schema is None else {"name": name, "parameters": schema}
        for name, schema in schemas.items()
    ]
    return {"tools": [{"type": "function", "function": function} for function in functions]}


def answer_of(*calls: Any, finish: str = "tool_calls", **message: Any) -> dict[str, Any]:
    """Return a normalized answer with *calls*."""
    said = {"role": "assistant", "content": None, **({"tool_calls": list(calls)} if calls else {}), **message}
    return {"id": "x", "choices": [{"index": 0, "message": said, "finish_reason": finish}]}


WEATHER = tools_of(weather=SCHEMA, now=None, ping={"type": "object", "properties": {}})
CUSTOM = {"id": "c", "type": "custom", "custom": {"name": "sh", "input": "{"}}

PASSES: dict[str, tuple[Any, Any]] = {
    "valid": (answer_of(call("c", "weather", '{"city": "Paris", "days": 2}')), WEATHER),
    "valid, spaced": (answer_of(call("c", "weather", ' { "city" : "Paris" }\n')), WEATHER),
    "no parameters declared": (answer_of(call("c", "now", '{"x": 1}')), WEATHER),
    "no properties": (answer_of(call("c", "ping", '{"x": 1}')), WEATHER),
    "no call": (answer_of(content="Good day.", finish="stop"), WEATHER),
    "cut off": (answer_of(call("c", "weather", '{"city": "Par'), finish="length"), WEATHER),
    "cut off, and it would mend": (
        answer_of(call("c", "weather", '{"city": "x",}'), finish="length"),
        WEATHER,
    ),
    "cut off, undeclared": (answer_of(call("c", "nobody", ""), finish="length"), WEATHER),
    "filtered": (answer_of(call("c", "weather", '{"ci'), finish="content_filter"), WEATHER),
    "no tools declared": (answer_of(call("c", "whatever", '{"x": 1}')), {}),
    "a provider's own tool": (answer_of(call("c", "search", "{}")), {"tools": [{"type": "web_search"}]}),
    "a provider's own tool beside others": (
        answer_of(call("c", "search", "{}")),
        {"tools": [*WEATHER["tools"], {"type": "web_search"}]},
    ),
    "a custom call": (answer_of(CUSTOM), WEATHER),
    "a schema that is none": (answer_of(call("c", "f", '{"x": 1}')), tools_of(f={"type": "nothing"})),
    "a remote schema": (
        answer_of(call("c", "f", '{"x": 1}')),
        tools_of(f={"$ref": "https://example.test/x"}),
    ),
    "legacy declaration": (answer_of(call("c", "f", "{}")), {"functions": [{"name": "f"}]}),
}

MENDED: list[tuple[str, Any, Any, tuple[str, ...]]] = [
    ("trailing comma", call("c", "weather", '{"city": "x",}'), {"city": "x"}, ("tool_arguments",)),
    ("single quotes", call("c", "weather", "{'city': 'x'}"), {"city": "x"}, ("tool_arguments",)),
    ("encoded twice", call("c", "weather", '"{\\"city\\": \\"x\\"}"'), {"city": "x"}, ("tool_arguments",)),
    ("an object", call("c", "weather", {"city": "x"}), {"city": "x"}, ("tool_arguments",)),
    ("empty where that fits", call("c", "ping", ""), {}, ("tool_arguments",)),
    ("none where that fits", call("c", "now", None), {}, ("tool_arguments",)),
    ("null where that fits", call("c", "now", "null"), {}, ("tool_arguments",)),
    ("no function's fields", {**call("c", "now"), "function": {"name": "now"}}, {}, ("tool_arguments",)),
    ("gemini's prefix", call("c", "default_api.weather", '{"city": "x"}'), {"city": "x"}, ("tool_name",)),
    ("openai's prefix", call("c", "functions.weather", '{"city": "x"}'), {"city": "x"}, ("tool_name",)),
    ("both", call("c", "functions.now", ""), {}, ("tool_name", "tool_arguments")),
]

REFUSED: list[tuple[str, Any, Cause, str]] = [
    (
        "cut off without saying so",
        call("c", "weather", '{"city": "Par'),
        Cause.INVALID_ARGUMENTS,
        "not valid JSON",
    ),
    (
        "two objects",
        call("c", "weather", '{"city": "x"}{"city": "y"}'),
        Cause.INVALID_ARGUMENTS,
        "not valid JSON",
    ),
    ("two empty ones", call("c", "now", "{}{}"), Cause.INVALID_ARGUMENTS, "not valid JSON"),
    ("a list", call("c", "now", "[1]"), Cause.INVALID_ARGUMENTS, "not a JSON object"),
    (
        "nothing, and something is needed",
        call("c", "weather", ""),
        Cause.INVALID_ARGUMENTS,
        "'city' is a required",
    ),
    (
        "wrong type",
        call("c", "weather", '{"city": 5}'),
        Cause.INVALID_ARGUMENTS,
        "weather: $.city: 5 is not of type",
    ),
    ("missing", call("c", "weather", "{}"), Cause.INVALID_ARGUMENTS, "'city' is a required property"),
    ("extra", call("c", "weather", '{"city": "x", "z": 1}'), Cause.INVALID_ARGUMENTS, "'z' was unexpected"),
    (
        "mended, and then wrong",
        call("c", "weather", "{'city': 5}"),
        Cause.INVALID_ARGUMENTS,
        "is not of type",
    ),
    ("undeclared", call("c", "whether", "{}"), Cause.UNDECLARED_CALL, "'whether' is not declared"),
    ("undeclared behind a prefix", call("c", "functions.x", "{}"), Cause.UNDECLARED_CALL, "not declared"),
    ("no name", call("c", "", "{}"), Cause.UNDECLARED_CALL, "not declared"),
    ("a prefix alone", call("c", "functions.", "{}"), Cause.UNDECLARED_CALL, "not declared"),
    ("a name that is no text", call("c", 5, "{}"), Cause.UNDECLARED_CALL, "not declared"),
    (
        "encoded twice, a key twice",
        call("c", "now", json.dumps('{"a": 1, "a": 2}')),
        Cause.INVALID_ARGUMENTS,
        "not a JSON object",
    ),
    ("half an emoji", call("c", "now", "{'a': '\\ud83d'}"), Cause.INVALID_ARGUMENTS, "not valid JSON"),
]


@pytest.mark.parametrize(("answer", "parameters"), PASSES.values(), ids=PASSES)
def test_what_can_be_used_stays_the_same_object(answer: Any, parameters: Any) -> None:
    """An answer with usable calls is returned as the same object, without changes."""
    before = copy.deepcopy(answer)
    checked = check_calls(answer, parameters)

    assert checked.answer is answer
    assert answer == before
    assert (checked.changes, checked.cause) == ((), None)


@pytest.mark.parametrize(
    ("given", "value", "reasons"), [row[1:] for row in MENDED], ids=[row[0] for row in MENDED]
)
def test_mended_call_is_a_copy_and_is_reported(given: Any, value: Any, reasons: tuple[str, ...]) -> None:
    """A corrected call is rewritten in a copy, with a declared name and fitting arguments, and is reported."""
    answer = answer_of(given, call("d", "now"))
    before = copy.deepcopy(answer)
    checked = check_calls(answer, WEATHER)

    assert checked.cause is None
    first, second = checked.answer["choices"][0]["message"]["tool_calls"]
    assert json.loads(first["function"]["arguments"]) == value
    assert first["function"]["name"] in ("weather", "now", "ping")
    assert (first["id"], first["type"]) == ("c", "function")
    assert second is answer["choices"][0]["message"]["tool_calls"][1]
    assert answer == before
    assert [
        (change.step, change.kind, change.index, change.reason, change.detail) for change in checked.changes
    ] == [("answer_repair", "replaced", 0, reason, "c") for reason in reasons]


@pytest.mark.parametrize(
    ("given", "cause", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_an_unusable_call_is_explained_to_the_model(given: Any, cause: Cause, words: str) -> None:
    """An unusable call leaves the answer unchanged, and the model gets a short text about the fault."""
    answer = answer_of(given)
    before = copy.deepcopy(answer)
    checked = check_calls(answer, WEATHER)

    assert checked.answer is answer
    assert answer == before
    assert checked.changes == ()
    assert checked.cause is cause
    assert words in checked.detail
    assert len(checked.detail) <= 500


def test_undeclared_without_tools_is_not_mended() -> None:
    """In a request without tools broken arguments are not corrected, since a correction could not be checked."""
    checked = check_calls(answer_of(call("c", "f", '{"a": 1,}')), {})

    assert checked.cause is Cause.INVALID_ARGUMENTS


def test_one_bad_call_keeps_the_others_as_they_are() -> None:
    """If one call of an answer is unusable, no call is corrected, since the model is asked for a new answer."""
    answer = answer_of(call("a", "weather", '{"city": "x",}'), call("b", "weather", "{}"))
    checked = check_calls(answer, WEATHER)

    assert checked.answer is answer
    assert checked.changes == ()
    assert checked.cause is Cause.INVALID_ARGUMENTS


def test_every_choice_is_checked() -> None:
    """Every choice is checked, except for a choice that was cut off."""
    first = answer_of(call("a", "now", "{"), finish="length")["choices"][0]
    second = {**answer_of(call("b", "now", ""))["choices"][0], "index": 1}
    checked = check_calls({"choices": [first, second]}, WEATHER)

    assert checked.answer["choices"][0] is first
    assert [(change.index, change.detail) for change in checked.changes] == [(1, "b")]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("x" * 9_000, "{}"), ("weather", json.dumps({"y" * 900: 1, "days": "z" * 900, "city": ["w" * 900]}))],
)
def test_long_faults_are_shortened(name: str, arguments: str) -> None:
    """A long name or long arguments of a model do not make a long error text."""
    checked = check_calls(answer_of(call("c", name, arguments)), WEATHER)

    assert 0 < len(checked.detail) <= 500


def test_legacy_declarations_count() -> None:
    """Calls are checked against the schema of a tool in `functions` as well."""
    checked = check_calls(
        answer_of(call("c", "weather", "{}")), {"functions": [{"name": "weather", "parameters": SCHEMA}]}
    )

    assert checked.cause is Cause.INVALID_ARGUMENTS


def test_what_was_encoded_twice_keeps_its_text() -> None:
    """Arguments that were encoded twice keep the inner text as the model wrote it."""
    inner = '{ "id": 123456789012345678901234, "x": 1.50 }'
    checked = check_calls(answer_of(call("c", "now", json.dumps(inner))), WEATHER)

    assert checked.cause is None
    function = checked.answer["choices"][0]["message"]["tool_calls"][0]["function"]
    assert function["arguments"] == inner


NULLS = {"type": "null"}


def one(schema: Any, **more: Any) -> dict[str, Any]:
    """Return the parameters of a request whose tool `f` has an argument `x` with *schema*."""
    return tools_of(f={"type": "object", "properties": {"x": schema}, **more})


def nested(levels: int) -> Any:
    """Return lists nested to *levels* levels."""
    value: Any = [1.5] * 50
    for _ in range(levels):
        value = [value, value]
    return value


HOSTILE: dict[str, tuple[Any, Any, int]] = {
    "long text, 20 branches": (one({"anyOf": [NULLS] * 20}), "y" * 60_000, 1),
    "long text, 200 branches": (one({"anyOf": [NULLS] * 200}), "y" * 60_000, 1),
    "long text, 3000 branches": (one({"anyOf": [NULLS] * 3_000}), "y" * 60_000, 1),
    "longer text, 3000 branches": (one({"anyOf": [NULLS] * 3_000}), "y" * 1_000_000, 1),
    "nested lists": (one({"anyOf": [NULLS] * 3_000}), nested(7), 1),
    "floats": (one({"anyOf": [NULLS] * 3_000}), [1.5] * 12_000, 1),
    "objects": (one({"oneOf": [NULLS] * 3_000}), [{}] * 15_000, 1),
    "false branches": (one({"anyOf": [False] * 9_000}), [1.5] * 12_000, 1),
    "false conditions": (one({"allOf": [{"if": False}] * 4_000}), [1.5] * 12_000, 1),
    "nothing is false": (one({"allOf": [{"not": False}] * 4_000}), [1.5] * 12_000, 1),
    "false within lists": (
        one({"allOf": [{"contains": False, "minContains": 0}] * 1_500}),
        [[1.5] * 12_000],
        1,
    ),
    "100 calls, long texts": (one({"anyOf": [NULLS] * 9}), ["z"] * 1_000, 100),
    "100 calls, many items": (one({"items": {"anyOf": [*[NULLS] * 9, {"type": "integer"}]}}), [1] * 200, 100),
    "100 calls, large schema": (one({}, **{"x-more": "x" * 60_000, "required": ["x"]}), 1, 100),
    "anchors": (
        one(
            {"allOf": [{"$ref": "#a"}] * 99}, **{"$defs": {f"d{n}": {} for n in range(4_000)}, "$anchor": "a"}
        ),
        1,
        1,
    ),
    "names within": (
        one(
            {"allOf": [{"$id": "http://x.test/", "$ref": "#/$defs/d1"}] * 99},
            **{"$defs": {f"d{n}": {} for n in range(4_000)}},
        ),
        1,
        1,
    ),
    "an anchor behind a reference": (
        one({"allOf": [{"$ref": "#/x-y"}] * 99}, **{"x-y": {"$ref": "#a"}, "x": [{}] * 15_000}),
        1,
        1,
    ),
    "dependencies": (
        one(
            {"allOf": [{"$ref": "#/$defs/d"}] * 900},
            **{"$defs": {"d": {"dependentRequired": {"a": ["a"] * 9_000}}}},
        ),
        {"a": 1},
        1,
    ),
    "lists behind a reference": (
        one({"allOf": [{"$ref": "#/y"}] * 900}, y={"enum": [[1.5] * 9_000 + [2]]}),
        [1.5] * 9_000 + [3],
        1,
    ),
    "fractions": (one({"allOf": [{"multipleOf": 5e-324}] * 2_500}), 1e308, 1),
    "errors from deep": (
        one(
            {
                "anyOf": [
                    {
                        "allOf": [
                            {
                                "allOf": [
                                    {"allOf": [{"allOf": [{"required": [f"k{n}" for n in range(3_000)]}]}]}
                                ]
                            }
                        ]
                    }
                ]
            }
        ),
        {},
        1,
    ),
}


@pytest.mark.parametrize(("parameters", "value", "calls"), HOSTILE.values(), ids=HOSTILE)
def test_one_answer_is_checked_in_bounded_time(parameters: Any, value: Any, calls: int) -> None:
    """The check of one answer ends in bounded time, since all its calls share one limit of steps."""
    load_validator()
    answer = answer_of(*[call("c", "f", json.dumps({"x": value}, separators=(",", ":")))] * calls)
    causes: list[Cause | None] = []

    def check() -> None:
        fit_schema._compile.cache_clear()
        causes.append(check_calls(answer, parameters).cause)

    assert cpu_seconds(check, bound=0.7) < 0.7  # 0.02 on a quiet machine, 2 to minutes without the limit
    assert causes[0] in (None, Cause.INVALID_ARGUMENTS)


def test_many_texts_are_mended_in_bounded_time() -> None:
    """Corrections of many texts end in bounded time, since they share the limit of steps.

    Arguments beyond the limit are invalid.
    """
    answer = answer_of(*[call("c", "now", '{"a": [' + "1," * 4_000 + "],}")] * 100)

    assert cpu_seconds(lambda: check_calls(answer, WEATHER), bound=1) < 1
    assert check_calls(answer, WEATHER).cause is Cause.INVALID_ARGUMENTS


def test_very_long_arguments_are_not_checked_against_a_schema() -> None:
    """Very long arguments are not checked against the schema. Such arguments pass if they are a JSON object."""
    fits = check_calls(answer_of(call("c", "weather", json.dumps({"town": "x" * 60_000}))), WEATHER)
    long = check_calls(answer_of(call("c", "weather", json.dumps({"town": "x" * 70_000}))), WEATHER)

    assert fits.cause is Cause.INVALID_ARGUMENTS
    assert long.cause is None


def test_long_texts_do_not_use_up_the_steps() -> None:
    """Long texts that fit the schema do not use up the limit of steps: a fault in a later call is found."""
    calls = [call("c", "weather", json.dumps({"city": "x" * 60_000}))] * 10
    checked = check_calls(answer_of(*calls, call("c", "weather", "{}")), WEATHER)

    assert checked.cause is Cause.INVALID_ARGUMENTS


@pytest.mark.parametrize("branches", [2, 20, 500])
def test_a_long_text_under_some_branches_is_checked(branches: int) -> None:
    """A long text is checked under a few branches of ``anyOf``, but not under hundreds."""
    checked = check_calls(
        answer_of(call("c", "f", json.dumps({"x": "y" * 40_000}))), one({"anyOf": [NULLS] * branches})
    )

    assert checked.cause is (Cause.INVALID_ARGUMENTS if branches < 500 else None)
