"""What is written as JSON is JSON, whatever it holds."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any, NoReturn

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.json_text import write_json

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
def test_what_is_no_number_is_null(number: float, beside: Any) -> None:
    """Also where orjson does not write it."""
    written = write_json({"logprob": [number, (number,)], "beside": beside})

    assert json.loads(written, parse_constant=_refuse)["logprob"] == [None, [None]]


@given(_VALUES)
def test_anything_is_json(value: Any) -> None:
    """That a strict parser reads, and the same that orjson writes where it can."""
    written = write_json(value)

    read = json.loads(written.decode(), parse_constant=_refuse)
    json.dumps(read, ensure_ascii=False).encode()  # no half of a character
    with suppress(orjson.JSONEncodeError):
        assert written == orjson.dumps(value)
