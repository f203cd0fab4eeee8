"""Tests of Gemini's format of embeddings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.core.text_request import TextRequest
from proxy.ingress.gemini_native.embeddings import GEMINI_EMBEDDING, GEMINI_EMBEDDINGS

HI = {"content": {"parts": [{"text": "Hi."}]}}


def read_one(body: Any, model: str = "m") -> TextRequest:
    """Return the request of ``embedContent`` in *body*."""
    return GEMINI_EMBEDDING.read_request(json.dumps(body).encode(), max_nesting=20, model=model)


def read_batch(*requests: Any, model: str = "m", **fields: Any) -> TextRequest:
    """Return the request of ``batchEmbedContents`` with *requests*."""
    body = json.dumps({"requests": [*requests], **fields}).encode()
    return GEMINI_EMBEDDINGS.read_request(body, max_nesting=20, model=model)


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"content":[[[[[[1]]]]]]}', b'{"content":{"parts":1}}'])
def test_unreadable_body_is_refused_with_the_model_of_the_path(body: bytes) -> None:
    for answer_format in (GEMINI_EMBEDDING, GEMINI_EMBEDDINGS):
        with pytest.raises(InvalidRequest):
            answer_format.read_request(body, max_nesting=4, model="m")
    with pytest.raises(InvalidRequest) as refused:
        GEMINI_EMBEDDING.read_request(b'{"content":1}', max_nesting=4, model="m")
    assert (refused.value.param, refused.value.asked_model) == ("content", "m")


def test_method_decides_where_the_requests_are() -> None:
    assert read_one(HI).parameters == read_batch(HI).parameters == {"input": ["Hi."]}


def test_answer_has_a_vector_for_each_content() -> None:
    given = {"data": [{"embedding": [0.5, 1.0]}]}

    assert json.loads(GEMINI_EMBEDDING.write_answer(given)) == {"embedding": {"values": [0.5, 1.0]}}
    assert json.loads(GEMINI_EMBEDDINGS.write_answer(given)) == {"embeddings": [{"values": [0.5, 1.0]}]}


def test_answer_of_gemini_is_relayed() -> None:
    native = {"embedding": {"values": [1], "statistics": {"tokenCount": 3}}}

    assert json.loads(GEMINI_EMBEDDING.write_native_answer(native, {})) == native
