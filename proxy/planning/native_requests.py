"""Requests that their provider gets in the client's own format: their items, and the report of them.

A chat lacks what is sent there. The items go out with the changes that the plan has made to the history, and with those
that items alone need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import UnrepairableHistory
from proxy.planning.native_formats import spoken_format
from proxy.upstream.transports import transport_of
from proxy.upstream.wires.anthropic.server_tools import carried_tools
from sanitizers import Change, Messages
from sanitizers.native.responses.changed_items import STEP
from sanitizers.record import record

ITEM_REPAIR = STEP
"""The step's name of the changes that are made to items alone. Their indexes are those of items."""

_MAX_LISTED = 100


@record
class ItemRequest:
    """A request whose source has the items that are sent. *changes* are those that items alone needed."""

    request: ChatRequest
    changes: tuple[Change, ...] = ()


def with_items(
    request: ChatRequest,
    deployment: Deployment,
    messages: Messages,
    parameters: Mapping[str, Any],
    mode: str,
) -> ItemRequest:
    """Return *request* with the items for *messages*, the history that the plan for *deployment* sends.

    The source of a request that goes out as a chat stays as it is. *mode* is that of sanitizing. Mode ``repair`` mends
    the items. Modes ``observe`` and ``off`` write only what the plan has changed in any mode, and ``observe`` reports
    what would be mended. Raises :class:`UnrepairableHistory` in mode ``strict`` where items would have to be mended.
    """
    source = request.source
    if source is None or source.native is None or (row := spoken_format(request, deployment)) is None:
        return ItemRequest(request)
    native = source.native
    written = row.write(native, deployment, messages, parameters, mode)
    if written is None:
        return ItemRequest(request)
    if mode == "strict" and written.changes:
        raise _refusal(written.changes, row.field)
    given = native.items if native.read_from is None else native.read_from
    renewed = replace(
        native,
        items=written.items,
        read_from=given,
        are_own=native.are_own and written.items is given,
        origins=written.origins,
        are_mended=mode in ("repair", "strict"),
        **written.fields,
    )
    request = replace(request, source=replace(source, messages=messages, native=renewed))
    return ItemRequest(request, written.changes)


def changes_of_body(
    request: ChatRequest, deployment: Deployment, messages: Messages, parameters: Mapping[str, Any]
) -> tuple[Change, ...]:
    """Return the changes of *request* that its reading made, without those that only a chat needs.

    Tools that go to *deployment* in another form are not among those that a chat leaves out.

    *messages* and *parameters* are those of the plan for *deployment*.
    """
    source = request.source
    native = None if source is None else source.native
    if native is None or not native.conversion:
        return request.mended
    if not sends_items(request, deployment, messages, parameters):
        tools = carried_tools(source, deployment) if transport_of(deployment) == "direct" else ()
        carried = {tool.left_out.detail for tool in tools}
        return tuple(change for change in request.mended if change.detail not in carried)
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
    if source is None or source.native is None or not sends_items(request, deployment, messages, parameters):
        return names
    return tuple(name for name in names if name not in request.unknown)


def sends_items(
    request: ChatRequest, deployment: Deployment, messages: Messages, parameters: Mapping[str, Any]
) -> bool:
    """Tell whether the plan with *messages* and *parameters* goes to *deployment* as items of its client."""
    row = spoken_format(request, deployment)
    return row is not None and row.is_eligible(request.source, deployment, messages, parameters)


def _refusal(changes: Sequence[Change], field: str) -> UnrepairableHistory:
    reasons = ", ".join(dict.fromkeys(change.reason for change in changes))
    return UnrepairableHistory(
        f"The items of '{field}' would have to be changed (mode 'strict'): {reasons}.",
        param=field,
        changes=[change.as_dict() for change in changes[:_MAX_LISTED]],
    )
