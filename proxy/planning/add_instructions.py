"""Puts the operator's instructions before the client's system text, in the form that the target takes.

They are added after sanitizing, in every mode of it, and before the budget is fitted. So no step of sanitizing changes
them, and no cut drops or shortens them. The beginning of a history decides their form. So a longer history of the same
conversation begins with the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from proxy.core.instructions import SEPARATOR, Instructions
from proxy.planning.budgets.report import INSERTED, Report
from sanitizers import Change, Message, Messages, Profile
from sanitizers.messages import SYSTEM_ROLES
from sanitizers.record import record

STEP = "instructions"
"""The name in the change list, headers and metrics."""


@record
class Instructed:
    """A history with the operator's instructions. *holder* is the message that holds their text.

    *is_inserted* is True where *holder* is a message of its own, at the beginning. Otherwise it is the client's first
    message, with the instructions before its text.
    """

    messages: Messages
    holder: Message
    is_inserted: bool

    def origins(self, origins: Sequence[int] | None) -> Sequence[int] | None:
        """Return the client's index of each message. *origins* are those of the history without instructions.

        A message that was inserted has none, but :data:`INSERTED`.
        """
        if not self.is_inserted:
            return origins
        return (INSERTED, *(range(len(self.messages) - 1) if origins is None else origins))

    def client_report(self, report: Report) -> Report:
        """Return *report* with the indexes of events in the history without instructions.

        In a list of the largest messages, the instructions count as the client's first message.
        """
        fitted, before = report.fitted, report.before
        if not self.is_inserted or fitted is None:
            return report
        events = tuple(replace(event, index=event.index - 1) for event in fitted.events)
        if before is not None:
            before = replace(before, largest=tuple((max(0, at), tokens) for at, tokens in before.largest))
        return replace(report, fitted=replace(fitted, events=events, last=fitted.last - 1), before=before)


def add_instructions(messages: Messages, instructions: Instructions, profile: Profile) -> Instructed:
    """Return *messages* with *instructions* before everything else, in a form that is legal for *profile*.

    They are a system message of their own where the target takes several. Otherwise they come before the text of the
    client's own system message. Where the target takes none, they come before the text of a leading user message. All
    other messages stay the same objects.
    """
    first = messages[0] if messages else None
    role = None if first is None else first["role"]
    if profile.system_role:
        joins = not profile.many_systems and role in SYSTEM_ROLES
        own_role = role if role in SYSTEM_ROLES else "system"
    else:
        joins, own_role = role == "user", "user"
    if first is not None and joins:
        holder = {**first, "content": _joined(instructions.text, first.get("content"))}
        return Instructed([holder, *messages[1:]], holder, is_inserted=False)
    holder = {"role": own_role, "content": instructions.text}
    return Instructed([holder, *messages], holder, is_inserted=True)


def describe_instructions(instructions: Instructions) -> Change:
    """Return the entry in the change list: the levels, the length and the digest, and never the text."""
    levels = ",".join(part.level for part in instructions.parts)
    return Change(
        STEP, "inserted", 0, "operator", f"{levels} {instructions.bytes} bytes {instructions.digest}"
    )


def hide_instructions(messages: Messages, instructions: Instructions) -> Messages:
    """Return *messages* with a placeholder for the text of *instructions*, for readers without the master key.

    The text is the first thing that a model reads, also after a repair. So its first occurrence is the operator's, and
    a later one is the client's.
    """
    for at, message in enumerate(messages):
        content = message.get("content")
        hidden = _hidden_once(content, instructions)
        if hidden is not content:
            return [*messages[:at], {**message, "content": hidden}, *messages[at + 1 :]]
    return messages


def placeholder_for(instructions: Instructions) -> Instructions:
    """Return *instructions* with a placeholder in place of each text. Length, digest and levels stay."""
    parts = tuple(replace(part, text="") for part in instructions.parts)
    return replace(instructions, parts=parts, text=_placeholder(instructions))


def _placeholder(instructions: Instructions) -> str:
    return f"[instructions of the operator: {instructions.bytes} bytes, {instructions.digest}]"


def _hidden_once(content: Any, instructions: Instructions) -> Any:
    """Return a message's *content* without the first occurrence of the text, or *content* itself without one."""
    if isinstance(content, str):
        shown = content.replace(instructions.text, _placeholder(instructions), 1)
        return content if shown == content else shown
    for at, part in enumerate(content if isinstance(content, list) else ()):
        text = part.get("text") if isinstance(part, dict) else None
        hidden = _hidden_once(text, instructions)
        if hidden is not text:
            return [*content[:at], {**part, "text": hidden}, *content[at + 1 :]]
    return content


def _joined(text: str, content: Any) -> Any:
    if isinstance(content, list):
        # A server may join the parts without anything between them: litellm does so for Ollama.
        return [{"type": "text", "text": f"{text}{SEPARATOR}"}, *content]
    return f"{text}{SEPARATOR}{content}" if content else text
