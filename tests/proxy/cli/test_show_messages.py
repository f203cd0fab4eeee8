"""Tests of lines that show one message each, and of the differences between two messages."""

from __future__ import annotations

from proxy.cli.show_messages import differences, excerpt
from tests.support.builders import assistant, call, tool


def test_rewritten_message_is_shown_by_the_fields_that_differ() -> None:
    """A rewritten message is shown by its changed fields; a long text begins near the first difference."""
    before = assistant("a" * 500 + "b", [call("c1", "f", "{")])
    after = assistant("a" * 500 + "c", [{**call("c1", "f", "{}"), "extra": 1}])

    assert list(differences(before, after)) == [
        (f"assistant content …{'a' * 16}b", f"assistant content …{'a' * 16}c"),
        ("assistant tool_calls[0].function.arguments {", "assistant tool_calls[0].function.arguments {}"),
        ("assistant tool_calls[0].extra (none)", "assistant tool_calls[0].extra 1"),
    ]
    assert list(differences(before, before)) == []
    assert excerpt(tool("c1", "x" * 100)) == f"tool (c1) {'x' * 62}…"
