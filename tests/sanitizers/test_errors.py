"""The error for a history that cannot be repaired names the place, and quotes no text."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Profile, Unrepairable, sanitize
from sanitizers.gemini_profiles import GEMINI_2
from sanitizers.profiles import OPENAI
from tests.support.builders import assistant, call, image, text, tool, user

SECRET = "swordfish"
SPOKEN = [user(SECRET), assistant(SECRET)]


@pytest.mark.parametrize(
    ("message", "profile", "param"),
    [
        ({"role": "user", "content": [{"type": "text", "text": [SECRET]}]}, OPENAI, ".content[0].text"),
        ({"role": None, "content": SECRET}, OPENAI, ".role"),
        (user({"text": SECRET}), OPENAI, ".content"),
        (assistant(SECRET, tool_calls={"a": SECRET}), OPENAI, ".tool_calls"),
        (assistant(None, calls=[call("a", {"n": SECRET})]), OPENAI, ".tool_calls[0].function.name"),
        (tool({"id": SECRET}, SECRET), OPENAI, ".tool_call_id"),
        (user([text(SECRET), {"type": "thinking", "thinking": SECRET}]), GEMINI_2, ".content[1].type"),
        (user([image(f"https://host/{SECRET}.png")]), GEMINI_2, ".content[0].image_url"),
        (user([image(f"data:image/png;base64,{SECRET}?")]), OPENAI, ".content[0].image_url"),
    ],
)
def test_an_error_names_the_place_and_quotes_no_text(
    message: dict[str, Any], profile: Profile, param: str
) -> None:
    """Errors go into logs and to clients as they are."""
    with pytest.raises(Unrepairable) as caught:
        sanitize([*SPOKEN, message], profile)

    assert (caught.value.param, caught.value.index) == (f"messages[2]{param}", 2)
    assert SECRET not in caught.value.message
