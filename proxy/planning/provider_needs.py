"""Decides which deployments may serve what a request needs of its provider (:class:`ProviderNeed`), in any format.

A provider that is asked in the client's own format can serve a need. An id of an object in its account is served only
where one client alone uses the account, or where the operator allows it (``provider_objects``): else one client could
name another's file. For any other provider, the request is refused, or goes out without the need where that is
reported. So a need is never lost in silence.

The formats are those of :mod:`proxy.planning.native_formats`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from proxy.core.chat_request import ChatRequest, ProviderNeed
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.core.json_text import write_json
from proxy.planning.native_formats import NativeFormat, spoken_format
from proxy.upstream.dialects.messages_models import runs_server_tools
from proxy.upstream.transports import transport_of
from sanitizers import Messages
from sanitizers.native.protocol import HELD_PLACEHOLDER
from sanitizers.work_limit import metered


class Sent(Protocol):
    """A plan: the request, and what is sent of it to one deployment."""

    @property
    def request(self) -> ChatRequest:
        """The request that is planned."""

    @property
    def deployment(self) -> Deployment:
        """The deployment that is asked."""

    @property
    def messages(self) -> Messages:
        """The history that goes upstream."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The chat parameters that go upstream."""


def find_refusal(
    needs: Iterable[ProviderNeed], deployment: Deployment, *, speaks_format: bool, is_native: bool
) -> InvalidRequest | None:
    """Return the error for the first of *needs* that *deployment* cannot or must not serve, or None.

    *speaks_format* tells whether its provider speaks the client's format. *is_native* tells whether the request goes
    out in it. The error has ``of_deployment``, since another deployment may serve the need. A conversation's id is an
    unknown one where the deployment must not serve it.
    """
    for need in needs:
        may_serve = deployment.serves_objects or not need.names_object
        if speaks_format and not may_serve and not need.holds_history:
            return _of_deployment(
                InvalidRequest(
                    f"'{need.param}' names an object in the provider's account, which all clients of this server "
                    "share. The operator may allow it (provider_objects).",
                    param=need.param,
                )
            )
        is_served = is_native and may_serve and (deployment.provider_state or not need.wants_state)
        is_served = is_served or (bool(need.served_elsewhere) and _runs_tools(deployment))
        if not is_served and (speaks_format or not need.can_be_left_out):
            return _of_deployment(need.error(need.message, param=need.param))
    return None


def able_to_serve(pool: Sequence[Deployment], request: ChatRequest) -> tuple[Deployment, ...]:
    """Return the deployments of *pool* that can serve the needs of *request*, or all of them where none can."""
    if not request.needs:
        return tuple(pool)
    return tuple(member for member in pool if find_unable(request, member) is None) or tuple(pool)


def find_unable(request: ChatRequest, deployment: Deployment) -> InvalidRequest | None:
    """Return the error of the first need of *request* that *deployment* cannot serve, whatever the plan, or None."""
    speaks = spoken_format(request, deployment) is not None
    return find_refusal(request.needs, deployment, speaks_format=speaks, is_native=speaks)


def find_lost(sent: Sent) -> InvalidRequest | None:
    """Return the error of the first need that would be lost where *sent* is sent, or None."""
    request, deployment = sent.request, sent.deployment
    spoken = spoken_format(request, deployment)
    is_native = spoken is not None and _sends_whole(spoken, sent)
    return find_refusal(request.needs, deployment, speaks_format=spoken is not None, is_native=is_native)


def sends_partial_history(request: ChatRequest) -> bool:
    """Tell whether the provider holds a part of the conversation, so that what is here is no whole history.

    Such a history must not be repaired: a result's call, for one, is at the provider.
    """
    return any(need.holds_history for need in request.needs)


def _sends_whole(row: NativeFormat, sent: Sent) -> bool:
    """Tell whether *sent* goes out in its client's format, and nothing in it is written from a placeholder."""
    source = sent.request.source
    if source is None or not row.is_eligible(source, sent.deployment, sent.messages, sent.parameters):
        return False
    native = source.native
    if native is None or native.read_from is None or native.items is native.read_from:
        return True
    came = set(map(id, native.read_from))
    written = [item for item in metered(native.items) if id(item) not in came]
    return not written or HELD_PLACEHOLDER.encode() not in write_json(written)


def _runs_tools(deployment: Deployment) -> bool:
    """Tell whether *deployment* gets other tools for those that Gemini would run."""
    return transport_of(deployment) == "direct" and runs_server_tools(deployment)


def _of_deployment(refusal: InvalidRequest) -> InvalidRequest:
    refusal.of_deployment = True
    return refusal
