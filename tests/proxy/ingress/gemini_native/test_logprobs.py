"""Tests of log probabilities in Gemini's form."""

from __future__ import annotations

from proxy.ingress.gemini_native.logprobs import write_logprobs
from proxy.upstream.wires.gemini.logprobs import read_logprobs

TOKEN = {"token": "Hi", "logprob": -0.5, "bytes": [72, 105]}


def test_tokens_are_written_as_they_are_read() -> None:
    given = {"content": [{**TOKEN, "top_logprobs": [TOKEN]}, {**TOKEN, "top_logprobs": []}], "refusal": None}

    assert read_logprobs(write_logprobs(given)) == given


def test_answer_without_tokens_has_none() -> None:
    assert write_logprobs({"content": []}) is None
    assert write_logprobs({"content": None, "refusal": None}) is None
