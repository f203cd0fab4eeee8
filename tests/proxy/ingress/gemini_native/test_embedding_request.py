"""Tests of reading Gemini's requests for embeddings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.core.text_request import MAX_TEXTS, EmbeddingSource, TextRequest
from proxy.ingress.gemini_native.embedding_request import read_embedding_request
from sanitizers import Unrepairable

HI = {"content": {"parts": [{"text": "Hi."}]}}
IMAGE = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}


def read_one(body: Any, model: str = "m") -> TextRequest:
    """Return the request of ``embedContent`` in *body*."""
    return read_embedding_request(body, json.dumps(body).encode(), model=model, is_batch=False, weight=7)


def read_batch(*requests: Any, model: str = "m", **fields: Any) -> TextRequest:
    """Return the request of ``batchEmbedContents`` with *requests*."""
    body = {"requests": [*requests], **fields}
    return read_embedding_request(body, json.dumps(body).encode(), model=model, is_batch=True, weight=7)


def source_of(request: TextRequest) -> EmbeddingSource:
    """Return the source, which each request of Gemini's has."""
    assert request.source is not None
    return request.source


def needs_of(*parts: Any) -> list[tuple[str, bool]]:
    """Return the places of what *parts* need of their provider, and whether each names an object there."""
    needs = source_of(read_one({"content": {"parts": [*parts]}})).needs
    return [(need.param, need.names_object) for need in needs]


def test_parts_of_a_content_are_one_text() -> None:
    given = {"content": {"parts": [{"text": "One."}, {"text": "Two."}], "role": "user"}}

    assert read_one(given).parameters == {"input": ["One.\nTwo."]}
    assert read_batch(HI, given).parameters == {"input": ["Hi.", "One.\nTwo."]}
    assert source_of(read_batch(HI, given)).needs == ()


@pytest.mark.parametrize("name", ["outputDimensionality", "output_dimensionality"])
def test_dimensions_are_those_of_a_chat_client(name: str) -> None:
    assert read_one({**HI, name: 3}).parameters["dimensions"] == 3
    assert read_batch({**HI, name: 3}, {**HI, "outputDimensionality": 3}).parameters["dimensions"] == 3


def test_source_has_the_body_and_the_fields_that_only_gemini_has() -> None:
    given = {**HI, "taskType": "RETRIEVAL_QUERY", "title": None}
    source = source_of(read_one(given))

    assert (source.body, source.fields, source.is_batch) == (json.dumps(given).encode(), given, False)
    assert source.own == ("taskType",)
    assert read_one(given).unknown == {}


def test_part_of_a_batch_has_its_requests_and_no_bytes() -> None:
    part = source_of(read_batch(*({**HI, "title": str(at)} for at in range(5)), labels={})).part(2, 4)

    assert [one["title"] for one in part.fields["requests"]] == ["2", "3"]
    assert (part.body, part.fields["labels"], part.is_batch) == (None, {}, True)


def test_model_is_that_of_the_path_or_else_of_the_body() -> None:
    named = {**HI, "model": "models/other"}

    assert (read_one(named).model, read_one(named, model="").model) == ("m", "other")
    assert read_batch(named, {**named, "model": "models/third"}, model="").model == "other"


def test_requests_that_differ_need_gemini() -> None:
    for other in ({"taskType": "X"}, {"outputDimensionality": 3}, {"newField": 1}):
        [need] = source_of(read_batch(HI, {**HI, **other}, {**HI, **other})).needs
        assert (need.param, need.names_object) == ("requests[1]", False)


@pytest.mark.parametrize(
    ("part", "names_object"),
    [
        (IMAGE, None),
        ({"inline_data": {"mime_type": "image/png", "data": "AA=="}}, None),
        ({"fileData": {"fileUri": "https://example.com/a.png"}}, None),
        ({"fileData": {"fileUri": "files/a"}}, "content.parts[1].fileData.fileUri"),
        ({"file_data": {"file_uri": "gs://b/a"}, "thought": True}, "content.parts[1].file_data.file_uri"),
        ({"functionResponse": {"parts": [{"fileData": {"fileUri": "files/a"}}]}}, "content.parts[1]"),
        ({"newData": {"fileUri": "files/a"}}, "content.parts[1].newData"),
    ],
)
def test_part_that_is_no_text_needs_gemini(part: Any, names_object: str | None) -> None:
    """An object of the provider's account is a need of its own."""
    found = needs_of({"text": "x"}, part)

    assert found[0] == ("content.parts[1]", False)
    objects = [place for place, is_object in found if is_object]
    assert len(objects) == (names_object is not None)
    assert names_object is None or objects[0].startswith(names_object)


def test_one_need_of_a_kind_stands_for_all() -> None:
    assert needs_of(*([IMAGE] * 50)) == [("content.parts[0]", False)]


@pytest.mark.parametrize(
    ("requests", "param"),
    [
        ([], "requests"),
        ([HI] * (MAX_TEXTS + 1), "requests"),
        ([HI, 1], "requests[1]"),
        ([HI, {}], "requests[1].content"),
        ([HI, {"content": {"parts": []}}], "requests[1].content.parts"),
        ([{"content": {"parts": [{"text": "x"}, {}]}}], "requests[0].content.parts[1]"),
        ([{"content": {"parts": [{"text": "x", **IMAGE}]}}], "requests[0].content.parts[0]"),
        ([{"content": {"parts": [{"text": 1}]}}], "requests[0].content.parts[0].text"),
        (
            [{"content": {"parts": [{"inlineData": {"mimeType": 1}}]}}],
            "requests[0].content.parts[0].inlineData.mimeType",
        ),
        ([{"content": {"parts": [{"fileData": {}}]}}], "requests[0].content.parts[0].fileData.fileUri"),
        ([{"content": {"parts": [{"text": "x", "thought": 1}]}}], "requests[0].content.parts[0].thought"),
        (
            [{"content": {"parts": [{"text": "x", "thoughtSignature": 1}]}}],
            "requests[0].content.parts[0].thoughtSignature",
        ),
        ([{"content": {"parts": [1]}}], "requests[0].content.parts[0]"),
        ([{"content": {**HI["content"], "role": 1}}], "requests[0].content.role"),
        ([{**HI, "model": 1}], "requests[0].model"),
        ([{**HI, "taskType": {}}], "requests[0].taskType"),
        ([{**HI, "title": 1}], "requests[0].title"),
        ([{**HI, "taskType": "X", "task_type": "X"}], "requests[0].taskType"),
        ([HI, {**HI, "outputDimensionality": 0}], "requests[1].outputDimensionality"),
        ([{**HI, "outputDimensionality": 1, "output_dimensionality": 1}], "requests[0].outputDimensionality"),
    ],
)
def test_faulty_request_is_refused_with_its_path(requests: list[Any], param: str) -> None:
    with pytest.raises((InvalidRequest, Unrepairable)) as refused:
        read_batch(*requests)

    assert isinstance(refused.value, InvalidRequest | Unrepairable)
    assert refused.value.param == param


def test_request_without_a_model_is_refused() -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_one(HI, model="")
    with pytest.raises(InvalidRequest) as faulty:
        read_embedding_request({"requests": [HI], "model": 1}, b"", model="m", is_batch=True, weight=0)

    assert (refused.value.param, faulty.value.param) == ("model", "model")
