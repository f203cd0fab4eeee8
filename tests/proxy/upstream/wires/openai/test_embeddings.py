"""Tests that a list of embeddings is read, and that a 200 without a list is the provider's fault."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.openai.embeddings import NO_EMBEDDINGS, read_embeddings


def test_a_list_is_read_as_it_is() -> None:
    """The list's items are checked later, for all providers alike."""
    answer = {"object": "list", "data": [{"index": 0, "embedding": [0.5]}], "model": "e"}

    assert read_embeddings(orjson.dumps(answer)) == answer


@pytest.mark.parametrize(
    ("value", "words", "status"),
    [
        ({"error": {"message": "Too many.", "code": 429}}, "Too many.", 429),
        ({"data": {}}, NO_EMBEDDINGS, None),
        ({}, NO_EMBEDDINGS, None),
        ([], NO_EMBEDDINGS, None),
    ],
    ids=repr,
)
def test_200_without_a_list_of_embeddings_is_a_fault(value: Any, words: str, status: int | None) -> None:
    """An error in the body keeps its message and its status."""
    with pytest.raises(UpstreamFault) as caught:
        read_embeddings(orjson.dumps(value))
    assert (caught.value.message, caught.value.upstream_status) == (words, status)
