"""Builders of hostile requests for embeddings and text completions."""

from __future__ import annotations

from collections.abc import Mapping

from tests.support.hostile_bodies.making import Builder, many

PLAIN: Mapping[str, Builder] = {
    "embeddings_of_lists": lambda size: {"input": [[1]] * (size // 5)},
    "embeddings_of_numbers": lambda size: {"input": [1] * (size // 3)},
    "embeddings_of_texts": lambda size: {"input": ["a"] * (size // 5)},
    "embeddings_of_a_wrong_type_last": lambda size: {"input": [*([[1]] * (size // 5)), "x"]},
    "embeddings_with_unknown_fields": lambda size: {
        "input": "a",
        **{f"k{at}": 1 for at in range(size // 12)},
    },
    "completions_of_lists": lambda size: {"prompt": [[1]] * (size // 5)},
    "completions_with_stops": lambda size: {"prompt": "a", "stop": many(size, lambda at: f"s{at}")},
    "completions_with_logit_bias": lambda size: {
        "prompt": "a",
        "logit_bias": {str(at): 1 for at in range(size // 12)},
    },
    "completions_with_a_long_suffix": lambda size: {"prompt": "a", "suffix": "x" * size},
    "completions_with_stream_options": lambda size: {
        "prompt": "a",
        "stream": True,
        "stream_options": {f"k{at}": 1 for at in range(size // 12)},
    },
}
