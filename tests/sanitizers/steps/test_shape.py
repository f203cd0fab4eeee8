"""Tests of the ``shape`` step for the roles of system and developer messages."""

from __future__ import annotations

import pytest

from sanitizers.gemini_profiles import GEMINI_3
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import ANTHROPIC, DEEPSEEK
from sanitizers.steps.shape import normalize_shape
from sanitizers.synthetic import reminder
from tests.sanitizers.steps.case import Case, check
from tests.support.builders import assistant, developer, system, text, user

GO = user("go")

SYSTEMS = [
    Case("leading system and developer messages stay", [system("s"), developer("d"), GO], None),
    Case(
        "a late system message becomes a user message in place, word for word",
        [GO, assistant("b"), system("now do x")],
        [GO, assistant("b"), user("now do x")],
        [("replaced", 2, "system_after_start")],
    ),
    Case(
        "a late developer message likewise",
        [GO, developer("d"), assistant("b")],
        [GO, user("d"), assistant("b")],
        [("replaced", 1, "system_after_start")],
    ),
    Case(
        "at Anthropic's own API it is a reminder, each text by itself",
        [GO, system("s"), assistant("b"), system([text("t"), text("u")]), GO],
        [
            *(GO, user(reminder("s")), assistant("b")),
            *(user([text(reminder("t")), text(reminder("u"))]), GO),
        ],
        [("replaced", 1, "system_after_start"), ("replaced", 3, "system_after_start")],
        ANTHROPIC.over_messages(is_claude=True, takes_systems=False),
    ),
    Case("OpenAI takes system messages anywhere", [GO, system("s"), assistant("b")], None, (), OPENAI),
]

DEVELOPERS = [
    Case(
        "the developer is the system",
        [developer("s", name="n"), GO],
        [system("s", name="n"), GO],
        [("replaced", 0, "developer_role")],
        DEEPSEEK,
    ),
    Case(
        "behind the first turn the user",
        [GO, developer("s")],
        [GO, user("s")],
        [("replaced", 1, "developer_role"), ("replaced", 1, "system_after_start")],
        ANTHROPIC,
    ),
    Case(
        "without words nobody",
        [developer(""), GO],
        [GO],
        [("replaced", 0, "developer_role"), ("dropped", 0, "empty_message")],
        ANTHROPIC,
    ),
    Case("OpenAI has the role", [developer("s"), GO], None, (), OPENAI),
    Case("so has Gemini's wire", [developer("s"), GO], None, (), GEMINI_3),
]


@pytest.mark.parametrize("case", [*SYSTEMS, *DEVELOPERS], ids=lambda case: case.id)
def test_instructions_get_a_role_that_the_provider_takes_in_their_place(case: Case) -> None:
    """The text of the instructions stays unchanged."""
    check(normalize_shape, case)
