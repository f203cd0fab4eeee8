"""Tests that the messages of a changed history have the positions of their originals."""

from __future__ import annotations

from typing import Any

from proxy.inspector.align_messages import align_messages, with_positions
from tests.proxy.inspector.looking import look
from tests.support.builders import assistant, call, tool, user


def test_equal_copy_has_the_position_of_its_original() -> None:
    """Copies of messages keep the positions of their originals, although messages between them were removed."""
    history = [user("a"), assistant("b"), user("c"), assistant("d"), user("e")]
    before = with_positions(history)

    found = align_messages(before, [{**history[0]}, {**history[3]}, history[4]])

    assert [at for at, _ in found] == [0, 3, 4]
    assert all(message is history[at] for at, message in found if at is not None)


def test_equal_messages_are_aligned_in_order() -> None:
    """An equal message takes the next free position before the next unchanged message."""
    same = [user("again") for _ in range(3)]
    history = [same[0], assistant("x"), same[1], assistant("y"), same[2]]

    found = align_messages(
        with_positions(history), [user("again"), assistant("x"), history[3], user("again")]
    )

    assert [at for at, _ in found] == [0, 1, 3, 4]
    assert [at for at, _ in align_messages(with_positions(history), [user("new"), history[1]])] == [0, 1]
    assert [
        at for at, _ in align_messages(with_positions(history), [history[1], user("new"), history[3]])
    ] == [1, 2, 3]
    assert [at for at, _ in align_messages(with_positions(history), [tool("z"), history[1]])] == [None, 1]


def test_rounds_left_after_a_cut_keep_the_positions_of_their_calls() -> None:
    """The calls were repaired before the cut."""
    history: list[dict[str, Any]] = [user("go")]
    for number in range(400):
        broken = call(f"c{number}", "f", '{"a":1')
        history += [assistant(f"step {number}", [broken]), tool(f"c{number}", "line of text\n" * 200)]

    shown = look(history, "gemma", budget={"preset": "lango", "low": 0.05})

    calls = {
        message["tool_calls"][0]["id"]: at for at, message in enumerate(history) if "tool_calls" in message
    }
    left = [entry for entry in shown["after"] if "tool_calls" in entry["message"]]
    assert 0 < len(left) < 200
    assert all(entry["origin"] == calls[entry["message"]["tool_calls"][0]["id"]] for entry in left)


def test_message_rebuilt_without_a_change_is_shown_as_the_original() -> None:
    """After the step ``shape``, the message does not yet have the signature that a later step adds."""
    history = [user("go"), assistant(None, [call("c1", "f", '{"a":1')]), tool("c1")]

    shown = look(history, "gemini-3-strict")

    assert [step["step"] for step in shown["steps"]] == ["shape", "signatures"]
    assert [entry["origin"] for entry in shown["after"]] == [0, 1, 2]
    assert "extra_content" not in shown["steps"][0]["after"][1]["message"]["tool_calls"][0]
