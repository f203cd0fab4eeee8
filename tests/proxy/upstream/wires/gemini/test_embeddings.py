"""Embeddings on Gemini's wire."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.upstream_call import TextCall
from proxy.upstream.wires.gemini.wire import GEMINI
from tests.proxy.upstream.wires.gemini.test_wire import BASE, LIMITS, deployment_of


@pytest.mark.parametrize(
    ("value", "method"),
    [("a", "embedContent"), (["a"], "embedContent"), (["a", "b"], "batchEmbedContents")],
)
def test_embedding_s_method_follows_the_count_of_texts(value: Any, method: str) -> None:
    """One text has a method of its own."""
    assert GEMINI.embeddings is not None
    plain = TextCall(deployment_of(), {"input": value}, LIMITS)

    assert GEMINI.embeddings.url(plain, stream=False) == f"{BASE}:{method}"
    assert json.loads(GEMINI.embeddings.write_request(plain, stream=False))
    assert GEMINI.embeddings.unsupported(plain.deployment, {"input": value, "user": "u"}) == {"user"}
