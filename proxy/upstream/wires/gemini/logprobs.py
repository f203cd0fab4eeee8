"""Reads log probabilities, token by token, in OpenAI's form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def read_logprobs(result: Any) -> dict[str, Any] | None:
    """Return OpenAI's ``logprobs`` for Gemini's ``logprobsResult``, or None if there are none.

    Only the position in the list links a token to the answer's text. So the result is None if any token cannot be read.
    This is no fault, since the answer is complete without log probabilities. If an alternative cannot be read, all
    alternatives of its token are left out.
    """
    chosen = _tokens(result.get("chosenCandidates")) if isinstance(result, Mapping) else None
    if not chosen:
        return None
    rows = result.get("topCandidates")
    tops = [_tokens(row.get("candidates")) if isinstance(row, Mapping) else None for row in _as_list(rows)]
    tops += [None] * (len(chosen) - len(tops))
    content = [{**one, "top_logprobs": top or []} for one, top in zip(chosen, tops, strict=False)]
    return {"content": content, "refusal": None}


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _tokens(given: Any) -> list[dict[str, Any]] | None:
    """Return the tokens in a list, or None if one of them cannot be read."""
    tokens = [_token(one) for one in _as_list(given)]
    known = [token for token in tokens if token is not None]
    return known if len(known) == len(tokens) else None


def _token(given: Any) -> dict[str, Any] | None:
    if not isinstance(given, Mapping):
        return None
    # Proto JSON leaves out an empty text and a log probability of zero.
    token, logarithm = given.get("token", ""), given.get("logProbability", 0.0)
    if not isinstance(token, str) or isinstance(logarithm, bool) or not isinstance(logarithm, int | float):
        return None
    if not -math.inf < logarithm < math.inf:
        return None
    return {"token": token, "logprob": logarithm, "bytes": list(token.encode("utf-8", "surrogatepass"))}
