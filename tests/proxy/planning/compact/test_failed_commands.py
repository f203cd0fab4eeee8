"""Tests of the commands that failed: which results are failures, and which calls run a command."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.compact.failed_commands import command_of, find_failed_commands, find_failure
from proxy.planning.compact.message_texts import Answered, Call


def ran(command: str, result: str, name: str = "bash") -> Answered:
    """Return the result of a command."""
    return Answered(0, Call("c", name, {"command": command}), result)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("some output\nexit code: 2\n", "exit code: 2"),
        ('{"stdout": "", "exit_code": 127}', '{"stdout": "", "exit_code": 127}'),
        ("Command exited with 1", "Command exited with 1"),
        ("Traceback (most recent call last):\n  File", "Traceback (most recent call last):"),
        ("ok\nKeyError: 'a'", "KeyError: 'a'"),
        ("bash: foo: command not found", "bash: foo: command not found"),
        ("cat: x.txt: No such file or directory", "cat: x.txt: No such file or directory"),
        ("error: pathspec 'x' did not match", "error: pathspec 'x' did not match"),
        ("=== 3 failed, 9 passed in 2.1s ===", "=== 3 failed, 9 passed in 2.1s ==="),
        ("fatal: not a git repository", "fatal: not a git repository"),
        ('{"isError": true, "text": "no"}', '{"isError": true, "text": "no"}'),
        ("out " * 3_000 + "\nexit status 1", "exit status 1"),
    ],
)
def test_result_of_a_failure_has_a_line_that_says_so(text: str, line: str) -> None:
    assert find_failure(text) == line


@pytest.mark.parametrize(
    "text",
    [
        "",
        "all good",
        "9 passed, 0 failed in 2.1s",
        "error: ignored\nexit code: 0",
        '{"stderr": "warning: no errors", "exit_code": 0}',
        "the docs explain what an error is",
        "out " * 1_000 + "\nexit code 1\n" + "out " * 1_000,
    ],
)
def test_other_results_are_no_failures(text: str) -> None:
    """An exit code of 0 decides. The middle of a long result is not looked at."""
    assert find_failure(text) is None


def test_failed_commands_come_newest_first_and_once() -> None:
    results = [
        ran("make a", "exit code 1"),
        ran("make b", "exit code 2"),
        ran("make c", "fine"),
        ran("make a", "exit code 3"),
        Answered(4, None, "exit code 9"),
        ran("notes.txt", "exit code 9", "read_file"),
    ]

    assert list(find_failed_commands(iter(results))) == [
        "notes.txt → exit code 9",
        "make a → exit code 3",
        "make b → exit code 2",
    ]


def test_long_command_is_cut_at_a_word() -> None:
    [found] = find_failed_commands([ran("word " * 100, "exit code 1")])

    assert found == f"{'word ' * 60}[…] → exit code 1"


@pytest.mark.parametrize(
    ("name", "arguments", "command"),
    [
        ("bash", {"command": "ls -l"}, "ls -l"),
        ("run_terminal_cmd", {"script": " make\n"}, "make"),
        ("shell", {"command": ["git", "status"]}, "git status"),
        ("execute", {"cmd": "pwd"}, "pwd"),
        ("local_exec", {"code": "1 + 1"}, "1 + 1"),
        ("bash", "ls -l", "ls -l"),
        ("read_file", {"code": "x", "path": "a"}, ""),
        ("truncate", {"input": "x"}, ""),
        ("bash", {"command": 3}, ""),
        ("bash", {"command": [1]}, ""),
        ("bash", None, ""),
        ("read", "ls", ""),
    ],
)
def test_command_is_read_from_the_arguments(name: str, arguments: Any, command: str) -> None:
    """A shell is known by the tool's name, or by an argument that is named after a command."""
    assert command_of(name, arguments) == command
