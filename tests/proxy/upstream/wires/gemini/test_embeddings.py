"""Tests of embeddings on Gemini's wire."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest, UpstreamFault
from proxy.core.upstream_call import TextCall
from proxy.upstream.wires.gemini.embeddings import build_embedding_request, read_embeddings
from proxy.upstream.wires.gemini.wire import GEMINI
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.proxy.upstream.wires.gemini.test_wire import BASE, MODEL


@pytest.mark.parametrize(
    ("value", "method"), [("a", "embedContent"), (["a"], "embedContent"), (["a", "b"], "batchEmbedContents")]
)
def test_embedding_s_method_follows_the_count_of_texts(value: Any, method: str) -> None:
    """One text is sent to ``embedContent``, and several texts to ``batchEmbedContents``."""
    assert GEMINI.embeddings is not None
    plain = TextCall(deployment_of(MODEL), {"input": value}, LIMITS)

    assert GEMINI.embeddings.url(plain, stream=False) == f"{BASE}:{method}"
    assert json.loads(GEMINI.embeddings.write_request(plain, stream=False))
    assert GEMINI.embeddings.unsupported(plain.deployment, {"input": value, "user": "u"}) == {"user"}


def test_each_text_has_the_client_s_own_fields_and_the_dimensions() -> None:
    """Each request of a batch holds the fields and the dimensions, since Gemini reads them there."""
    parameters = {"input": ["a", "b"], "dimensions": 5}
    body = build_embedding_request(parameters, {"task_type": "RETRIEVAL_QUERY"}, "e")

    assert body["requests"] == [
        {
            "model": "models/e",
            "content": {"parts": [{"text": text}]},
            "taskType": "RETRIEVAL_QUERY",
            "outputDimensionality": 5,
        }
        for text in "ab"
    ]


@pytest.mark.parametrize(
    ("value", "extras", "param"),
    [
        ([1, 2], {}, "input"),
        ("a", {"content": {}}, "content"),
        ("a", {"output_dimensionality": 3}, "output_dimensionality"),
        ("a", {"requests": []}, "requests"),
    ],
)
def test_tokens_and_fields_of_other_parameters_are_refused(
    value: Any, extras: dict[str, Any], param: str
) -> None:
    """Gemini accepts no tokens as input. A client may not set fields that the wire writes itself."""
    with pytest.raises(InvalidRequest) as caught:
        build_embedding_request({"input": value}, extras, "e")
    assert caught.value.param == param


@pytest.mark.parametrize(
    ("body", "expected", "usage"),
    [
        ({"embedding": {"values": [0.5]}}, [[0.5]], None),
        ({"embeddings": [{"values": [0.5]}, {"values": [1]}]}, [[0.5], [1]], None),
        ({"embedding": {"values": [1]}, "usageMetadata": {"promptTokenCount": "3"}}, [[1]], 3),
        ({"embedding": {"values": [1]}, "usageMetadata": {"promptTokenCount": -1}}, [[1]], None),
    ],
    ids=repr,
)
def test_embeddings_are_openai_s_list_in_the_order_of_the_texts(
    body: dict[str, Any], expected: list[Any], usage: int | None
) -> None:
    """The answer has a usage only where Gemini sends a valid count."""
    answer = read_embeddings(body, model="e")

    assert [one["embedding"] for one in answer["data"]] == expected
    assert [one["index"] for one in answer["data"]] == list(range(len(expected)))
    counts = None if usage is None else {"prompt_tokens": usage, "total_tokens": usage}
    assert answer.get("usage") == counts


@pytest.mark.parametrize(
    ("body", "status"),
    [({"error": {"code": 429, "message": "x"}}, 429), ({}, None), ({"embeddings": ["x"]}, None), ([], None)],
    ids=repr,
)
def test_a_200_without_embeddings_is_a_fault(body: Any, status: int | None) -> None:
    """A 200 whose body holds an error becomes a fault with the error's status."""
    with pytest.raises(UpstreamFault) as caught:
        read_embeddings(body, model="e")
    assert caught.value.upstream_status == status
