"""Builds calls that come from a request of the Responses API."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.upstream_call import UpstreamCall
from proxy.ingress.openai_responses.fields import read_fields
from proxy.ingress.openai_responses.read_request import to_chat
from tests.proxy.upstream.deployments import LIMITS, deployment_of

FUNCTION = {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}
USER = {"role": "user", "content": "Hi."}


def openai(model: str = "openai/gpt-4.1", **params: Any) -> Deployment:
    """Return a deployment with a key."""
    return deployment_of(model, api_key="sk-ours", **params)


def call_for(
    body: bytes | dict[str, Any],
    deployment: Deployment | None = None,
    earlier: tuple[dict[str, Any], ...] = (),
    **changed: Any,
) -> UpstreamCall:
    """Return the call for *body*, as a plan that changes nothing makes it. *changed* are parameters of the plan.

    *earlier* are items of the stored conversation.
    """
    raw = body if isinstance(body, bytes) else json.dumps({"model": "m", "input": "Hi.", **body}).encode()
    fields = read_fields(raw, max_nesting=100)
    chat = to_chat(fields, [*earlier, *fields.items], earlier=len(earlier)).chat
    parameters = chat.parameters if not changed else {**chat.parameters, **changed}
    kept = {name: value for name, value in parameters.items() if value is not None}
    return UpstreamCall(
        deployment or openai(),
        chat.messages,
        parameters if not changed else kept,
        LIMITS,
        source=chat.source,
        weight=chat.weight,
    )


def with_other_history(call: UpstreamCall) -> UpstreamCall:
    """Return *call* with an equal history that is another object, as after a repair."""
    return replace(call, messages=list(call.messages))
