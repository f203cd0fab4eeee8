"""The table of the texts and codes with which providers report that a conversation exceeds the model's context."""

from __future__ import annotations

import re
from typing import NamedTuple

TOO_MANY_BYTES = "request_too_large"
"""The code of Anthropic's limit on the body, 32 MB.

Bodies usually exceed the limit because of media (docs.anthropic.com, errors).
"""

CODES = frozenset(
    {
        "context_length_exceeded",
        "exceed_context_size_error",
        "model_context_window_exceeded",
        TOO_MANY_BYTES,
    }
)
"""Codes and types that report an overflow without a text: OpenAI, llama.cpp, z.ai, Anthropic."""


class Row(NamedTuple):
    """The pattern of one text. *with_output* is true where the requested tokens include the answer's."""

    provider: str
    says: re.Pattern[str]
    source: str
    with_output: bool = False


_N = r"\d[\d,._]*(?: ?[km]\b)?"


def _text(pattern: str) -> re.Pattern[str]:
    return re.compile(
        pattern.replace("<limit>", rf"(?P<limit>{_N})").replace("<requested>", rf"(?P<requested>{_N})"),
        re.IGNORECASE,
    )


ROWS: tuple[Row, ...] = (
    Row(
        "gemini",
        _text(r"input token count \(?<requested>\)? exceeds the maximum number of tokens allowed \(?<limit>"),
        "pi-mono overflow.ts",
    ),
    Row("gemini", _text(r"input token count.{0,200}exceeds the maximum"), "pi-mono overflow.ts"),
    Row(
        "openai",
        _text(
            r"maximum context length is <limit> tokens\.? however, "
            r"(?:your messages resulted in|you requested \d+ output tokens and your prompt contains"
            r"(?: at least)?) <requested>"
        ),
        "chathub#126; vLLM's newer text",
    ),
    Row(
        "openai",
        _text(r"maximum context length is <limit> tokens\.? however, you requested(?: about)? <requested>"),
        "chathub#126; vLLM, OpenRouter, DeepSeek alike",
        with_output=True,
    ),
    Row("openai", _text(r"maximum context length is <limit>"), "the same, other endings"),
    Row("openai", _text(r"exceeds? the context window"), "openai-python, newer text"),
    Row("anthropic", _text(r"prompt is too long:? <requested> tokens > <limit> maximum"), "anthropic errors"),
    Row("anthropic", _text(r"prompt is too long"), "anthropic errors"),
    Row("anthropic", _text(r"exceed context limit: <requested> \+ [\d,]+ > <limit>"), "continue#6080"),
    Row("bedrock", _text(r"input is too long for requested model"), "pi-mono overflow.ts"),
    Row(
        "xai",
        _text(r"maximum prompt length is <limit> but the request contains <requested> tokens"),
        "pi-mono overflow.ts",
    ),
    Row("groq", _text(r"reduce the length of the messages"), "pi-mono overflow.ts"),
    Row(
        "mistral",
        _text(
            r"prompt contains <requested> tokens.{0,200}too large for model with <limit> maximum context length"
        ),
        "litellm exception mapping",
    ),
    Row(
        "poolside, glm",
        _text(r"input length <requested> exceeds the maximum allowed input length of <limit>"),
        "pi#4943",
    ),
    Row(
        "vllm",
        _text(r"input length \(?<requested>\)? exceeds (?:the )?model'?s maximum context length \(?<limit>"),
        "pi#5677",
    ),
    Row(
        "sglang",
        _text(r"input \(?<requested> tokens\)? is longer than the model'?s context length \(?<limit>"),
        "openclaw#129352",
    ),
    Row(
        "sglang",
        _text(
            r"requested token count exceeds the model'?s maximum context length of <limit>"
            r"(?: tokens\. you requested a total of <requested>)?"
        ),
        "opencode#25230",
        with_output=True,
    ),
    Row("llama.cpp", _text(r"exceeds the available context size"), "llama.cpp server"),
    Row(
        "lm studio",
        _text(r"tokens to keep from the initial prompt is greater than the context length"),
        "LM Studio",
    ),
    Row(
        "copilot",
        _text(r"prompt token count of <requested> exceeds the limit of <limit>"),
        "pi-mono overflow.ts",
    ),
    Row(
        "github",
        _text(r"request body too large for \S{1,100} model\. max size: <limit> tokens"),
        "cline#2115",
    ),
    Row("dashscope", _text(r"range of input length should be \[\d+, ?<limit>\]"), "opencode#45834"),
    Row(
        "kimi",
        _text(r"exceeded model token limit: <limit> ?\(requested: <requested>\)"),
        "pi-mono overflow.ts",
    ),
    Row("minimax", _text(r"context window exceeds limit"), "pi-mono overflow.ts"),
    Row("cerebras", _text(r"current length is <requested> while limit is <limit>"), "pi-mono overflow.ts"),
    Row(
        "tgi",
        _text(r"`?inputs`? tokens \+ `?max_new_tokens`? must be <= <limit>\. given: `?<requested>"),
        "text-generation-inference",
        with_output=True,
    ),
    Row("tgi", _text(r"`?inputs`? tokens \+ `?max_new_tokens`? must be"), "text-generation-inference"),
)
