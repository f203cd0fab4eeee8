"""Finds the commands that failed, by the calls of shell-like tools and their results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from proxy.planning.compact.fact_rules import line_around
from proxy.planning.compact.message_texts import Answered, cut_at_word

LONGEST_COMMAND = 300
"""The most characters of a failed command in the memory. A longer command is cut at a word, and marked."""

_SHELL = re.compile(
    r"(?i)bash|shell|terminal|command|powershell|console|(?:^|[_.-])(?:sh|cmd|exec|run)(?:$|[_.-])"
)
_FIELDS = ("command", "cmd", "commands", "script", "code", "input")
_LOOKED_AT = 2_000

_DONE = re.compile(
    r"(?i)\bexit(?:ed)?[ _]?(?:with )?(?:code|status)?[\"':= ]{0,4}0\b|\breturn[ _]?code[\"':= ]{0,4}0\b"
)
_EXIT = re.compile(
    r"(?i)\b(?:exit(?:ed)?[ _]?(?:with )?(?:code|status)?|return[ _]?code)[\"':= ]{0,4}-?[1-9]\d{0,2}\b"
)
_FLAG = re.compile(r"\"(?:isError|is_error)\": ?true|\"success\": ?false|\"status\": ?\"(?:error|failed)\"")
_FAILURE = re.compile(
    r"(?im)^\s{0,20}(?:[\w./-]{1,80}: ){0,4}(?:\[?error\]?\b|fatal\b|failed\b|traceback \(most recent call last\))"
    r"|^(?:[A-Za-z_]\w{0,60}\.){0,8}\w{0,60}(?:error|exception):"
    r"|: (?:command not found|no such file or directory|permission denied)"
    r"|\b[1-9]\d{0,6} (?:failed|failures?|errors?)\b|\bnpm ERR!|\bpanicked at|(?-i:\bFAILED\b)|<(?:tool_)?error>"
)


def find_failure(text: str) -> str | None:
    """Return the line of a tool's result that tells of a failure, or None where no line does.

    Only the first and last 2,000 characters are read. An exit code there decides. Without an exit code, words such as
    ``error:`` and flags such as ``"isError": true`` decide.
    """
    seen = text if len(text) <= 2 * _LOOKED_AT else f"{text[:_LOOKED_AT]}\n{text[-_LOOKED_AT:]}"
    exited = _EXIT.search(seen)
    if exited is None and _DONE.search(seen):
        return None
    said = _FAILURE.search(seen) or _FLAG.search(seen)
    found = exited or said
    return None if found is None else line_around(seen, found.start(), found.end())


def find_failed_commands(results: Iterable[Answered]) -> Iterator[str]:
    """Yield each command that failed, newest first, with the line of its result that tells of the failure."""
    seen = set()
    for answered in reversed(list(results)):
        command = command_of(answered.call.name, answered.call.arguments) if answered.call else ""
        if not command or command in seen:
            continue
        failure = find_failure(answered.text)
        if failure is not None:
            seen.add(command)
            yield f"{cut_at_word(command, LONGEST_COMMAND)} → {failure}"


def command_of(name: str, arguments: Any) -> str:
    """Return the command that a call of the tool *name* runs, or "" where the call has none."""
    is_shell = _SHELL.search(name) is not None
    if isinstance(arguments, str):
        return arguments.strip() if is_shell else ""
    if not isinstance(arguments, dict):
        return ""
    for field in _FIELDS if is_shell else _FIELDS[:2]:
        value = arguments.get(field)
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            value = " ".join(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""
