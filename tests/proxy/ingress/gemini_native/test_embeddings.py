"""Tests of Gemini's format of embeddings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.core.text_request import MAX_TEXTS, TextRequest
from proxy.ingress.gemini_native.embeddings import GEMINI_EMBEDDING, GEMINI_EMBEDDINGS

HI = {"content": {"parts": [{"text": "Hi."}]}}


def read_one(body: Any, model: str = "m") -> TextRequest:
    """Return the request of ``embedContent`` in *body*."""
    return GEMINI_EMBEDDING.read_request(json.dumps(body).encode(), max_nesting=20, model=model)


def read_batch(*requests: Any, model: str = "m", **fields: Any) -> TextRequest:
    """Return the request of ``batchEmbedContents`` with *requests*."""
    body = json.dumps({"requests": [*requests], **fields}).encode()
    return GEMINI_EMBEDDINGS.read_request(body, max_nesting=20, model=model)


def test_parts_of_a_content_are_one_text() -> None:
    given = {"content": {"parts": [{"text": "One."}, {"text": "Two."}], "role": "user"}}

    assert read_one(given).parameters == {"input": ["One.\nTwo."]}
    assert read_batch(HI, given).parameters == {"input": ["Hi.", "One.\nTwo."]}


@pytest.mark.parametrize("name", ["outputDimensionality", "output_dimensionality"])
def test_dimensions_are_those_of_a_chat_client(name: str) -> None:
    assert read_one({**HI, name: 3}).parameters["dimensions"] == 3
    assert read_batch({**HI, name: 3}, {**HI, "outputDimensionality": 3}).parameters["dimensions"] == 3


def test_fields_that_only_gemini_has_are_kept_for_gemini() -> None:
    given = {**HI, "taskType": "RETRIEVAL_QUERY", "title": None}

    assert read_one(given).native == {"taskType": "RETRIEVAL_QUERY"}
    assert read_one(given).unknown == {}


def test_model_is_that_of_the_path_or_else_of_the_body() -> None:
    named = {**HI, "model": "models/other"}

    assert (read_one(named).model, read_one(named, model="").model) == ("m", "other")
    assert read_batch(named, {**named, "model": "models/third"}, model="").model == "other"


@pytest.mark.parametrize(
    ("requests", "param"),
    [
        ([], "requests"),
        ([HI] * (MAX_TEXTS + 1), "requests"),
        ([HI, 1], "requests[1]"),
        ([HI, {}], "requests[1].content"),
        ([HI, {"content": {"parts": []}}], "requests[1].content.parts"),
        ([{"content": {"parts": [{"text": "x"}, {"inlineData": {}}]}}], "requests[0].content.parts[1]"),
        ([{"content": {"parts": [1]}}], "requests[0].content.parts[0]"),
        ([HI, {**HI, "taskType": "X"}], "requests[1]"),
        ([{**HI, "outputDimensionality": 0}], "requests[0].outputDimensionality"),
        ([{**HI, "outputDimensionality": 1, "output_dimensionality": 1}], "requests[0].outputDimensionality"),
    ],
)
def test_faulty_request_is_refused_with_its_path(requests: list[Any], param: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_batch(*requests)

    assert (refused.value.param, refused.value.asked_model) == (param, "m")


def test_answer_has_a_vector_for_each_content() -> None:
    given = {"data": [{"embedding": [0.5, 1.0]}]}

    assert json.loads(GEMINI_EMBEDDING.write_answer(given)) == {"embedding": {"values": [0.5, 1.0]}}
    assert GEMINI_EMBEDDING.write_native_answer(None, given) == GEMINI_EMBEDDING.write_answer(given)
    assert json.loads(GEMINI_EMBEDDINGS.write_answer(given)) == {"embeddings": [{"values": [0.5, 1.0]}]}
