"""The report of a request that its provider gets in the client's own format: what a chat lacks is sent there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.upstream.transports import transport_of
from proxy.upstream.wires.openai_responses.eligibility import is_eligible
from sanitizers import Change, Messages


def changes_of_body(
    request: ChatRequest, deployment: Deployment, messages: Messages, parameters: Mapping[str, Any]
) -> tuple[Change, ...]:
    """Return the changes of *request* that its reading made, without those that only a chat needs.

    *messages* and *parameters* are those of the plan for *deployment*.
    """
    source = request.source
    native = None if source is None else source.native
    if native is None or not native.conversion or not _is_native(request, deployment, messages, parameters):
        return request.mended
    return request.mended[: len(request.mended) - len(native.conversion)]


def fields_left_out(
    names: tuple[str, ...],
    request: ChatRequest,
    deployment: Deployment,
    messages: Messages,
    parameters: Mapping[str, Any],
) -> tuple[str, ...]:
    """Return those of *names*, the dropped parameters, that are not sent as fields of the client's own format."""
    source = request.source
    if source is None or source.native is None or not _is_native(request, deployment, messages, parameters):
        return names
    return tuple(name for name in names if name not in request.unknown)


def _is_native(
    request: ChatRequest, deployment: Deployment, messages: Messages, parameters: Mapping[str, Any]
) -> bool:
    return transport_of(deployment) == "direct" and is_eligible(
        request.source, deployment, messages, parameters
    )
