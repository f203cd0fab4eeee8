"""Tests of the facts in a history: their kinds, their order, and the tools of a path."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given

from proxy.planning.compact.fact_rules import Kind
from proxy.planning.compact.find_facts import KINDS, MOST, find_facts
from proxy.upstream.masking import MASK
from sanitizers import Message
from tests.support.builders import assistant, call, legacy_call, system, text, tool, user
from tests.support.counted_steps import count_steps
from tests.support.strategies import any_histories


def facts_in(messages: Sequence[Message], kind: Kind) -> list[str]:
    """Return the texts of the facts of one kind."""
    return [fact.text for fact in find_facts(messages)[kind]]


def called(name: str, **arguments: Any) -> Message:
    """Return an assistant message with one call."""
    return assistant(calls=[call("c", name, json.dumps(arguments))])


def test_facts_of_every_kind_are_found_in_every_place() -> None:
    """Facts come from user texts, the model's texts, arguments and results."""
    messages = [
        user([text("Fix ABC-123"), text("in src/a.py.")]),
        assistant("I look at https://a.example/b."),
        called("bash", command="pytest tests/test_a.py"),
        tool("c", "E   ValueError: bad month\nexit code: 1"),
        legacy_call("fetch", '{"host": "db.internal:5432"}'),
    ]

    assert {kind: [fact.text for fact in facts] for kind, facts in find_facts(messages).items()} == {
        "command": ["pytest tests/test_a.py → exit code: 1"],
        "error": ["E ValueError: bad month", "exit code: 1"],
        "path": ["tests/test_a.py (bash)", "src/a.py"],
        "id": ["ABC-123"],
        "address": ["db.internal:5432", "https://a.example/b"],
    }


def test_path_has_the_tools_that_had_it_in_their_arguments() -> None:
    """The tools are in the order of their newest use, each once. The paths in a written text have no tool."""
    messages = [
        called("read", path="src/a.py"),
        called("edit", path="src/a.py", content=f"import b  # see src/b.py {'x ' * 900}"),
        called("read", path="src/a.py"),
        called("bash", command="rm src/c.py src/d.py:3"),
        called("open", file_path="My notes"),
        called("search", query="My words", pattern="src"),
    ]

    assert facts_in(messages, "path") == [
        "My notes (open)",
        "src/c.py (bash)",
        "src/d.py (bash)",
        "src/a.py (edit, read)",
        "src/b.py",
    ]


def test_newest_facts_come_first_and_once() -> None:
    messages = [user("ABC-1 and ABC-2"), user("ABC-3"), user("ABC-1 again")]

    assert facts_in(messages, "id") == ["ABC-1", "ABC-3", "ABC-2"]


def test_listing_does_not_push_out_what_was_said_or_used() -> None:
    """Facts of words and arguments come first, then the first eight of each result, then the rest of the results."""
    listing = "\n".join(f"lib/file_{number}.py" for number in range(900))
    paths = facts_in([called("edit", path="src/a.py"), tool("c", "src/b.py"), tool("c", listing)], "path")

    assert paths[:3] == ["src/a.py (edit)", "lib/file_0.py", "lib/file_1.py"]
    assert paths[9:11] == ["src/b.py", "lib/file_8.py"]
    assert len(paths) == MOST


def test_lines_that_differ_by_a_time_are_one_error() -> None:
    log = "\n".join(f"12:00:{second:02} request {second + 31_000} HTTP 503" for second in range(50))

    assert facts_in([tool("c", log)], "error") == ["12:00:00 request 31000 HTTP 503"]


def test_credentials_are_no_ids_and_are_masked_in_addresses() -> None:
    """A memory is stored, so no rule picks credentials out of the texts."""
    token = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    messages = [user(f"{token} for ABC-123 at postgres://ann:hunter22@db.internal:5432/app")]

    assert facts_in(messages, "id") == ["ABC-123"]
    assert facts_in(messages, "address") == [f"postgres://ann:{MASK}@db.internal:5432/app"]


def test_system_messages_are_not_read() -> None:
    assert facts_in([system("Keep ABC-123."), {"content": "See ABC-4."}], "id") == ["ABC-4"]


def test_arguments_that_are_no_object_are_read_as_a_text() -> None:
    assert facts_in([assistant(calls=[call("c", "edit", "path: src/a.py {")])], "path") == ["src/a.py (edit)"]


@given(any_histories())
def test_any_history_has_facts_without_errors(messages: list[Message]) -> None:
    facts = find_facts(messages)

    assert list(facts) == list(KINDS)
    assert facts == find_facts(messages)
    assert all(fact.text and fact.kind == kind for kind, found in facts.items() for fact in found)


HOSTILE = {
    "slashes": "a/" * 500_000,
    "dashes": "-" * 1_000_000,
    "dashed words": ("a-" * 149 + " ") * 3_300,
    "joined words": ("a_" * 149 + " ") * 3_300,
    "dots": "a." * 500_000,
    "capitals": "E" * 1_000_000,
    "error words": "Error" * 200_000,
    "error lines": "AError\n" * 140_000,
    "class names": "A.B:" * 250_000,
    "schemes": "http://" * 140_000,
    "spaces": " " * 1_000_000,
    "newlines": "\n" * 1_000_000,
    "escapes": "\x1b[" * 500_000,
    "exit": "exit " * 200_000,
    "exit codes": "exit code 1 " * 80_000,
    "statuses": "status::::: HTTP " * 60_000,
    "brackets": "[{" * 500_000,
    "emoji": "🙂" * 500_000,
    "Chinese": "中" * 500_000,
    "different words": " ".join(f"ABC-{number}" for number in range(20_000)),
    "groups": ("1:" * 20 + " ") * 25_000,
}


@pytest.mark.long
@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_work_on_a_hostile_text_is_bounded(hostile: str) -> None:
    """A megabyte takes a bounded number of steps for each word, and gives a bounded number of short facts."""
    words = len(set(hostile.split()))
    messages = [assistant(calls=[call("c", "bash", hostile)]), tool("c", hostile), user(hostile)]
    found = []
    steps = count_steps(lambda: found.append(find_facts(messages)))

    assert sum(steps.values()) <= 100 * words + 60_000
    for facts in found[0].values():
        assert len(facts) <= MOST
        assert all(len(fact.text) <= 800 for fact in facts)
