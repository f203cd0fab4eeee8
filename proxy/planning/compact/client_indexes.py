"""Translates the message indexes of a plan for a history with a memory into the client's own message indexes.

The planned history is shorter than the client's. Clients, logs and the inspector show indexes of the client's history.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from proxy.core.chat_request import ChatRequest
from proxy.planning.budgets.report import Report
from proxy.planning.compact.applied_memory import AppliedMemory
from sanitizers import Change, Message, Messages, Sanitized
from sanitizers.budget import Fitted, Parts
from sanitizers.tool_names.history import STEP as TOOLS


def compacted_request(request: ChatRequest, memory: AppliedMemory) -> ChatRequest:
    """Return *request* with *memory* in its history, and pinned, so that no cut drops or shortens the memory."""
    messages = memory.apply_to(request.messages)
    return replace(request, messages=messages, outline=None, pinned=(memory.message,))


def find_pinned(request: ChatRequest, sanitized: Sanitized, sent: Messages) -> Messages:
    """Return the messages of *sent* that hold the pinned messages of *request*.

    *sent* has the messages of *sanitized* at the same indexes. Some may have an added instruction. A step may have
    joined a pinned message to the user's message before it. The joined message is then pinned as a whole.
    """
    return [_find_holder(message, request.messages, sanitized, sent) for message in request.pinned]


def _find_holder(pinned: Message, before: Messages, sanitized: Sanitized, sent: Messages) -> Message:
    after, origins = sanitized.messages, sanitized.origins
    same = next((at for at, message in enumerate(after) if message is pinned), None)
    if same is not None:
        return sent[same]
    index = next(at for at, message in enumerate(before) if message is pinned)
    if origins is None:
        return sent[index]
    users = [at for at, message in enumerate(after) if message["role"] == "user" and origins[at] <= index]
    return sent[max(users, key=lambda at: (origins[at], at))]


def changes_for_client(changes: Iterable[Change], memory: AppliedMemory) -> tuple[Change, ...]:
    """Return *changes* with the indexes of the client's messages.

    A change of a declared tool keeps the tool's position.
    """
    return tuple(
        change
        if change.step == TOOLS and change.reason != "call_name"
        else replace(change, index=memory.origin_of(change.index))
        for change in changes
    )


def sanitized_for_client(sanitized: Sanitized, memory: AppliedMemory) -> Sanitized:
    """Return *sanitized* with the client's indexes in its changes, violations and origins."""
    origins = range(len(sanitized.messages)) if sanitized.origins is None else sanitized.origins
    return Sanitized(
        sanitized.messages,
        changes_for_client(sanitized.changes, memory),
        tuple(replace(each, index=memory.origin_of(each.index)) for each in sanitized.found),
        tuple(replace(each, index=memory.origin_of(each.index)) for each in sanitized.violations),
        tuple(map(memory.origin_of, origins)),
    )


def report_for_client(report: Report, memory: AppliedMemory, sanitized: Sanitized) -> Report:
    """Return *report* with the memory's tokens, and with the client's indexes of messages.

    *sanitized* is the planned history, with the client's indexes as its origins. ``after`` keeps the indexes of the
    outgoing messages, as in every report.
    """
    fitted, before = report.fitted, report.before
    return replace(
        report,
        memory=memory.tokens,
        fitted=None if fitted is None else _fitted_for_client(fitted, memory, sanitized.origins or ()),
        before=None if before is None else _parts_for_client(before, memory),
    )


def _fitted_for_client(fitted: Fitted, memory: AppliedMemory, origins: tuple[int, ...]) -> Fitted:
    """Return *fitted* with the client's indexes.

    Two fitted messages may come from the same message of the client, so equal indexes prove nothing. ``last`` is
    therefore set to the newest event's index only where that event was at ``last`` before, else to -1.
    """
    events = tuple(replace(event, index=origins[event.index]) for event in fitted.events)
    is_new = bool(events) and fitted.events[-1].index == fitted.last
    return replace(
        fitted,
        changes=changes_for_client(fitted.changes, memory),
        events=events,
        last=events[-1].index if is_new else -1,
    )


def _parts_for_client(parts: Parts, memory: AppliedMemory) -> Parts:
    return replace(parts, largest=tuple((memory.origin_of(at), tokens) for at, tokens in parts.largest))
