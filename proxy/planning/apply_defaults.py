"""Adds a deployment's default parameters where the request does not give them."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment

_SAME_MEANING = (
    frozenset({"max_tokens", "max_completion_tokens"}),
    frozenset({"reasoning_effort", "thinking"}),
)
"""Parameters of which a request has one at most. A request's value keeps out the default of its counterpart."""

_WITH_TOOLS = frozenset({"tool_choice", "parallel_tool_calls"})
"""Parameters that providers refuse in a request without tools."""


def with_defaults(request: ChatRequest, deployment: Deployment) -> ChatRequest:
    """Return *request* with the defaults of *deployment*, or *request* itself where no default applies."""
    if not deployment.defaults:
        return request
    given = request.parameters
    kept_out = set(given).union(*(names for names in _SAME_MEANING if not names.isdisjoint(given)))
    if not (given.get("tools") or given.get("functions")):
        kept_out |= _WITH_TOOLS
    added = {name: value for name, value in deployment.defaults.items() if name not in kept_out}
    return replace(request, parameters=MappingProxyType({**given, **added})) if added else request
