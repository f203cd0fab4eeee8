"""Tests of the order of an answer's blocks."""

from __future__ import annotations

from proxy.upstream.wires.anthropic.layout import Layout


def test_entries_keep_the_order_of_the_blocks() -> None:
    """Thoughts stand as they came, and places stand for texts and calls."""
    layout = Layout()
    layout.add_text("Hi.")
    before = layout.has_thoughts
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    layout.add_thought(thought)
    layout.add_call("toolu_1")
    assert (before, layout.has_thoughts) == (False, True)
    entries = [{"type": "text", "length": 3}, thought, {"type": "tool_use", "id": "toolu_1"}]
    assert layout.as_value() == {"entries": entries, "text": "Hi."}


def test_order_without_thoughts_is_nothing() -> None:
    """Texts and calls alone have their usual order."""
    layout = Layout()
    layout.add_text("Hi.")
    layout.add_call("toolu_1")
    assert layout.as_value() == {"entries": [], "text": "Hi."}
