"""Tests that token counts are read in each spelling of proto JSON."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.gemini import read_answer
from tests.proxy.upstream.wires.gemini.test_answers import body


@pytest.mark.parametrize(
    "count", [True, -1, 1.5, "five", "5 ", "\u0665", [], {}, 2**31, float("inf"), float("nan"), 1e300]
)
def test_invalid_count_counts_as_missing(count: Any) -> None:
    """An invalid total is replaced by the sum of the other counts."""
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 3, "totalTokenCount": count}

    answer = read_answer(body({"text": "a"}, usageMetadata=usage), model="m")

    assert answer["usage"] == {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}


@pytest.mark.parametrize("count", [3, 3.0, "3"])
def test_counts_in_every_spelling_of_proto_json(count: Any) -> None:
    """A count may be a quoted number, or a number with a decimal point."""
    usage = {"promptTokenCount": 5, "candidatesTokenCount": count, "totalTokenCount": 8}

    answer = read_answer(body({"text": "a"}, usageMetadata=usage), model="m")

    assert answer["usage"]["completion_tokens"] == 3
