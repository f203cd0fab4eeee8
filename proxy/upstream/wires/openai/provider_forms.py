"""The forms that a provider's addresses, model names and texts have on OpenAI's wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

from proxy.config.providers.find_provider import find_provider
from proxy.core.deployment import Deployment
from sanitizers import Message
from sanitizers.messages import CALL_FIELDS, FUNCTION_FIELDS

_AZURE_FAMILIES = ("gpt5_series/", "o_series/")
"""Marks of a model's family before the name of a deployment at Azure, in litellm's spelling."""

_FIREWORKS = "accounts/fireworks/"
_FIREWORKS_ROUTERS = frozenset({"auto", "auto-instant", "firerouter"})

_BELOW_V1 = frozenset({"cometapi", "heroku", "huggingface", "minimax", "mistral", "ollama_chat"})
"""Providers whose ``api_base`` may lack ``/v1``: litellm (1.105.3) adds it, and Ollama's own API does not have it."""


_NAMED_ROLES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "databricks": frozenset({"function", "user"}),
        "groq": frozenset({"function"}),
        "perplexity": frozenset({"function"}),
        "xai": frozenset({"function", "user"}),
    }
)
"""The roles whose messages may have a name, where not all may. A function's result needs its name.

xAI: "Only messages of role 'user' can have a name." (litellm#9720). Databricks refused all names until 2025-01
(autogen#4761), and litellm sends it those of users. Groq: 400 (console.groq.com/docs/openai). Perplexity:
"ChatMessage.__init__() got an unexpected keyword argument 'name'" (litellm#2373).
"""

_STRICT = frozenset({"cerebras", "databricks", "fireworks_ai", "groq", "perplexity"})
"""Providers that refuse unknown fields of messages and calls.

OpenAI's SDK sends back the nulls of its answers, and ``parsed_arguments`` of calls. litellm leaves out the nulls.
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
    """Return the provider's name of the deployment's model.

    A deployment at Azure has no family in its name there.
    """
    name = deployment.model_id
    if deployment.provider == "azure":
        for family in _AZURE_FAMILIES:
            name = name.removeprefix(family)
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
    """Return the function that writes a message as the deployment's provider reads it, or None if all stay."""
    if deployment.provider in _NAMED_ROLES or deployment.provider in _STRICT:
        fit = _plain_fields_fitted if takes_one_call(deployment) else _fields_fitted
        return partial(fit, deployment.provider)
    if deployment.provider == "moonshot" and "kimi" in deployment.model_id:
        return _with_thought
    return None if takes_text_lists(deployment.provider) else with_plain_text


@lru_cache(maxsize=1024)
def takes_one_call(deployment: Deployment) -> bool:
    """Tell whether an assistant's message may hold one call alone.

    "Multiple tool calls are not supported." (litellm#31633, for all models of Databricks but Claude)
    """
    return deployment.provider == "databricks" and "claude" not in deployment.model_id


def split_calls(history: list[Message]) -> list[Message]:
    """Return *history* with one call in each message, and its result behind it. Calls without results stay."""
    split: list[Message] = []
    at = 0
    while at < len(history):
        message = history[at]
        at += 1
        given: Any = message.get("tool_calls")
        calls: list[Any] = given if isinstance(given, list) else []
        results = _results_of(calls, history[at : at + len(calls)])
        if len(calls) < 2 or results is None:
            split.append(message)
            continue
        for place, result in enumerate(results):
            said = message if place == 0 else {"role": "assistant", "content": None}
            split += [{**said, "tool_calls": [calls[place]]}, result]
        at += len(calls)
    return split


def _results_of(calls: list[Any], following: list[Message]) -> list[Message] | None:
    """Return the results of *calls* in the order of the calls, if the *following* messages are exactly these."""
    by_id = {
        result["tool_call_id"]: result
        for result in following
        if result.get("role") == "tool" and isinstance(result.get("tool_call_id"), str)
    }
    ids = [call.get("id") for call in calls if isinstance(call, dict)]
    found = {call_id: by_id[call_id] for call_id in ids if isinstance(call_id, str) and call_id in by_id}
    return list(found.values()) if len(found) == len(calls) == len(by_id) else None


def with_plain_text(message: Message) -> Message:
    """Return *message* with one text in the place of a list of text parts. Other messages stay as they are."""
    content: Any = message.get("content")
    if not isinstance(content, list) or not all(_is_text(part) for part in content):
        return message
    return {**message, "content": "".join(part["text"] for part in content)}


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _fields_fitted(provider: str, message: Message) -> Message:
    """Return *message* without the name, the nulls and the fields of calls that the provider refuses.

    An empty content stays null.
    """
    named = _NAMED_ROLES.get(provider)
    gone = {"name"} if named is not None and message["role"] not in named else set()
    if provider in _STRICT:
        gone |= {field for field, value in message.items() if value is None and field != "content"}
        calls: Any = message.get("tool_calls")
        if isinstance(calls, list):
            bare = [_bare_call(call) for call in calls]
            if any(new is not old for new, old in zip(bare, calls, strict=True)):
                message = {**message, "tool_calls": bare}
    if gone.isdisjoint(message):
        return message
    return {field: value for field, value in message.items() if field not in gone}


def _bare_call(call: Any) -> Any:
    """Return a function's *call* with OpenAI's fields alone."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return call
    if call.keys() <= CALL_FIELDS and function.keys() <= FUNCTION_FIELDS:
        return call
    known = {field: value for field, value in function.items() if field in FUNCTION_FIELDS}
    return {**{field: value for field, value in call.items() if field in CALL_FIELDS}, "function": known}


def _plain_fields_fitted(provider: str, message: Message) -> Message:
    """Return *message* without the fields that the provider refuses, and with one text.

    The check of Databricks that a request for JSON has the word reads texts alone (litellm, `llms/databricks`).
    """
    return with_plain_text(_fields_fitted(provider, message))


def _with_thought(message: Message) -> Message:
    """Return *message* with a plain text, and with reasoning where it has calls.

    "thinking is enabled but reasoning_content is missing in assistant tool call message" (continue#11806). Kimi K2.6
    takes an empty text for a missing one, so the text is a blank (pi#4178). litellm writes a blank too.
    """
    message = with_plain_text(message)
    thought = message.get("reasoning_content")
    if not message.get("tool_calls") or (isinstance(thought, str) and thought):
        return message
    return {**message, "reasoning_content": " "}
