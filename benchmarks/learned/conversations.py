"""The requests of the drivers: conversations of an agent, whose every request has the fault of its target.

The user's newest message holds the mark of the request, ``[conversation.turn]``. The provider notes its calls under
this mark.
"""

from __future__ import annotations

from typing import Any

from benchmarks.learned.target_faults import Fault
from benchmarks.sanitize import History
from tests.support.builders import assistant, call, system, tool, user

MODEL = "target"


def mark_of(conversation: int, turn: int) -> str:
    """Return the mark of a request."""
    return f"{conversation}.{turn}"


def history(fault: Fault, conversation: int, turn: int) -> History:
    """Return the messages of request number *turn* of *conversation*. The first request has a finished round, too."""
    messages = [system("You are an agent.")]
    for number in range(turn + 1):
        call_id = fault.call_id.format(conversation, number)
        extra = {"index": 0} if fault.row == "call_field" else {}
        messages += [
            user(f"[{mark_of(conversation, number)}] Read part {number} of the file."),
            assistant(None, [call(call_id, "read", f'{{"path": "part {number}"}}', **extra)]),
            tool(call_id, f"This is part {number}."),
        ]
        if fault.row != "result_then_user":
            messages.append(assistant(f"I have read part {number}."))
    return [*messages, user(f"[{mark_of(conversation, turn)}] Go on."), *fault.ending]


def body_of(fault: Fault, conversation: int, turn: int, *, stream: bool) -> dict[str, Any]:
    """Return the body of a request."""
    body = {"model": MODEL, "messages": history(fault, conversation, turn), **fault.fields}
    return {**body, "stream": True} if stream else body
