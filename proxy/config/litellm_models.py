"""The models that litellm's own table lists, by name and by provider. The table is read as a data file.

litellm itself is not imported: an import costs seconds and 165 MB. The table is read once, when it is first needed, for
example for a name without a provider. Reading takes some 20 ms.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

_TABLE = "model_prices_and_context_window_backup.json"

_CHAT_MODES = frozenset({"chat", "responses"})
_OTHER_MODES = frozenset({"completion", "embedding"})
"""The modes, besides chats, of the models that turnright serves. Image, audio and search models are not listed."""

_PRICED_VARIANT = re.compile(r"(^|/)(\d+-x-\d+|[^/]*-commitment|\*)/|^ft:|^container$")
"""Matches rows that are a price and no model's name: image sizes, commitments, fine-tuned models and containers."""

_PROVIDER_NAMES = MappingProxyType({"bedrock_converse": "bedrock", "cohere_chat": "cohere"})
"""The provider names of the table that differ from the prefix in a model's name."""

_OPENAI_NAME = re.compile(
    r"(gpt-(?!oss)|chatgpt-|o[1-9](-|$)|text-embedding-|codex-|computer-use-|ft:gpt-|davinci-002$|babbage-002$"
    r"|dall-e-|tts-|whisper-)"
)
"""Matches OpenAI's model names, listed or not (`get_llm_provider`, 1.105.3).

gpt-oss is open weights, served by others.
"""

_STARTS = (
    ("claude", "anthropic"),
    ("gemini", "gemini"),
    ("mistral", "mistral"),
    ("codestral", "mistral"),
    ("deepseek", "deepseek"),
    ("command", "cohere"),
    ("grok", "xai"),
    ("textembedding-gecko", "vertex_ai"),
)
"""Providers by the beginning of a model's name, for models that the table does not list."""

_BEDROCK = re.compile(
    r"([a-z]{2,6}\.)?(ai21|amazon|anthropic|cohere|deepseek|meta|mistral|openai|qwen|stability)\.[a-z]"
)


class _Row(msgspec.Struct, frozen=True, gc=False):
    litellm_provider: Any = None
    mode: Any = None
    supports_reasoning: Any = None
    max_output_tokens: Any = None


def provider_of(name: str, *, on_vertex: bool = False) -> str | None:
    """Return the provider of *name*, a model's name without a provider, or None where it is unknown.

    *on_vertex* is true where the model's entry has a parameter of Vertex AI, such as its project. The table lists
    Gemini's bare names under Vertex AI. An entry without such a parameter means Google AI Studio, which takes a key.
    """
    if name.startswith("gemini"):
        return "vertex_ai" if on_vertex else "gemini"
    if _OPENAI_NAME.match(name):
        return "openai"
    if (listed := _listed().get(name)) is not None:
        return listed
    return "bedrock" if _BEDROCK.match(name) else likely_provider(name)


def likely_provider(name: str) -> str | None:
    """Return the probable provider of *name*, a model's name without a provider, or None. The table is not read."""
    if _OPENAI_NAME.match(name):
        return "openai"
    return next((provider for start, provider in _STARTS if name.startswith(start)), None)


def models_of(provider: str) -> tuple[str, ...]:
    """Return the models that the table lists for *provider*, without the provider's name: chat models first.

    Models of APIs that turnright does not serve are left out.
    """
    return _by_provider().get(provider, ())


def is_provider(name: str) -> bool:
    """Return True where litellm's table knows *name* as a provider."""
    return name in _by_provider()


def answers_responses(model: str) -> bool:
    """Return True where the table says that *model*, with its provider, has the Responses API and no chats."""
    row = _rows().get(model)
    return row is not None and row.mode == "responses"


def embeds(model: str) -> bool:
    """Return True where the table says that *model*, with its provider, is for embeddings."""
    row = _rows().get(model)
    return row is not None and row.mode == "embedding"


def thinks(model: str) -> bool:
    """Return True where the table says that *model*, with its provider, reasons before it answers."""
    row = _rows().get(model)
    return row is not None and row.supports_reasoning is True


def most_output_tokens(model: str) -> int | None:
    """Return the most tokens of an answer of *model*, with its provider or bare, or None where the table has none."""
    row = _rows().get(model) or _rows().get(model.partition("/")[2])
    most = None if row is None else row.max_output_tokens
    return most if isinstance(most, int) and most > 0 else None


def _provider_name(listed: object) -> str | None:
    if not isinstance(listed, str) or " " in listed:
        return None
    # vertex_ai-language-models, fireworks_ai-embedding-models
    listed = re.sub(r"(?<=_ai)-[a-z-]+$", "", listed)
    return _PROVIDER_NAMES.get(listed, listed)


@cache
def _rows() -> Mapping[str, _Row]:
    found = importlib.util.find_spec("litellm")
    if found is None or not found.submodule_search_locations:
        return {}
    path = Path(found.submodule_search_locations[0]) / _TABLE
    return msgspec.json.decode(path.read_bytes(), type=dict[str, _Row])


@cache
def _listed() -> Mapping[str, str]:
    """Return the provider of each name in the table that has no provider prefix."""
    return {
        name: provider
        for name, row in _rows().items()
        if "/" not in name and (provider := _provider_name(row.litellm_provider)) is not None
    }


@cache
def _by_provider() -> Mapping[str, tuple[str, ...]]:
    chats: dict[str, dict[str, None]] = {}
    others: dict[str, dict[str, None]] = {}
    for name, row in _rows().items():
        provider = _provider_name(row.litellm_provider)
        if provider is None:
            continue
        of_chats, of_others = chats.setdefault(provider, {}), others.setdefault(provider, {})
        model = name.removeprefix(f"{provider}/")
        if _PRICED_VARIANT.search(model):
            continue
        if row.mode in _CHAT_MODES:
            of_chats[model] = None
        elif row.mode in _OTHER_MODES:
            of_others[model] = None
    return {provider: (*sorted(models), *sorted(others[provider])) for provider, models in chats.items()}
