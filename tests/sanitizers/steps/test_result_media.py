"""Tests the step ``result_media``: if the model refuses media in results, media moves after the results."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sanitizers import find_violations
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3
from sanitizers.profiles import OPENAI
from sanitizers.steps.result_media import move_result_media
from tests.sanitizers.steps.case import Case, check
from tests.support.builders import assistant, call, image, legacy_call, legacy_result, text, tool, user

GO = user("go")
SHOT = assistant(calls=[call("a", "shot")])
BOTH = assistant(calls=[call("a", "shot"), call("b", "list")])
WAV = {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}}
NOTE = text("[The image of this result is in the user message behind the results.]")
FROM_A = text("[Image from the result of shot (call a):]")
FROM_B = text("[Image from the result of list (call b):]")

CASES = [
    Case("results of text are left alone", [GO, SHOT, tool("a", [text("x")]), user([image()])], None),
    Case("Gemini 3 nests images", [GO, SHOT, tool("a", [text("x"), image()])], None, profile=GEMINI_3),
    Case(
        "the text stays and the image moves",
        [GO, SHOT, tool("a", [text("x"), image(), text("y")])],
        [GO, SHOT, tool("a", [text("x"), NOTE, text("y")]), user([FROM_A, image()])],
        [("moved", 2, "media_in_result")],
        OPENAI,
    ),
    Case(
        "behind the whole block, in the order of the results",
        [GO, BOTH, tool("a", [image()]), tool("b", [image(), image()]), user("and?")],
        [
            GO,
            BOTH,
            tool("a", [NOTE]),
            tool("b", [NOTE, NOTE]),
            user([FROM_A, image(), FROM_B, image(), FROM_B, image()]),
            user("and?"),
        ],
        [("moved", 2, "media_in_result"), ("moved", 3, "media_in_result")],
        OPENAI,
    ),
    Case(
        "a block each",
        [GO, SHOT, tool("a", [image()]), SHOT, tool("a", [image()]), assistant("done")],
        [
            GO,
            SHOT,
            tool("a", [NOTE]),
            user([FROM_A, image()]),
            SHOT,
            tool("a", [NOTE]),
            user([FROM_A, image()]),
            assistant("done"),
        ],
        [("moved", 2, "media_in_result"), ("moved", 4, "media_in_result")],
        GEMINI_2,
    ),
    Case(
        "Gemini 3 nests no recordings",
        [GO, SHOT, tool("a", [image(), WAV])],
        [
            GO,
            SHOT,
            tool(
                "a",
                [image(), text("[The recording of this result is in the user message behind the results.]")],
            ),
            user([text("[Recording from the result of shot (call a):]"), WAV]),
        ],
        [("moved", 2, "media_in_result")],
        GEMINI_3,
    ),
    Case(
        "a legacy result has a name and no id",
        [GO, legacy_call("f"), legacy_result("f", [image()])],
        [
            GO,
            legacy_call("f"),
            legacy_result("f", [NOTE]),
            user([text("[Image from the result of f:]"), image()]),
        ],
        [("moved", 2, "media_in_result")],
        OPENAI,
    ),
    Case(
        "a signature behind an id is not shown",
        [GO, assistant(calls=[call("a__thought__AA==", "shot")]), tool("a__thought__AA==", [image()])],
        [
            GO,
            assistant(calls=[call("a__thought__AA==", "shot")]),
            tool("a__thought__AA==", [NOTE]),
            user([FROM_A, image()]),
        ],
        [("moved", 2, "media_in_result")],
        replace(OPENAI, signs_calls=True),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_media_moves_behind_its_block_of_results(case: Case) -> None:
    """Media moves after its whole block of results, and a text before each medium names its call."""
    check(move_result_media, case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_checker_finds_each_result_that_the_step_changes(case: Case) -> None:
    """The checker finds each result that the step changes, and nothing in the step's output."""
    told = [
        (v.rule, v.index) for v in find_violations(case.given, case.profile) if v.rule == "media_in_result"
    ]

    assert told == [("media_in_result", index) for _, index, _ in case.changes]
    assert not case.expected or not any(
        v.rule == "media_in_result" for v in find_violations(case.expected, case.profile)
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_second_pass_finds_nothing(case: Case) -> None:
    """A second pass changes nothing, so that media which another gateway has moved stays in its place."""
    check(move_result_media, replace(case, given=case.expected or case.given, expected=None, changes=()))
