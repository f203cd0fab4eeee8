"""Tests that malformed arguments with one certain meaning are corrected, and that other texts are left alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.answers.tool_calls.mend_arguments import mend_notation, unwrap_encoded
from proxy.answers.tool_calls.work_limit import WorkLimit
from tests.support.counted_steps import count_steps
from tests.support.cpu_time import cpu_seconds

MENDED: list[tuple[str, str, Any]] = [
    ("trailing comma", '{"a": 1,}', {"a": 1}),
    ("trailing comma in a list", '{"a": ["x", "y",],}', {"a": ["x", "y"]}),
    ("missing comma", '{"a": 1 "b": 2}', {"a": 1, "b": 2}),
    ("single quotes", "{'a': 'x'}", {"a": "x"}),
    ("single quotes, escaped", "{'a': 'it\\'s'}", {"a": "it's"}),
    ("both quotes", "{'a': \"it's\"}", {"a": "it's"}),
    ("python's words", "{'a': True, 'b': False, 'c': None}", {"a": True, "b": False, "c": None}),
    ("python's words in texts", "{'a': 'True'}", {"a": "True"}),
    ("raw line break", '{"a": "x\ny"}', {"a": "x\ny"}),
    ("raw tab", '{"a": "x\ty"}', {"a": "x\ty"}),
    ("bare key", "{a: 1}", {"a": 1}),
    ("commas in a text", '{"a": "1, 2",}', {"a": "1, 2"}),
    ("escaped quotes", '{"a": "say \\"hi\\", ok",}', {"a": 'say "hi", ok'}),
    ("escapes", '{"a": "\\u00e9\\n",}', {"a": "é\n"}),
    ("a line break at the end", '{"a": "x\\n",}', {"a": "x\n"}),
    ("escaped slash", '{"a": "\\/",}', {"a": "/"}),
    ("an apostrophe and quotes", """{'a': 'say "it\\'s"'}""", {"a": 'say "it\'s"'}),
    ("a number of many digits", '{"a": 12345678901234567890,}', {"a": 12345678901234567890}),
    ("nested", "{'a': {'b': [1, 2.5, -3e2]}}", {"a": {"b": [1, 2.5, -300.0]}}),
]

WITHIN = [
    '{"a": 1}',
    ' {"a" : 1.0}\n',
    '{"id": 123456789012345678901234}',
    '{"id": 0.12345678901234567890123}',
    '{"a": "\\u00e9 \\"x\\""}',
]

NOT_WITHIN = {
    "a list": "[1]",
    "broken": '{"a": 1,}',
    "a key twice": '{"a": 1, "a": 2}',
    "a key twice, deep": '{"a": [{"b": 1, "b": 1}]}',
    "infinite": '{"a": 1e999}',
    "NaN": '{"a": NaN}',
    "a raw line break": '{"a": "x\ny"}',
    "half an emoji": '{"a": "\\ud83d"}',
    "too deep": '{"a": ' * 1_010 + "1" + "}" * 1_010,
    "thrice": '"{}"',
}

LEFT_ALONE = {
    "empty": "",
    "cut off in a text": '{"run": "rm -rf /tmp/x',
    "cut off behind a brace in a text": '{"run": "echo ${x}',
    "cut off behind a value": '{"a": 1',
    "cut off behind an inner object": '{"run": "rm", "in": {"dir": "/"}',
    "cut off, single quotes": "{'run': 'echo ${x}",
    "two objects": '{"a": 1}{"b": 2}',
    "two empty objects": "{}{}",
    "a brace too many": '{"a": 1}}',
    "mismatched brackets": '{"a": [1}]',
    "a list": "[1, 2,]",
    "a text": "hello",
    "a call": "f(a=1)",
    "bare value": '{"a": hello}',
    "NaN": '{"a": NaN}',
    "infinite": '{"a": 1e999,}',
    "quotes in a text": '{"a": "he said "hi" to me"}',
    "two texts in a list": '{"a": ["x" "y"]}',
    "two texts": "{'a': 'x' 'y'}",
    "a comma at the beginning": '{,"a": 1}',
    "only a comma": "{,}",
    "no key": "{: 1}",
    "a number for a key": "{1: 2}",
    "two colons": '{"a":: 1}',
    "brackets for braces": '["a": 1]',
    "two commas": '{"a": 1,, "b": 2}',
    "a key without a value": '{"a": 1, "b",}',
    "a value without a key": '{"a": 1, 2}',
    "the same key twice": '{"a": 1, "a": 2,}',
    "a comment": '{"a": "b", // c\n "d": 1}',
    "unknown escape": '{"p": "C:\\d",}',
    "a string without a quote": '{"q": "a, "b": "c"}',
    "typographic quotes": '{"a": “x”}',
    "half a number": '{"a": .5}',
    "a list encoded twice": '"[1]"',
    "broken text encoded twice": '"{\\"a\\": 1,}"',
    "a broken text of a text": '"{\\"a\\": 1}',
    "too long": '{"a": "' + "x" * 70_000 + '",}',
    "too deep": '{"a": ' + "[" * 70 + "]" * 70 + ",}",
}


