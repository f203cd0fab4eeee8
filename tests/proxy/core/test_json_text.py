"""Tests that any value can be written as strict JSON and as one event."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any, NoReturn

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.json_text import encode_event, write_json

_NUMBERS = st.floats() | st.integers(-(10**30), 10**30)
_VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("beside", ["a", "a\ud83d", 10**30], ids=["text", "half a character", "large"])
def test_nan_and_infinity_are_null(number: float, beside: Any) -> None:
    """NaN and infinity are written as null, also in values that orjson cannot write."""
    written = write_json({"logprob": [number, (number,)], "beside": beside})

    assert json.loads(written, parse_constant=_refuse)["logprob"] == [None, [None]]


@given(_VALUES)
def test_any_value_is_written_as_strict_json(value: Any) -> None:
    """Any value is written as strict JSON, and as orjson writes it where orjson can."""
    written = write_json(value)

    read = json.loads(written.decode(), parse_constant=_refuse)
    json.dumps(read, ensure_ascii=False).encode()  # no lone surrogate
    with suppress(orjson.JSONEncodeError):
        assert written == orjson.dumps(value)


EMOJI = b'data: {"a\\ufffd":"\\\\ud83d\\ud83d\\ude00x\\ufffd\\u00e9"}\n\n'


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"a": "日本"}, 'data: {"a":"日本"}\n\n'.encode()),
        ({"a": "x\ny\r\n\r\n"}, b'data: {"a":"x\\ny\\r\\n\\r\\n"}\n\n'),
        ({"a": "\ud83d"}, b'data: {"a":"\\ufffd"}\n\n'),
        ({"a\ude00": "\\ud83d\ud83d\ude00x\ude00é"}, EMOJI),
        ({"a": 2**64}, b'data: {"a":18446744073709551616}\n\n'),
    ],
    ids=["text", "line ends", "lone surrogate", "halves", "large number"],
)
def test_event_is_one_line(value: Any, written: bytes) -> None:
    """An event is one line and an empty line, for any content."""
    assert encode_event(value) == written
