"""Tests that errors in results are found, and that a tool that fails repeatedly gets one hint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sanitizers.turns.notices import error_hint
from sanitizers.turns.rounds import read_rounds
from sanitizers.turns.tool_errors import error_of, find_failures
from tests.sanitizers.turns.histories import ENFORCE, WARN, History, guard, one_round, smolagents_error_round
from tests.support.builders import assistant, call, legacy_call, legacy_result, text, tool, user

HINTS = replace(WARN, hint_after_errors=3)

ERRORS = [
    "Error: no such file",
    "  \n error: no such file",
    "ERROR: no",
    "Tool error: no",
    "Error executing tool fetch: timed out",
    "Error calling tool: no",
    "error while reading",
    "An error occurred while running the tool. Please try again.",
    "Tool fetch failed",
    "tool execution failed: no",
    "Command failed with exit code 2",
    "<error>no</error>",
    "<tool_error>no</tool_error>",
    "Error:\nno",
    "Call id: c1\nError:\nno",
    "Observation:\nError: no",
    "Observation:\n\n Traceback (most recent call last):\n  File",
    "Traceback (most recent call last):\n  File",
    "ValueError: bad",
    "requests.exceptions.ConnectionError: refused",
    "java.lang.NullPointerException: null",
    "1 validation error:\n```json\n[]\n```\n\nFix the errors and try again.",
    '{"error": "no"}',
    ' {"error": {"message": "no"}, "ok": false}',
    '{"isError": true, "content": []}',
    '{"is_error": true}',
    '{"status": "error"}',
    '{"success": false}',
]
NO_ERRORS = [
    "",
    "{}",
    "ok",
    "No errors found",
    "The error: it was there",
    "HTTP 500 is a server error",
    "Errors: 0",
    "errors",
    "line 1\nError: no",
    "A page about ValueError: what it means",
    "tool failure is the topic",
    "Fix the errors and try again. Or not.",
    "[]",
    '{"error": null}',
    '{"error": false, "rows": []}',
    '{"error": ""}',
    '{"isError": false}',
    '{"isError": "true"}',
    '{"status": "ok"}',
    '{"success": true}',
    '{"success": 0}',
    '{"rows": [{"error": "no"}]}',
    '[{"error": "no"}]',
    '{"error": "cut of',
    "Error: " + "x" * 70_000,
]


def test_mark_of_a_failed_call_is_an_error() -> None:
    """Anthropic's clients mark a result, whatever its words are. Other values of the mark say nothing."""
    result = tool("c1", "42 files")

    assert error_of({**result, "is_error": True}) == "42 files"
    assert error_of({**result, "is_error": False}) is None
    assert error_of({**result, "is_error": "true"}) is None


@pytest.mark.parametrize("said", ERRORS)
def test_an_error_is_found_in_texts_and_parts(said: str) -> None:
    """The quote of an error is one line."""
    quote = error_of(tool("a", said))

    assert quote == " ".join(said.split())
    assert error_of(user([text(said)])) == quote


@pytest.mark.parametrize("said", NO_ERRORS)
def test_an_error_in_the_middle_of_a_text_does_not_count(said: str) -> None:
    """A text that only mentions errors, such as a page about errors, is no error."""
    assert error_of(tool("a", said)) is None


@pytest.mark.parametrize("content", [None, 7, [], {"rows": []}, [{"error": "no"}], [1]])
def test_a_bare_value_without_an_error_is_none(content: Any) -> None:
    """A value that is no text is judged by its JSON."""
    assert error_of(tool("a", content)) is None


def test_a_bare_object_with_an_error_is_quoted_as_json() -> None:
    """The provider gets such an object as JSON too."""
    assert error_of(tool("a", {"error": "no"})) == '{"error": "no"}'


def test_a_quote_has_two_hundred_characters_at_most() -> None:
    """An ellipsis marks a shortened quote."""
    assert error_of(tool("a", "Error: " + "x" * 193)) == "Error: " + "x" * 193
    assert error_of(tool("a", "Error: " + "x" * 194)) == "Error: " + "x" * 193 + "…"


