"""Adds a deployment's default parameters where the request does not give them."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment

_SAME_MEANING = (
    frozenset({"max_tokens", "max_completion_tokens"}),
    frozenset({"reasoning_effort", "thinking"}),
)
"""Sets of parameters with the same meaning, of which a request has one at most.

A request's value keeps out the default of its counterpart.
"""

_WITH_TOOLS = frozenset({"tool_choice", "parallel_tool_calls"})
"""Parameters that providers refuse in a request without tools."""


_NOT_OF_CHATS = frozenset({"dimensions"})
"""Defaults for other requests than chats."""

_NOT_OF_CHATS_FOR_TEXTS = frozenset({"logprobs", "top_logprobs", "modalities"})
"""Defaults that are left out where a chat answers for a text completion, whose answer cannot carry them."""

EMBEDDING_DEFAULTS = frozenset({"dimensions", "user"})
"""The defaults that embeddings have."""

TEXT_DEFAULTS = frozenset(
    {
        *(
            "frequency_penalty",
            "logit_bias",
            "max_tokens",
            "n",
            "presence_penalty",
            "seed",
            "stop",
            "temperature",
        ),
        *("top_p", "user"),
    }
)
"""The defaults that text completions have. Their ``logprobs`` is a number, and a chat's is true or false."""


def with_defaults(request: ChatRequest, deployment: Deployment, *, is_text: bool = False) -> ChatRequest:
    """Return *request* with the defaults of *deployment*, or *request* itself where no default applies.

    With *is_text* the chat stands for a text completion.
    """
    if not deployment.defaults:
        return request
    given = request.parameters
    kept_out = _NOT_OF_CHATS.union(given, *(names for names in _SAME_MEANING if not names.isdisjoint(given)))
    if not (given.get("tools") or given.get("functions")):
        kept_out |= _WITH_TOOLS
    if is_text:
        kept_out |= _NOT_OF_CHATS_FOR_TEXTS
    added = {name: value for name, value in deployment.defaults.items() if name not in kept_out}
    return replace(request, parameters=MappingProxyType({**given, **added})) if added else request


def add_defaults(given: Mapping[str, Any], deployment: Deployment, names: Set[str]) -> Mapping[str, Any]:
    """Return *given*, the parameters of a request that is no chat, with the defaults of *deployment* among *names*.

    A default limit on the answer's length becomes ``max_tokens`` here, whichever name the default has. A given
    ``best_of`` keeps out the default ``n``, since ``best_of`` must not be smaller than ``n``.
    """
    if not deployment.defaults:
        return given
    defaults = dict(deployment.defaults)
    if "max_completion_tokens" in defaults:
        defaults.setdefault("max_tokens", defaults["max_completion_tokens"])
    if "best_of" in given:
        defaults.pop("n", None)
    added = {name: defaults[name] for name in defaults.keys() & names if name not in given}
    return {**given, **added} if added else given
