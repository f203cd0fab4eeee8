"""Tests of each row of the overflow table with a sentence of its provider."""

from __future__ import annotations

import pytest

from proxy.resilience.overflow_table import ROWS
from proxy.resilience.read_overflow import read_overflow

OVERFLOWS = [
    ("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", 1048575, 1196265),
    ("The input token count exceeds the maximum number of tokens allowed 1048576.", None, None),
    ("This model's maximum context length is 4097 tokens. However, your messages resulted in 4294 tokens. Please reduce the length of the messages.", 4097, 4294),
    ("This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (100 of text input).", 131072, 140000),
    ("This model's maximum context length is 8192 tokens, so it is too long.", 8192, None),
    ("Your input exceeds the context window of this model", None, None),
    ("prompt is too long: 213462 tokens > 200000 maximum", 200000, 213462),
    ("prompt is too long", None, None),
    ("input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length", 200000, 199759),
    ("Input is too long for requested model.", None, None),
    ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131072, 537812),
    ("Please reduce the length of the messages or completion.", None, None),
    ("Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 32768, 40000),
    ("Input length 131393 exceeds the maximum allowed input length of 131040 tokens.", 131040, 131393),
    ("Input length (265330) exceeds model's maximum context length (262144).", 262144, 265330),
    ("The input (263000 tokens) is longer than the model's context length (262144 tokens).", 262144, 263000),
    ("Requested token count exceeds the model's maximum context length of 262144 tokens. You requested a total of 263000 tokens", 262144, 263000),
    ("the request exceeds the available context size, try increasing it", None, None),
    ("tokens to keep from the initial prompt is greater than the context length", None, None),
    ("prompt token count of 130000 exceeds the limit of 128000", 128000, 130000),
    ("Request body too large for gpt-4o model. Max size: 8000 tokens.", 8000, None),
    ("Range of input length should be [1, 30720]", 30720, None),
    ("Your request exceeded model token limit: 131072 (requested: 140000)", 131072, 140000),
    ("invalid params, context window exceeds limit", None, None),
    ("Current length is 9000 while limit is 8192", 8192, 9000),
    ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens", 4096, 5000),
    ("`inputs` tokens + `max_new_tokens` must be smaller", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "limit", "requested"), OVERFLOWS)
def test_sentence_of_each_provider_is_read_with_its_numbers(
    text: str, limit: int | None, requested: int | None
) -> None:
    found = read_overflow((text,), ())

    assert found is not None
    assert (found.limit, found.requested) == (limit, requested)
    assert not found.inside_text


def test_every_row_has_a_sentence() -> None:
    """Every row's pattern matches one of the tested sentences."""
    assert [row.provider for row in ROWS if not any(row.says.search(text) for text, *_ in OVERFLOWS)] == []
