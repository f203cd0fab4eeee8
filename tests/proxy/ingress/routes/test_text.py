"""Faulty requests for embeddings and text completions get an error that names the faulty field."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.forwarding.text.asking import COMPLETIONS, EMBEDDINGS, body_for
from tests.support.proxied import Proxied
from tests.support.scripted_upstream import ScriptedUpstream

BAD: list[tuple[str, dict[str, Any], str | None]] = [
    (EMBEDDINGS, {"input": None}, "input"),
    (EMBEDDINGS, {"input": []}, "input"),
    (EMBEDDINGS, {"input": {}}, "input"),
    (EMBEDDINGS, {"input": 5}, "input"),
    (EMBEDDINGS, {"input": ["a", 1]}, "input[1]"),
    (EMBEDDINGS, {"input": [1, "a"]}, "input[1]"),
    (EMBEDDINGS, {"input": [1, True]}, "input[1]"),
    (EMBEDDINGS, {"input": [1, -1]}, "input[1]"),
    (EMBEDDINGS, {"input": [[1], []]}, "input[1]"),
    (EMBEDDINGS, {"input": [[1], [2, 0.5]]}, "input[1][1]"),
    (EMBEDDINGS, {"input": [None]}, "input[0]"),
    (EMBEDDINGS, {"encoding_format": "int8"}, "encoding_format"),
    (EMBEDDINGS, {"dimensions": 0}, "dimensions"),
    (EMBEDDINGS, {"dimensions": "8"}, "dimensions"),
    (EMBEDDINGS, {"user": 1}, "user"),
    (EMBEDDINGS, {"model": ""}, "model"),
    (COMPLETIONS, {"prompt": None}, "prompt"),
    (COMPLETIONS, {"prompt": []}, "prompt"),
    (COMPLETIONS, {"max_tokens": -1}, "max_tokens"),
    (COMPLETIONS, {"n": 9}, "n"),
    (COMPLETIONS, {"best_of": 21}, "best_of"),
    (COMPLETIONS, {"logprobs": True}, "logprobs"),
    (COMPLETIONS, {"echo": 1}, "echo"),
    (COMPLETIONS, {"stop": [1]}, "stop"),
    (COMPLETIONS, {"logit_bias": {"1": "x"}}, "logit_bias"),
    (COMPLETIONS, {"stream": "yes"}, "stream"),
    (COMPLETIONS, {"stream": True, "stream_options": {"include_usage": 1}}, "stream_options.include_usage"),
]


@pytest.mark.long
@pytest.mark.parametrize(("path", "fields", "param"), BAD)
async def test_value_of_a_wrong_type_is_a_400_that_names_it(
    proxy: Proxied, upstream: ScriptedUpstream, path: str, fields: dict[str, Any], param: str | None
) -> None:
    """The provider gets no call."""
    reply = await proxy.post(body_for(path, **fields), path)

    assert (reply.status, reply.error["code"]) == (400, "invalid_request")
    assert reply.error["param"] == param
    assert upstream.plain_calls == []


@pytest.mark.parametrize("path", [EMBEDDINGS, COMPLETIONS])
@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"{", b'{"model": "plain", "x": ' + b"[" * 300 + b"]" * 300 + b"}"]
)
async def test_body_that_is_no_flat_json_object_is_a_400(proxy: Proxied, path: str, raw: bytes) -> None:
    """The bodies are empty, a list, cut off, or nested too deeply."""
    assert (await proxy.post(raw, path)).status == 400
