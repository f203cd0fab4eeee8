"""Tests of the corrective note that a retry carries after an unusable answer."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.failures import Cause
from proxy.planning.corrective_note import note_for, with_note
from tests.proxy.inspector.looking import parse


def declared(*names: str) -> dict[str, Any]:
    """Return parameters that declare tools with these *names*."""
    return {"tools": [{"type": "function", "function": {"name": name}} for name in names]}


@pytest.mark.parametrize("cause", [Cause.UNEXPECTED_CALL, Cause.UNDECLARED_CALL])
def test_an_undeclared_call_lists_the_declared_tools(cause: Cause) -> None:
    """The note lists at most 64 declared tools. A request without tools has no list."""
    assert "Declared are: look, go." in note_for(cause, declared("look", "go"))
    assert "Declared are" not in note_for(cause, {})
    assert "t63" in note_for(cause, declared(*(f"t{n}" for n in range(99))))
    assert "t64" not in note_for(cause, declared(*(f"t{n}" for n in range(99))))


def test_invalid_arguments_have_their_fault() -> None:
    """Only the note on invalid arguments has a detail, which says how the arguments break the schema."""
    assert "look: $.city is missing." in note_for(Cause.INVALID_ARGUMENTS, {}, "look: $.city is missing.")
    assert "$.city" not in note_for(Cause.MALFORMED_CALL, {}, "look: $.city is missing.")


@pytest.mark.parametrize("cause", [Cause.UNDECLARED_CALL, Cause.INVALID_ARGUMENTS, Cause.MALFORMED_CALL])
def test_no_call_is_asked_for_where_none_is_allowed(cause: Cause) -> None:
    """With ``tool_choice: none``, the note asks the model to answer in text."""
    note = note_for(cause, {**declared("look"), "tool_choice": "none"}, "look: bad.")

    assert note == "[Your last answer called a tool, and none can be called any more. Answer in text.]"


def test_the_note_is_a_user_message_at_the_end() -> None:
    """The messages before the note stay the same objects, so a cached prefix stays valid."""
    request = parse([{"role": "user", "content": "go"}])
    noted, change = with_note(request, "[Again.]")

    assert noted.messages[0] is request.messages[0]
    assert noted.messages[1:] == [{"role": "user", "content": "[Again.]"}]
    assert (change.step, change.kind, change.index, change.reason) == (
        "note",
        "inserted",
        0,
        "corrective_note",
    )
    assert len(request.messages) == 1
