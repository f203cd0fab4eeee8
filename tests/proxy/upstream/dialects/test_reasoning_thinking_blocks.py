"""Tests of histories in which a model cannot begin to think."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.dialects import lacks_thinking_blocks
from tests.support.builders import assistant, call, system, text, tool, user

THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
HIDDEN = {"type": "redacted_thinking", "data": "x"}
CALLS = [call("c1", "look")]


@pytest.mark.parametrize(
    ("messages", "lacks"),
    [
        ([], False),
        ([system("s"), user("q")], False),
        ([user("q"), assistant("a"), user("q")], False),
        ([user("q"), assistant(None, calls=CALLS), tool("c1", "r"), user("q")], False),
        ([user("q"), assistant(None, calls=CALLS), tool("c1", "r")], True),
        ([user("q"), assistant("a")], True),
        ([user("q"), assistant(None, calls=CALLS, thinking_blocks=[THOUGHT]), tool("c1", "r")], False),
        ([user("q"), assistant(None, calls=CALLS, thinking_blocks=[HIDDEN]), tool("c1", "r")], False),
        ([user("q"), assistant(None, calls=CALLS, thinking_blocks=[]), tool("c1", "r")], True),
        ([user("q"), assistant(None, calls=CALLS, thinking_blocks="x"), tool("c1", "r")], True),
        ([user("q"), assistant([THOUGHT, text("a")], calls=CALLS), tool("c1", "r")], False),
        ([user("q"), assistant([text("a"), THOUGHT], calls=CALLS), tool("c1", "r")], True),
        (
            [
                user("q"),
                assistant(None, calls=CALLS),
                tool("c1", "r"),
                assistant(None, calls=CALLS, thinking_blocks=[THOUGHT]),
                tool("c1", "r"),
            ],
            True,
        ),
    ],
)
def test_thinking_is_needed_since_the_last_user_message(messages: list[Any], lacks: bool) -> None:
    """Each assistant message of the last turn must begin with thinking."""
    assert lacks_thinking_blocks(messages) is lacks
