"""Request parameters of a deployment that are used where a request does not give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainValidator, ValidationInfo

from proxy.config.faults import refusal
from proxy.config.json_values import FilledMapping, filled
from proxy.config.references import from_environment
from proxy.config.schema.section import Section
from proxy.config.values import Count, CountOrZero, Flag, Text, read_number

_Numeric = BeforeValidator(read_number)
_Number = Annotated[float, Field(strict=True, allow_inf_nan=False), _Numeric]
_Integer = Annotated[int, Field(strict=True), _Numeric]


def _effort(value: Any, info: ValidationInfo) -> Any:
    """Return an effort as one word. LiteLLM also writes ``{effort: high}``, and ``disable`` for ``none``."""
    if isinstance(value, Mapping) and value.keys() <= _EFFORT_KEYS and "effort" in value:
        value = value["effort"]
    word = from_environment(value, info)
    return "none" if word == "disable" else word


_EFFORT_KEYS = {"effort", "summary", "generate_summary"}
"""The keys of an effort in the form of OpenAI's Responses API. Only the effort counts in a chat."""


def _stop_texts(value: Any, info: ValidationInfo) -> str | tuple[str, ...]:
    """Return the stop text or texts in *value*. They may be white space alone, which often ends an answer."""
    texts = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(text, str) and text for text in texts):
        raise refusal("must be a text or a list of texts, and none of them empty")
    found = tuple(from_environment(text, info) if text.strip() else text for text in texts)
    return found if isinstance(value, list | tuple) else found[0]


def _choice(value: Any, info: ValidationInfo) -> Any:
    if isinstance(value, Mapping):
        return filled(value, info)
    word = from_environment(value, info)
    if not isinstance(word, str) or not word:
        raise refusal("must be a word, such as auto, or a mapping that names a function")
    return word


def _text_keys(value: Any) -> Any:
    """Return *value* with whole-number keys as texts, since token ids are often written without quotes."""
    if not isinstance(value, Mapping):
        return value
    return {str(key) if type(key) is int else key: item for key, item in value.items()}


class RequestDefaults(Section):
    """Parameters of OpenAI's API, for chats, and for text completions and embeddings where these have them.

    The request's own value takes precedence. Default: none.
    """

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

    n: Annotated[int, Field(strict=True, ge=1, le=8), _Numeric] | None = None
    """The number of answers."""

    stop: Annotated[str | tuple[str, ...], PlainValidator(_stop_texts)] | None = None
    """A text that ends the answer, or several."""

    logit_bias: Annotated[Mapping[Text, _Number], BeforeValidator(_text_keys)] | None = None
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
        Annotated[
            Literal["none", "minimal", "low", "medium", "high", "xhigh", "max", "default"],
            BeforeValidator(_effort),
        ]
        | None
    ) = None
    """The effort of reasoning. LiteLLM's ``{effort: high}`` and ``disable`` are read as ``high`` and ``none``."""

    thinking: FilledMapping | None = None
    """Anthropic's thinking budget, such as ``{type: enabled, budget_tokens: 4096}``."""

    response_format: FilledMapping | None = None
    """The format of the answer's text."""

    tool_choice: Annotated[str | Mapping[str, Any], PlainValidator(_choice)] | None = None
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

    dimensions: Count | None = None
    """The length of embeddings. Chats do not get it."""

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
