"""Tests of the view of a request's contents that all rules of the emulator read."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.emulator.contents import each_part, view_contents
from tests.proxy.emulator.wire import body, fc, fr, image, model, text, user


@pytest.mark.parametrize(
    ("parts", "is_plain", "is_mixed"),
    [
        ([text()], True, False),
        ([fc()], False, False),
        ([fr(), fr("g")], False, False),
        ([fr(), text()], False, True),
        ([image(), fr()], False, True),
        ([fr(), {"thought": True}], False, False),
    ],
)
def test_content_is_mixed_where_data_is_beside_a_response(
    parts: list[Any], is_plain: bool, is_mixed: bool
) -> None:
    """A content is mixed if other data is beside a response; a part without data does not count."""
    [content] = view_contents(body(user(*parts)))

    assert (content.is_plain, content.is_mixed) == (is_plain, is_mixed)


def test_text_of_a_content_excludes_thoughts() -> None:
    """The text of a content is its joined texts without thoughts."""
    [content] = view_contents(body(model(text("a"), {"text": "hm", "thought": True}, text("b"))))

    assert content.text == "ab"


def test_only_a_single_content_without_a_role_is_the_users() -> None:
    """Only a content without a role that is alone counts as the user's (semantic-kernel#13262)."""
    nameless = {"parts": [text()]}

    assert [content.role for content in view_contents(body(nameless))] == ["user"]
    assert [content.role for content in view_contents(body(nameless, model()))] == ["", "model"]


def test_each_part_has_its_path_and_the_system_instruction_comes_first() -> None:
    """Each part has its path in proto spelling, and the system instruction comes first."""
    request = body(user(text(), image()), model(), systemInstruction={"parts": [text("be brief")]})

    assert [path for path, _ in each_part(request)] == [
        "system_instruction.parts[0]",
        "contents[0].parts[0]",
        "contents[0].parts[1]",
        "contents[1].parts[0]",
    ]
