"""Writes a request as its provider's wire (the code for the provider's API) sends it, for the inspector's page.

Only the direct transport has wires. litellm writes the other providers' requests itself, and only while it sends them.
"""

from __future__ import annotations

from dataclasses import replace
from posixpath import commonprefix
from typing import Any
from urllib.parse import urlsplit

from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.core.hidden_text import hide
from proxy.core.source import ANTHROPIC_MESSAGES, OPENAI_RESPONSES
from proxy.core.upstream_call import Timeouts
from proxy.forwarding.chat.plan_attempts import ChatAttemptPlanner
from proxy.planning.dry_run import DryRun
from proxy.upstream.transports import transport_of
from proxy.upstream.wires import table

_NO_LIMITS = Timeouts(0.0, 0.0, 0.0, 0.0)
"""The time limits of a call that is never made."""

_OWN_NAMES = (ANTHROPIC_MESSAGES, OPENAI_RESPONSES)
"""The wires that are named by their formats, since a provider may have others too."""


def describe_wire(run: DryRun) -> dict[str, Any] | None:
    """Return the request of *run* on its provider's wire, as JSON-ready values, or None where nothing is sent.

    ``body`` is the text of the body, byte for byte as it is sent. ``body`` is None where litellm writes the request,
    and where the wire refuses the request. ``refusal`` holds the reason of the wire. ``wire`` names the wire: a
    provider's own, ``openai_responses`` or ``anthropic_messages``.
    ``address`` is the URL. A base that the operator configured is shown as ``…``. No header is shown, since headers
    hold the key. Values of ``extra_body`` that came from variables are masked.
    """
    plan, deployment = run.sent, run.deployment
    if plan is None:
        return None
    streams = plan.request.stream if deployment.stream is None else deployment.stream
    shown: dict[str, Any] = {
        "transport": transport_of(deployment),
        "provider": deployment.provider,
        "wire": None,
        "address": None,
        "stream": streams,
        "body": None,
        "refusal": None,
    }
    if shown["transport"] != "direct":
        return shown
    call = ChatAttemptPlanner.call_of(plan, _NO_LIMITS)
    call = replace(call, extra_body=hide(call.extra_body))
    wire = table.wire_for(call)
    named = deployment.provider if deployment.provider in table.WIRES else table.OTHERS
    shown["wire"] = wire.format if wire.format in _OWN_NAMES else named
    shown["address"] = _without_base(wire.url(call, stream=streams), deployment)
    try:
        shown["body"] = wire.write_request(call, stream=streams).decode()
    except InvalidRequest as error:
        shown["refusal"] = error.message
    return shown


def _without_base(url: str, deployment: Deployment) -> str:
    """Return *url* without the operator's base. A provider may take the address below another part of the base."""
    if not deployment.api_base:
        return url
    base, address = urlsplit(deployment.api_base).path, urlsplit(url)
    path = address.path
    below = (
        path.removeprefix(base) if path.startswith(base) else path[commonprefix([path, base]).rfind("/") :]
    )
    return f"…{below}?{address.query}" if address.query else f"…{below}"
