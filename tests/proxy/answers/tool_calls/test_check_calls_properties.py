"""Tests of the checks of calls with random texts, schemas and values."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import orjson
from hypothesis import given
from hypothesis import strategies as st

from proxy.answers.tool_calls import check_calls
from proxy.answers.tool_calls.fit_schema import find_schema_faults
from proxy.answers.tool_calls.mend_arguments import mend_notation
from tests.proxy.answers.tool_calls.test_check_calls import answer_of, tools_of
from tests.support.builders import call

SCALARS = (
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9) | st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)
OBJECTS = st.dictionaries(st.sampled_from("abcd") | st.text(max_size=4), VALUES, max_size=4)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
SCHEMAS = st.fixed_dictionaries(
    {"type": st.just("object")},
    optional={
        "properties": st.dictionaries(
            st.sampled_from("abcd"), st.fixed_dictionaries({"type": TYPES}), max_size=4
        ),
        "required": st.lists(st.sampled_from("abcd"), max_size=2, unique=True),
        "additionalProperties": st.booleans(),
    },
)
KEYWORDS = st.sampled_from(
    [
        "$ref",
        "$schema",
        "allOf",
        "anyOf",
        "enum",
        "items",
        "maximum",
        "not",
        "properties",
        "required",
        "type",
        "if",
    ]
)
NO_SCHEMAS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(KEYWORDS | st.text(max_size=3), inner | TYPES | st.just("#"), max_size=4)
    ),
)
BITS = st.sampled_from([*"{}[],:\"'\\\n ab1", ".5", "True", "null", '"a":', '"x"', "'y'"])
PYTHONS_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\[xU]")
WRITTEN_OTHERWISE = re.compile(r"[\\\x00-\x1f]|\d[.eE]|-0")
"""Matches texts with escapes, control characters or numbers that may be written in more than one way."""

BROKEN = st.lists(BITS, max_size=24).map("".join) | st.text(max_size=24)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """Draw the text of an object, as JSON or Python, with a few characters removed or inserted."""
    text = draw(st.sampled_from([json.dumps, repr]))(draw(OBJECTS))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(BITS | st.just("")) + text[at + draw(st.integers(0, 2)) :]
    return text


@given(damaged() | BROKEN, SCHEMAS)
def test_mended_arguments_parse_and_fit(text: str, schema: Any) -> None:
    """Accepted or corrected arguments are a JSON object that fits the schema, by ``jsonschema``'s own check.

    An answer without a correction is returned as the same object.
    """
    answer = answer_of(call("c", "f", text))
    checked = check_calls(answer, tools_of(f=schema))

    if checked.cause is not None or not checked.changes:
        assert checked.answer is answer
    if checked.cause is None:
        value = orjson.loads(
            checked.answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]
        )
        assert isinstance(value, dict)
        jsonschema.validate(value, schema)


@given(OBJECTS, SCHEMAS)
def test_right_arguments_pass_as_they_are(value: Any, schema: Any) -> None:
    """An answer whose calls fit is returned as the same object. A call that does not fit has a cause."""
    answer = answer_of(call("c", "f", json.dumps(value)))
    checked = check_calls(answer, tools_of(f=schema))

    assert checked.answer is answer
    assert (checked.cause is None) == jsonschema.Draft202012Validator(schema).is_valid(value)


@given(OBJECTS, NO_SCHEMAS)
def test_no_schema_breaks_the_check(value: Any, schema: Any) -> None:
    """The check against a schema never raises, whatever value stands for the schema."""
    assert all(isinstance(text, str) for text in find_schema_faults(value, schema))


@given(OBJECTS)
def test_what_python_writes_is_read_as_python_reads_it(value: Any) -> None:
    """The text of a Python dict is read as that dict. A text with Python's own escapes may be refused."""
    text = repr(value)

    assert mend_notation(text) == (None if PYTHONS_ESCAPE.search(text) else value)


@given(OBJECTS)
def test_json_is_read_as_json(value: Any) -> None:
    """Valid JSON is read as its own value."""
    assert mend_notation(json.dumps(value)) == value


@given(damaged() | BROKEN)
def test_nothing_is_lost_or_added(text: str) -> None:
    """A correction changes only white space, commas, quotes and Python's words.

    Texts that match ``WRITTEN_OTHERWISE`` are not compared.
    """
    value = mend_notation(text)

    if value is not None and not WRITTEN_OTHERWISE.search(text):
        assert _gist(json.dumps(value, ensure_ascii=False)) == _gist(text)


@given(st.text(max_size=6), NO_SCHEMAS, st.none() | st.text(max_size=6) | VALUES)
def test_checking_calls_never_raises(name: str, schema: Any, arguments: Any) -> None:
    """The check never raises, whatever name and arguments a model writes."""
    check_calls(answer_of(call("c", name, arguments)), tools_of(f=schema))


def _gist(text: str) -> str:
    for python, word in (("True", "true"), ("False", "false"), ("None", "null")):
        text = text.replace(python, word)
    return re.sub(r"[\s,\"']", "", text)
