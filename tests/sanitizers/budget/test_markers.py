"""Tests that the wording of markers is pinned, and that markers are recognized. A quoted marker is text."""

from __future__ import annotations

import pytest

from sanitizers.budget.markers import (
    CLEARED,
    MARKER_ROOM,
    OF_RESULT,
    OF_TEXT,
    find_omission,
    is_from_user,
    notice_message,
    noticed,
    omission_marker,
    without_notice,
)
from sanitizers.synthetic import CONTINUE, HISTORY_START, media_of_result
from tests.support.builders import assistant, image, text, user


def test_wordings_of_markers_are_pinned() -> None:
    """A changed wording invalidates cached prefixes. Change this test on purpose only."""
    assert CLEARED == "[tool result cleared to save context; call the tool again if needed]"
    assert notice_message(12) == {
        "role": "user",
        "content": "<context_notice>12 earlier messages were removed to fit the context window.</context_notice>",
    }
    assert omission_marker(1, 2, 3, 4, OF_TEXT) == (
        "\n[… 1 of 2 characters (~3 of 4 lines) omitted by the gateway; head and tail kept. …]\n"
    )
    assert OF_RESULT.startswith(OF_TEXT)


@pytest.mark.parametrize("advice", [OF_RESULT, OF_TEXT])
def test_every_marker_fits_into_its_room(advice: str) -> None:
    """A marker with numbers of up to a thousand million fits into ``MARKER_ROOM`` bytes."""
    most = 999_999_999
    longest = omission_marker(most, most, most, most, advice)

    assert len(longest.encode()) <= MARKER_ROOM


def test_a_marker_is_known_by_its_numbers() -> None:
    """A marker's numbers must be those of the text that holds the marker."""
    marker = omission_marker(90, 100, 1, 2, OF_RESULT)

    found = find_omission("12345" + marker + "67890")
    assert found is not None
    assert (found.characters, found.lines) == (100, 2)
    assert find_omission("12345" + marker + "6789") is None
    assert find_omission("no marker here") is None
    assert find_omission("\n[… " * 1_000) is None


@pytest.mark.parametrize(
    ("message", "count"),
    [
        (notice_message(3), 3),
        (user("hello"), None),
        (user([text("<context_notice>3 earlier messages")]), None),
        (user(notice_message(3)["content"] + " and more"), None),
        (assistant(notice_message(3)["content"]), None),
    ],
)
def test_a_notice_is_recognized_by_its_exact_text(message: dict[str, object], count: int | None) -> None:
    """The notice must be the whole content of a user message."""
    assert noticed(message) == count


def test_joined_notices_are_taken_out_of_texts_and_parts() -> None:
    """The text around joined notices is unchanged, and a quoted notice stays."""
    words = notice_message(7)["content"]

    assert without_notice(user(f"goal\n\n{words}\n\nnext")) == (user("goal\n\nnext"), 7)
    assert without_notice(user([text("goal"), text(words), image()])) == (user([text("goal"), image()]), 7)
    assert without_notice(user(f"{words}\n\nnext")) == (user("next"), 7)
    quoted = user(f"See this log:\n\n\n{words}\nwhat is it?\n")
    assert without_notice(quoted) == (quoted, 0)
    plain = user("<context_notice> is a tag of ours")
    assert without_notice(plain) == (plain, 0)
    assert without_notice(plain)[0] is plain


@pytest.mark.parametrize(
    ("message", "own"),
    [
        (user("do it"), True),
        (user([image()]), True),
        (user(CONTINUE), False),
        (user(HISTORY_START), False),
        (notice_message(1), False),
        (user([text(media_of_result("image_url", "f", "c1")), image()]), False),
        (user([text("[Image from the result of"), image()]), True),
        (assistant("do it"), False),
    ],
)
def test_messages_inserted_by_a_step_are_not_from_the_user(message: dict[str, object], own: bool) -> None:
    """Notices and messages that a step inserted do not count as the user's own messages."""
    assert is_from_user(message) is own
