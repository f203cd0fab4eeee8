"""Tests of lists of embeddings: their order, their number, the two formats and missing fields."""

from __future__ import annotations

from array import array
from base64 import b64decode, b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.answers.embeddings import check_embeddings, join_embeddings
from proxy.core.errors import AnswerUnusable
from proxy.core.failures import Cause

floats = st.floats(width=32, allow_nan=False, allow_infinity=False)
vectors = st.lists(floats, min_size=1, max_size=20)


def answer_of(*embeddings: Any, **fields: Any) -> dict[str, Any]:
    """Return a provider's answer with *embeddings*."""
    data = [{"index": at, "embedding": one} for at, one in enumerate(embeddings)]
    return {"object": "list", "data": data, **fields}


def embeddings_in(answer: dict[str, Any]) -> list[Any]:
    """Return the embeddings, after checking that each one's index is its position."""
    assert [one["index"] for one in answer["data"]] == list(range(len(answer["data"])))
    return [one["embedding"] for one in answer["data"]]


@given(vectors)
def test_both_formats_hold_the_same_numbers(vector: list[float]) -> None:
    """For ``base64`` numbers are packed as little-endian float32, and for ``float`` base64 is unpacked."""
    packed = embeddings_in(check_embeddings(answer_of(vector), 1, "base64", "m"))[0]

    assert array("f", b64decode(packed)).tolist() == vector
    assert embeddings_in(check_embeddings(answer_of(packed), 1, "float", "m")) == [vector]
    assert embeddings_in(check_embeddings(answer_of(packed), 1, "base64", "m")) == [packed]
    assert embeddings_in(check_embeddings(answer_of(vector), 1, "float", "m")) == [vector]


def test_the_bytes_are_openais() -> None:
    """The number one is packed as `00 00 80 3f`, as OpenAI packs it."""
    assert check_embeddings(answer_of([1]), 1, "base64", "m")["data"][0]["embedding"] == "AACAPw=="
    assert b64encode(b"\x00\x00\x80\x3f") == b"AACAPw=="


@given(st.permutations(range(6)))
def test_order_is_by_index(places: list[int]) -> None:
    """Embeddings that come in any order are sorted by their index."""
    data = [{"index": at, "embedding": [float(at)]} for at in places]

    assert embeddings_in(check_embeddings({"data": data}, 6, "float", "m")) == [
        [float(at)] for at in range(6)
    ]


@pytest.mark.parametrize("index", [None, 0])
def test_embeddings_without_distinct_indices_keep_their_order(index: int | None) -> None:
    """Embeddings without an index, or all with the same index, keep the provider's order."""
    data = [{"index": index, "embedding": [float(at)]} for at in range(3)]

    assert embeddings_in(check_embeddings({"data": data}, 3, "float", "m")) == [[0.0], [1.0], [2.0]]


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        ({}, Cause.NOT_AN_ANSWER),
        ({"data": {}}, Cause.NOT_AN_ANSWER),
        ({"data": ["a", "b"]}, Cause.NOT_AN_ANSWER),
        ({"data": []}, Cause.EMPTY),
        (answer_of([0.1]), Cause.NOT_AN_ANSWER),
        (answer_of([0.1], [0.2], [0.3]), Cause.NOT_AN_ANSWER),
        (answer_of([0.1], []), Cause.NOT_AN_ANSWER),
        (answer_of([0.1], ""), Cause.NOT_AN_ANSWER),
        (answer_of([0.1], "***"), Cause.NOT_AN_ANSWER),
        (answer_of([0.1], "AAA="), Cause.NOT_AN_ANSWER),
        (answer_of([0.1], [None]), Cause.NOT_AN_ANSWER),
        (answer_of([0.1], ["1"]), Cause.NOT_AN_ANSWER),
        ({"data": [{"index": 1, "embedding": [0.1]}, {"index": 2, "embedding": [0.1]}]}, Cause.NOT_AN_ANSWER),
        ({"data": [{"index": 0, "embedding": [0.1]}, {"embedding": [0.1]}]}, Cause.NOT_AN_ANSWER),
        (
            {"data": [{"index": "0", "embedding": [0.1]}, {"index": 1, "embedding": [0.1]}]},
            Cause.NOT_AN_ANSWER,
        ),
    ],
)
def test_an_answer_without_one_embedding_for_each_text_is_refused(
    answer: dict[str, Any], cause: Cause
) -> None:
    """An answer to two texts is refused if it has not exactly two embeddings, or if one or its index is invalid."""
    with pytest.raises(AnswerUnusable) as caught:
        check_embeddings(answer, 2, "float", "m")

    assert caught.value.cause is cause


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 3, "total_tokens": 4}, (3, 4)),
        ({"prompt_tokens": 3}, (3, 3)),
        ({"total_tokens": 4, "completion_tokens": 0}, (4, 4)),
        ({"prompt_tokens": "3"}, (0, 0)),
        (None, (0, 0)),
        ([], (0, 0)),
    ],
)
def test_usage_has_both_counts(usage: Any, counted: tuple[int, int]) -> None:
    """The usage always has both counts, which strict clients need. Without a provider's count both counts are 0."""
    answer = check_embeddings(answer_of([0.1], usage=usage, _hidden={}, model=""), 1, "float", "mine")

    assert answer["usage"] == {"prompt_tokens": counted[0], "total_tokens": counted[1]}
    assert answer["model"] == "mine"
    assert answer.keys() == {"object", "data", "model", "usage"}


def test_parts_are_joined() -> None:
    """The indexes of joined answers continue across the parts, and the token counts are added up."""
    usage = {"prompt_tokens": 2, "total_tokens": 2}
    parts = [check_embeddings(answer_of([at], [at + 1], usage=usage), 2, "float", "m") for at in (0.0, 2.0)]
    joined = join_embeddings(parts)

    assert embeddings_in(joined) == [[0.0], [1.0], [2.0], [3.0]]
    assert joined["usage"] == {"prompt_tokens": 4, "total_tokens": 4}
