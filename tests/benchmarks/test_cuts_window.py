"""Tests of the tokens of messages in ``make bench-cuts``."""

from __future__ import annotations

from benchmarks.cuts.window import TOOLS, Sizes, Window
from benchmarks.sessions import measure
from sanitizers.messages import Message


def test_new_messages_have_their_own_tokens_after_a_session_is_freed() -> None:
    """A message at the address of a freed one does not get the tokens of the freed one."""
    session: list[Message] = [{"role": "user", "content": "x" * 4_000} for _ in range(100)]
    size = Sizes(session)
    session.clear()
    new: list[Message] = [{"role": "user", "content": "y"} for _ in range(100)]

    assert [size(message) for message in new] == [measure(message) for message in new]


def test_limit_counts_tools_and_leading_system_messages_beside_the_turns() -> None:
    """A request of tools, system messages and turns of the window's room has exactly the limit."""
    system: Message = {"role": "system", "content": "x" * 4_000}
    turn: Message = {"role": "user", "content": "x" * 400}
    size = Sizes([system, turn])

    window = Window(size(turn), size)

    assert window.limit([system, turn]) == window.tokens([system, turn]) == TOOLS + size(system) + size(turn)
