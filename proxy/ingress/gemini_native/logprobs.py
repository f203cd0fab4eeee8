"""Writes log probabilities in Gemini's form, token by token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def write_logprobs(logprobs: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return ``logprobsResult`` for a chat's *logprobs*, or None where they hold no token."""
    tokens = logprobs.get("content") or logprobs.get("refusal")
    if not tokens:
        return None
    tops = [{"candidates": [*map(_token, token.get("top_logprobs") or ())]} for token in tokens]
    return {"topCandidates": tops, "chosenCandidates": [*map(_token, tokens)]}


def _token(token: Mapping[str, Any]) -> dict[str, Any]:
    return {"token": token["token"], "logProbability": token["logprob"]}
