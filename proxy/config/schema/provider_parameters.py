"""Parameters of single providers, which become fields of the provider's request body.

LiteLLM sends any parameter of an entry that it does not know to the provider. This module has the ones that real
configuration files use. Any other parameter must be written in ``extra_body``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainValidator, ValidationInfo

from proxy.config.faults import refusal
from proxy.config.json_values import FilledMapping
from proxy.config.references import from_environment
from proxy.config.schema.section import Section
from proxy.config.values import Count, CountOrZero, Flag, read_number

_Number = Annotated[
    float, Field(strict=True, ge=0, le=1e9, allow_inf_nan=False), BeforeValidator(read_number)
]


def _duration(value: Any, info: ValidationInfo) -> str | int | float:
    found = from_environment(value, info)
    if isinstance(found, bool) or not isinstance(found, str | int | float) or found == "":
        raise refusal("must be seconds, or a text such as 5m")
    return found


class ProviderParameters(Section):
    """Parameters that only some providers know. They are sent as they are, under these names. Default: none."""

    num_ctx: Count | None = None
    """Ollama: the size of the context window in tokens."""

    keep_alive: Annotated[str | int | float, PlainValidator(_duration)] | None = None
    """Ollama: the time for which the model stays loaded, such as ``5m``, or in seconds."""

    repeat_penalty: _Number | None = None
    """Ollama: the penalty on tokens that were there before."""

    repetition_penalty: _Number | None = None
    """vLLM, OpenRouter and others: the penalty on tokens that were there before."""

    min_p: _Number | None = None
    """vLLM, OpenRouter, Ollama and others: a token's least probability, as a share of the likeliest token's."""

    min_tokens: CountOrZero | None = None
    """vLLM: tokens of the answer, at least."""

    top_a: _Number | None = None
    """OpenRouter: like ``min_p``, another lower bound on the probability of the tokens to choose from."""

    thinking_budget: CountOrZero | None = None
    """Qwen's API: tokens of reasoning, at most."""

    enable_thinking: Flag | None = None
    """Qwen's API: reason before the answer."""

    web_search_options: FilledMapping | None = None
    """OpenAI's search models, Perplexity and others: the options of the web search. Gemini does not get this field."""

    def fields(self) -> Mapping[str, Any]:
        """Return the fields that the entry sets, by name, as JSON values."""
        return {
            name: int(value) if isinstance(value, float) and value.is_integer() else value
            for name in ProviderParameters.model_fields
            if (value := getattr(self, name)) is not None
        }