@pytest.mark.parametrize(("text", "value"), [row[1:] for row in MENDED], ids=[row[0] for row in MENDED])
def test_notation_is_corrected(text: str, value: Any) -> None:
    """A text with one certain meaning is read as its value."""
    assert mend_notation(text) == value


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_an_uncertain_text_is_left_alone(text: str) -> None:
    """A text without one certain meaning is not corrected, and neither is one that is too long or too deep."""
    assert mend_notation(text) is None
    assert unwrap_encoded(text) is None


@pytest.mark.parametrize("inner", WITHIN)
def test_what_was_encoded_twice_is_passed_on_as_it_is(inner: str) -> None:
    """The inner text of twice-encoded arguments is returned unchanged, so that a number keeps all of its digits."""
    assert unwrap_encoded(json.dumps(inner)) == inner


@pytest.mark.parametrize("inner", NOT_WITHIN.values(), ids=NOT_WITHIN)
def test_an_encoded_text_without_one_certain_object_is_left_alone(inner: str) -> None:
    """An encoded text is left alone unless its inner text is one valid JSON object without repeated keys."""
    assert unwrap_encoded(json.dumps(inner)) is None


def test_mending_ends_with_the_steps() -> None:
    """The limit of steps ends the correction of further texts."""
    limit = WorkLimit()
    long = '{"a": [' + "1," * 9_000 + "],}"
    assert mend_notation(long, limit) is not None
    assert mend_notation(long, limit) is None
    assert mend_notation('{"a": 1,}', limit) is None
    assert unwrap_encoded('"{}"', limit) is None


@pytest.mark.parametrize(
    "text",
    [
        "{" * 30_000 + "}" * 30_000,
        '{"a":1, ' * 6_000 + "}" * 6_000,
        "{" + "a:" * 30_000 + "}",
        "{a" + " " * 64_000 + "}",
        "{" + "a " * 32_000 + "}",
        "{" + "a    " * 12_000 + "}",
        '"' * 64_000,
        "{'" + "\\" * 64_000,
    ],
    ids=["braces", "objects", "colons", "space", "words", "more words", "quotes", "backslashes"],
)
def test_a_hostile_text_ends_in_bounded_time(text: str) -> None:
    """A hostile text is read in bounded time and not corrected."""
    assert cpu_seconds(lambda: mend_notation(text), bound=1) < 1  # 0.01 on a quiet machine
    assert mend_notation(text) is None


PIECES = ('{"a":', "{'a':", '"', "'", '"\\', ",", "\"a'b", " \n", "ab ", "[{", "\\'", "{'a': \"", "{a:1,")
"""Texts to repeat: unclosed brackets, nested quotes and bare commas."""


def steps_for(piece: str, size: int) -> int:
    """Return the steps that it takes to correct *size* characters of repeated *piece*."""
    text = (piece * size)[:size]

    def work() -> None:
        mend_notation(text)
        mend_notation("{" + text + "}")
        unwrap_encoded('"' + text)

    return count_steps(work).total()


@pytest.mark.long
@pytest.mark.parametrize("piece", PIECES)
def test_steps_grow_with_the_text(piece: str) -> None:
    """Four times the text takes at most about four times the steps."""
    assert steps_for(piece, 8_000) <= 4.6 * steps_for(piece, 2_000) + 1_000
