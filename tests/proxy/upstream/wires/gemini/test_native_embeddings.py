"""Tests of the bytes that Gemini gets of a client's own request for embeddings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.core.source import GEMINI_EMBEDDINGS, SOURCE, AnswerSource
from proxy.core.text_request import EmbeddingSource
from proxy.core.upstream_call import TextCall
from proxy.upstream.wires.gemini.native_embeddings import (
    build_native_embedding,
    has_asked_form,
    native_method,
)
from proxy.upstream.wires.gemini.wire import GEMINI
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.proxy.upstream.wires.gemini.test_wire import BASE, MODEL

CONTENT = b'{"role":"user", "parts":[{"text":"caf\\u00e9"},{"text":"b"}]}'


def source_of(body: bytes) -> EmbeddingSource:
    """Return the source of *body*."""
    fields = json.loads(body)
    return EmbeddingSource(body, fields, "requests" in fields)


def written(body: bytes, parameters: Any = (), **extras: Any) -> bytes:
    """Return what Gemini gets of *body* for the model ``e``."""
    return build_native_embedding(source_of(body), dict(parameters), extras, "e")


@pytest.mark.parametrize(
    "body",
    [
        b'{ "content":' + CONTENT + b', "taskType":"X", "newField":1.0 }',
        b'{"content":' + CONTENT + b', "model":"models/e"}',
        b'{"content":' + CONTENT + b', "model":null}',
        b'{"requests":[ {"content":'
        + CONTENT
        + b', "model":"models/e","task_type":"X"} ], "model":"models/e"}',
    ],
)
def test_body_that_names_no_other_model_is_sent_byte_for_byte(body: bytes) -> None:
    assert written(body) == body


def test_model_of_the_client_becomes_that_of_the_provider() -> None:
    """Everything else keeps its bytes. Each request of a batch gets a model."""
    one = b'{"model":"%s","content":' + CONTENT + b',"outputDimensionality":%s}'
    batch = (
        b'{"requests":[' + one % (b"models/ours", b"2.0") + b"," + one % (b"x", b'"3"') + b'],"model":"y"}'
    )

    assert written(one % (b"../evil", b"2.0")) == one % (b"models/e", b"2.0")
    assert written(batch) == (
        b'{"requests":['
        + one % (b"models/e", b"2.0")
        + b","
        + one % (b"models/e", b'"3"')
        + b'],"model":"models/e"}'
    )
    assert written(b'{"requests":[{"content":' + CONTENT + b"}]}") == (
        b'{"requests":[{"content":' + CONTENT + b',"model":"models/e"}]}'
    )


def test_part_of_a_batch_is_written_from_its_values() -> None:
    fields = {"requests": [{"content": {"parts": [{"text": str(at)}]}, "title": "t"} for at in range(3)]}
    part = EmbeddingSource(b"", fields, True).part(1, 3)

    assert json.loads(build_native_embedding(part, {}, {}, "e")) == {
        "requests": [{**one, "model": "models/e"} for one in fields["requests"][1:]]
    }


def test_operator_s_fields_reach_the_requests_that_lack_them() -> None:
    body = (
        b'{"requests":[{"model":"models/e","content":{}},{"model":"models/e","content":{},'
        b'"output_dimensionality":7,"taskType":"MINE"}]}'
    )
    first, second = json.loads(written(body, {"dimensions": 5}, task_type="THEIRS"))["requests"]

    assert (first["outputDimensionality"], first["taskType"]) == (5, "THEIRS")
    assert second == json.loads(body)["requests"][1]
    with pytest.raises(InvalidRequest):
        written(body, content={})


@pytest.mark.parametrize(
    "body",
    [
        b'{"content":{"parts":[{"text":"a"}]},"content":{"parts":[{"fileData":{}}]}}',
        b'{"content":{"parts":[{"fileData":{},"fileData":null,"text":"a"}]}}',
        b'{"requests":[{"model":"models/e","content":{"parts":1,"parts":2}}]}',
        b'{"requests":[{"model":"models/x","content":{"parts":1,"parts":2}}]}',
        b'{"requests":[{"model":"models/e","content":1,"content":2}, {"content":3}]}',
        b'{"requests":[1],"requests":[{"model":"models/x","content":3}]}',
    ],
)
def test_key_that_is_given_twice_is_written_once(body: bytes) -> None:
    """Another parser could read another file than the one that was checked."""
    kept = written(body)

    assert json.loads(kept, object_pairs_hook=lambda pairs: len(pairs) == len(dict(pairs)))
    assert kept.count(b":") < body.count(b":") + 2
    for holder in json.loads(kept).get("requests", [json.loads(kept)]):
        assert holder["content"] == json.loads(body).get("requests", [json.loads(body)])[0]["content"] or (
            holder["content"] == 3
        )


@pytest.mark.parametrize(
    ("body", "method", "answer"),
    [
        (
            b'{"content":{}}',
            "embedContent",
            {"embedding": {"values": [1.0], "statistics": {"tokenCount": 2}}},
        ),
        (
            b'{"requests":[{}]}',
            "batchEmbedContents",
            {"embeddings": [{"values": [1.0]}], "usageMetadata": {}},
        ),
    ],
)
def test_client_s_method_is_called_and_its_answer_is_kept(body: bytes, method: str, answer: Any) -> None:
    """A batch of one stays a batch. An answer to the other method is not relayed."""
    source, other = (
        source_of(body),
        source_of(b'{"content":{}}' if b"requests" in body else b'{"requests":[]}'),
    )
    call = TextCall(deployment_of(MODEL), {"input": ["a"]}, LIMITS, source=source)
    wire = GEMINI.embeddings
    assert wire is not None

    assert (native_method(source), wire.url(call, stream=False)) == (method, f"{BASE}:{method}")
    assert json.loads(wire.write_request(call, stream=False))
    read = wire.read_answer(json.dumps(answer).encode(), call)
    assert read[SOURCE] == AnswerSource(GEMINI_EMBEDDINGS, answer)
    assert has_asked_form(answer, source)
    assert not has_asked_form(answer, other)
    call = TextCall(deployment_of(MODEL), {"input": ["a"]}, LIMITS, source=other)
    assert SOURCE not in wire.read_answer(json.dumps(answer).encode(), call)
