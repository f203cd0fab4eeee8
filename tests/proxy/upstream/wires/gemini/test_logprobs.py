"""Tests that Gemini's log probabilities are written in OpenAI's form."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.gemini import read_answer
from tests.proxy.upstream.wires.gemini.test_answers import body, only_choice

_TOKEN = {"token": "a", "logProbability": -1}


@pytest.mark.parametrize(
    ("chosen", "top"),
    [
        ("x", []),
        (["x"], []),
        ([{"token": 1}], []),
        ([{"token": "a", "logProbability": "-1"}], []),
        ([{"token": "a", "logProbability": True}], []),
        ([{"token": "a", "logProbability": float("-inf")}], []),
        ([_TOKEN, None], []),
    ],
)
def test_invalid_log_probabilities_are_left_out(chosen: Any, top: Any) -> None:
    """An answer with invalid log probabilities is read without them."""
    answer = body({"text": "a"})
    answer["candidates"][0]["logprobsResult"] = {"chosenCandidates": chosen, "topCandidates": top}

    assert "logprobs" not in read_answer(answer, model="m")["choices"][0]


@pytest.mark.parametrize(
    "top", ["x", {}, ["x"], [{"candidates": "x"}], [{"candidates": ["x"]}], [{}], [], None]
)
def test_invalid_alternatives_are_left_out(top: Any) -> None:
    """The chosen tokens stay without the invalid alternatives."""
    answer = body({"text": "a"})
    answer["candidates"][0]["logprobsResult"] = {"chosenCandidates": [_TOKEN], "topCandidates": top}

    content = read_answer(answer, model="m")["choices"][0]["logprobs"]["content"]

    assert content == [{"token": "a", "logprob": -1, "bytes": [97], "top_logprobs": []}]


def test_log_probabilities_are_read_into_openai_s_form() -> None:
    """A missing log probability is read as zero, since Gemini leaves out zeros."""
    answer = body({"text": "a"})
    top = [{"token": "a"}, {"token": "ß", "logProbability": -2.5}]
    answer["candidates"][0]["logprobsResult"] = {
        "chosenCandidates": top[:1],
        "topCandidates": [{"candidates": top}],
    }

    (token,) = only_choice(read_answer(answer, model="m"))["logprobs"]["content"]

    assert (token["token"], token["logprob"], token["bytes"]) == ("a", 0.0, [97])
    assert [(one["token"], one["logprob"]) for one in token["top_logprobs"]] == [("a", 0.0), ("ß", -2.5)]
