"""Tests of the texts that the steps insert. Another wording would invalidate every cached prefix."""

from typing import Any

import pytest

from sanitizers.messages import MEDIA_PARTS
from sanitizers.synthetic import as_reminder, left_out, media_of_result, moved_from_result, reminder

WORDS = {
    "audio_url": "a recording",
    "file": "a file",
    "image_url": "an image",
    "input_audio": "a recording",
    "video_url": "a video",
}


@pytest.mark.parametrize("part_type", sorted(MEDIA_PARTS))
def test_each_type_of_part_has_one_name_in_all_texts(part_type: str) -> None:
    """All texts name a medium with the same noun."""
    said = WORDS[part_type]
    word = said.partition(" ")[2]

    assert left_out(part_type) == f"[Left out: {said} that this model cannot be given.]"
    assert moved_from_result(part_type) == (
        f"[The {word} of this result is in the user message behind the results.]"
    )
    assert media_of_result(part_type, "f", "c1") == f"[{word.capitalize()} from the result of f (call c1):]"
    assert media_of_result(part_type, "f", "") == f"[{word.capitalize()} from the result of f:]"
    assert media_of_result(part_type, "", "c1") == f"[{word.capitalize()} from the result of call c1:]"


def test_reminder_has_the_form_that_claude_knows() -> None:
    """Claude Code writes its own reminders so. Each text is one."""
    assert reminder("a") == as_reminder("a") == "<system-reminder>\na\n</system-reminder>"
    parts: list[dict[str, Any]] = [{"type": "text", "text": "a", "cache_control": {}}, {"type": "image_url"}]
    assert as_reminder(parts) == [{**parts[0], "text": reminder("a")}, parts[1]]
