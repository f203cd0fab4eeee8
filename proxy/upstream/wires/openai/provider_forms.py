"""The forms that a provider's addresses, model names and texts have on OpenAI's wire."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from proxy.config.providers.find_provider import find_provider
from proxy.core.deployment import Deployment
from proxy.upstream.dialects.openai_models import azure_name
from sanitizers import Message

_FIREWORKS = "accounts/fireworks/"
_FIREWORKS_ROUTERS = frozenset({"auto", "auto-instant", "firerouter"})

_BELOW_V1 = frozenset({"cometapi", "heroku", "huggingface", "minimax", "mistral", "ollama_chat"})
"""Providers whose ``api_base`` may lack ``/v1``: litellm (1.105.3) adds it, and Ollama's own API does not have it."""

_STRICT = frozenset({"cerebras", "databricks", "fireworks_ai", "groq", "perplexity"})
"""Providers that may refuse the null of a field that a message does not have.

OpenAI's SDK sends back the nulls of its answers. litellm leaves them out.
"""


def address_of(provider: str, base: str) -> str:
    """Return the address below which OpenAI's paths stand.

    An address that is that of chats already is taken too, as litellm does for some providers.
    """
    base = base.removesuffix("/chat/completions")
    if provider == "ollama_chat":
        base = base.removesuffix("/api/chat").removesuffix("/api")
    return f"{base}/v1" if provider in _BELOW_V1 and not base.endswith("/v1") else base


@lru_cache(maxsize=1024)
def model_name(deployment: Deployment) -> str:
    """Return the provider's name of the deployment's model."""
    name = deployment.model_id
    if deployment.provider == "azure":
        return azure_name(name)
    return _fireworks_name(name) if deployment.provider == "fireworks_ai" else name


def _fireworks_name(name: str) -> str:
    """Return the name of a model or router of Fireworks with its account: Fireworks' own where *name* has none.

    The rules are litellm's (1.105.3, `llms/fireworks_ai/common_utils.py`).
    """
    if name.startswith(("accounts/", "FW-")) or "#" in name:
        return name
    if name.startswith(("models/", "routers/")):
        return _FIREWORKS + name
    is_router = name.endswith("-fast") or name in _FIREWORKS_ROUTERS or name.startswith("firerouter/")
    return f"{_FIREWORKS}{'routers' if is_router else 'models'}/{name}"


@lru_cache(maxsize=1024)
def takes_text_lists(provider: str) -> bool:
    """Tell whether a message's content may be a list of text parts."""
    row = find_provider(provider)
    return row is None or row.text_lists


@lru_cache(maxsize=1024)
def message_form(deployment: Deployment) -> Callable[[Message], Message] | None:
    """Return the function that writes a message as the deployment's provider reads it, or None if all stay.

    The form of a message changes nothing that the message says. What does is a fact of the model's profile
    (:mod:`sanitizers.provider_profiles`), and its changes are in the change list.
    """
    if deployment.provider in _STRICT:
        return _plain_without_nulls if _reads_texts_alone(deployment) else without_nulls
    return None if takes_text_lists(deployment.provider) else with_plain_text


def _reads_texts_alone(deployment: Deployment) -> bool:
    """Tell whether the provider reads no lists of parts.

    The check of Databricks that a request for JSON has the word reads texts alone. litellm (1.105.3,
    `llms/databricks`) joins the parts for all models but Claude.
    """
    return deployment.provider == "databricks" and "claude" not in deployment.model_id


def with_plain_text(message: Message) -> Message:
    """Return *message* with one text in the place of a list of text parts. Other messages stay as they are."""
    content: Any = message.get("content")
    if not isinstance(content, list) or not all(_is_text(part) for part in content):
        return message
    return {**message, "content": "".join(part["text"] for part in content)}


def with_separate_texts(message: Message) -> Message:
    """Return *message* with an empty line behind each text part but the last.

    The blocks of Anthropic's clients are texts of their own, which must not run together where a provider gets one text
    (:func:`with_plain_text`).
    """
    content: Any = message.get("content")
    if not isinstance(content, list) or len(content) < 2 or not all(_is_text(part) for part in content):
        return message
    *parts, last = content
    return {**message, "content": [*({**part, "text": f"{part['text']}\n\n"} for part in parts), last]}


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def without_nulls(message: Message) -> Message:
    """Return *message* without the fields that are null, which mean the same as missing ones.

    An empty content stays null.
    """
    nulls = {field for field, value in message.items() if value is None and field != "content"}
    if not nulls:
        return message
    return {field: value for field, value in message.items() if field not in nulls}


def _plain_without_nulls(message: Message) -> Message:
    return with_plain_text(without_nulls(message))
