"""Request parameters of a deployment that are used where a request does not give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from proxy.config.json_values import FilledMapping
from proxy.config.schema.section import Section
from proxy.config.values import Count, CountOrZero, Flag, Text

_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_Integer = Annotated[int, Field(strict=True)]


class RequestDefaults(Section):
    """Parameters of OpenAI's chat API. The request's own value takes precedence. Default: none."""

    max_tokens: Count | None = None
    """The most tokens of the answer."""

    max_completion_tokens: Count | None = None
    """The most tokens of the answer and its reasoning together."""

    temperature: _Number | None = None
    """The sampling temperature."""

    top_p: _Number | None = None
    """The share of probability that is sampled from."""

    top_k: Count | None = None
    """The number of tokens that are sampled from."""

    frequency_penalty: _Number | None = None
    """The penalty on tokens by their number so far."""

    presence_penalty: _Number | None = None
    """The penalty on tokens that were there before."""

    seed: _Integer | None = None
    """The seed of sampling."""

    n: Annotated[int, Field(strict=True, ge=1, le=8)] | None = None
    """The number of answers."""

    stop: Text | tuple[Text, ...] | None = None
    """Texts that end the answer."""

    logit_bias: Mapping[Text, _Number] | None = None
    """Biases of single tokens."""

    logprobs: Flag | None = None
    """Return the probabilities of tokens."""

    top_logprobs: CountOrZero | None = None
    """The number of likely tokens whose probabilities are returned."""

    user: Text | None = None
    """The name of the end user for the provider."""

    service_tier: Text | None = None
    """The provider's tier of service."""

    verbosity: Text | None = None
    """The length of answers: ``low``, ``medium`` or ``high``."""

    reasoning_effort: (
        Literal["none", "minimal", "low", "medium", "high", "xhigh", "max", "default"] | None
    ) = None
    """The effort of reasoning."""

    thinking: FilledMapping | None = None
    """Anthropic's thinking budget, such as ``{type: enabled, budget_tokens: 4096}``."""

    response_format: FilledMapping | None = None
    """The format of the answer's text."""

    tool_choice: Text | FilledMapping | None = None
    """The choice among the request's tools. It is used only where the request has tools."""

    parallel_tool_calls: Flag | None = None
    """Allow several tool calls in one answer. It is used only where the request has tools."""

    modalities: tuple[Text, ...] | None = None
    """The kinds of output."""

    prompt_cache_key: Text | None = None
    """The key of the provider's prompt cache."""

    safety_identifier: Text | None = None
    """The end user's id for the provider's safety checks."""

    store: Flag | None = None
    """Let the provider store the answer."""

    def given(self) -> Mapping[str, Any]:
        """Return the defaults that the entry sets, by name, as JSON values."""
        return {
            name: _as_json(value)
            for name in RequestDefaults.model_fields
            if (value := getattr(self, name)) is not None
        }


def _as_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_as_json(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