@pytest.mark.parametrize("said", ["Error: no", '{"error": "no"}', "1 bad.\n\nFix the errors and try again."])
@pytest.mark.parametrize("form", [str, lambda said: [text(said)]])
def test_a_hint_is_neither_quoted_nor_given_again(said: str, form: Any) -> None:
    """A second turnright reads only the tool's own text, not the hint after it."""
    history: History = [user("go")]
    for number in range(4):
        asked, _ = one_round(number)
        history += [asked, tool(f"c{number}", form(said))]
    once = guard(history, HINTS)
    again = guard(list(once.messages), HINTS)

    assert [change.index for change in once.changes] == [6]
    assert again.messages == once.messages
    assert again.changes == ()


def failing(*names: str, said: str = "Error: no") -> History:
    """Return a turn in which tools of these names fail, one per round."""
    return [
        user("go"),
        *(m for at, name in enumerate(names) for m in one_round(at, name, None, f"{said} {at}")),
    ]


def hints(history: History, policy: Any = HINTS) -> list[int]:
    """Return the index of each message that got a hint."""
    guarded = guard(history, policy)
    assert all(change.reason == "tool_error_hint" for change in guarded.changes)
    return [change.index for change in guarded.changes]


@pytest.mark.parametrize(
    ("names", "places"),
    [
        ("ff", []),
        ("fff", [6]),
        ("ffffffff", [6]),
        ("ffgf", [8]),
        ("fgfgfg", [10, 12]),
        ("fgh" * 2, []),
    ],
)
def test_each_tool_gets_one_hint(names: str, places: list[int]) -> None:
    """The hint comes with a tool's third failure. Other tools may fail in between."""
    assert hints(failing(*names)) == places


def test_a_success_is_not_counted_and_a_new_turn_begins_anew() -> None:
    """Only failures after the last user message count, and a success is not counted."""
    good = one_round(50, "f")

    assert hints([*failing("f", "f"), *good]) == []
    assert hints([*failing("f", "f"), *good, *failing("f")[1:]]) == [8]
    assert hints([*failing("f", "f"), *failing("f", "f")]) == []
    assert hints([*failing("f", "f", "f"), *failing("f", "f", "f")]) == [6, 13]


def test_the_hint_quotes_the_tool_and_the_event_comes_with_it() -> None:
    """The event ``tool_errors`` is reported only in the request that ends with the third failure."""
    history = failing("f", "f", "f")
    guarded = guard(history, HINTS)

    assert guarded.messages[-1]["content"] == "Error: no 2\n\n" + error_hint("f", 3, "Error: no 2")
    assert guarded.turn.events == ("tool_errors",)
    assert guard([*history, *one_round(9)], HINTS).turn.events == ()
    assert guard(history).turn.events == ()
    assert guard(history).messages is history
    assert hints(history, replace(ENFORCE, hint_after_errors=3)) == [6]


def test_a_failure_belongs_to_the_tool_of_its_call_id_name_or_only_call() -> None:
    """A failed result belongs to its call id's tool, else to the tool it names, else to its round's only tool."""
    asked = assistant(None, [call("a", "f"), call("b", "g")])
    failed, fine = tool("a", "Error: no"), tool("b", "ok")
    unknown = tool("z", "Error: no")

    def of(*messages: dict[str, Any]) -> list[str]:
        return [failure.name for failure in find_failures(read_rounds(messages, 0, len(messages)), 1)]

    assert of(asked, fine, failed) == ["f"]
    assert of(asked, unknown) == []
    assert of(asked, {**unknown, "name": "g"}) == ["g"]
    assert of(asked, {**unknown, "name": "h"}) == []
    assert of(assistant(None, [call("a", "f"), call("b", "f")]), unknown) == ["f"]
    assert of(assistant(None, [call("a", "f"), call("a", "g")]), failed) == ["f"]
    assert of(legacy_call("f"), legacy_result("f", "Error: no")) == ["f"]
    assert of(*smolagents_error_round(1)) == ["web_search"]
    assert of(assistant("hm"), failed) == []
