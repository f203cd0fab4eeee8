"""Finds facts in the messages that a memory replaces, word for word and without a model.

The kinds are commands that failed, error codes, paths with the tools that had them in their arguments, ids and
addresses. Within a kind, facts that the user, the model or a call's arguments named come before those that only a
result has. Of one tool result, all facts of a kind after the first eight come last. A listing of a thousand files
therefore does not push out the file that was edited. Within each of these groups, the newest fact comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from proxy.planning.compact.blank_secrets import blank_secrets
from proxy.planning.compact.fact_rules import LONGEST, Kind, find_lines, find_urls, find_words, read_word
from proxy.planning.compact.failed_commands import find_failed_commands
from proxy.planning.compact.message_texts import answered_calls, calls_of, plain_text, strings_in, text_of
from proxy.upstream.masking import MASK
from sanitizers.messages import RESULT_ROLES, SYSTEM_ROLES, Message, Messages

KINDS: tuple[Kind, ...] = ("command", "error", "path", "id", "address")
"""All kinds, the most important first."""

MOST = 400
"""The most facts of one kind that are kept."""

_SAID, _SEEN, _LISTED = range(3)
"""The ranks of facts: named in words or short arguments, among the first in a result, or further on in a result."""

_FIRST = 8
"""The first facts of one kind in a result, which come before those further on in the result."""

_SHORT = 1_000
"""The most characters of an argument that names what the tool works on.

A longer argument is rather the content of a file, and is read like a result.
"""

_PATH_KEYS = re.compile(r"(?i)(?:^|_)(?:path|file|filename|file_?path|dir|directory|folder|cwd)s?$")
_MAY_BE_SECRET = frozenset({"id", "address"})
_NAME = re.compile(r"[\w.:-]{1,60}")
_MOST_TOOLS = 4


class Fact(NamedTuple):
    """One fact: its kind, and its text as it stands in the ledger."""

    kind: Kind
    text: str


class _Ledger:
    """The facts that were found, newest first, by kind and by rank (:data:`_SAID` and so on).

    *tools* are the names of the tools that had a path in their arguments. *read* keeps the facts of words that were
    read before.
    """

    def __init__(self) -> None:
        self.found: dict[Kind, tuple[dict[str, str], ...]] = {kind: ({}, {}, {}) for kind in KINDS}
        self.tools: dict[str, dict[str, None]] = {}
        self.read: dict[str, list[tuple[Kind, str]]] = {}

    def add(self, kind: Kind, text: str, place: int, alike: str = "") -> None:
        """Add a fact.

        Of the facts with the same text *alike*, only the first one is kept. An id or address that is a credential as a
        whole is left out. A credential within it is masked.
        """
        facts = self.found[kind][place]
        if len(facts) < MOST and (alike or text) not in facts:
            shown = blank_secrets(text) if kind in _MAY_BE_SECRET else text
            if shown != MASK:
                facts[alike or text] = shown

    def note_tool(self, path: str, tool: str) -> None:
        """Add the name of a tool that had *path* in its arguments. The calls are read newest first."""
        if _NAME.fullmatch(tool) and (path in self.tools or len(self.tools) < MOST):
            self.tools.setdefault(path, {})[tool] = None

    def facts_of(self, kind: Kind) -> list[Fact]:
        """Return the facts of one kind, the most important first."""
        said, seen, listed = self.found[kind]
        facts = listed | seen | said
        texts = dict.fromkeys(facts[alike] for alike in (*said, *seen, *listed))
        return [Fact(kind, self._shown(text) if kind == "path" else text) for text in texts][:MOST]

    def _shown(self, path: str) -> str:
        tools = list(self.tools.get(path, ()))[:_MOST_TOOLS]
        return f"{path} ({', '.join(reversed(tools))})" if tools else path


def find_facts(messages: Messages) -> dict[Kind, list[Fact]]:
    """Return the facts in *messages*, by kind and in the order in which they are kept where room is short.

    System messages are not read, since they are sent anyway. The work is in proportion to the texts. At most
    :data:`MOST` facts of each kind are returned. Never raises for JSON values of any shape.
    """
    ledger = _Ledger()
    for message in reversed(messages):
        if message.get("role") not in SYSTEM_ROLES:
            _read_message(message, ledger)
    for command in find_failed_commands(answered_calls(messages)):
        ledger.add("command", command, _SAID)
    return {kind: ledger.facts_of(kind) for kind in KINDS}


def _read_message(message: Message, ledger: _Ledger) -> None:
    is_result = message.get("role") in RESULT_ROLES
    text = text_of(message)
    _read_text(text, ledger, is_result=is_result)
    for call in calls_of(message):
        for key, value in strings_in(call.arguments):
            _read_argument(call.name, key, plain_text(value), ledger)


def _read_argument(tool: str, key: str, value: str, ledger: _Ledger) -> None:
    """Read one string of a call's arguments.

    The paths in a short string are noted as those on which the tool was used.
    """
    if len(value) > _SHORT:
        _read_text(value, ledger, is_result=True)
        return
    paths = [text for kind, text in _read_text(value, ledger, is_result=False) if kind == "path"]
    if _PATH_KEYS.search(key) and value.strip() == value and 0 < len(value) <= LONGEST and "\n" not in value:
        if value not in paths:
            paths = [value]
        ledger.add("path", value, _SAID)
    for path in paths:
        ledger.note_tool(path, tool)


def _read_text(text: str, ledger: _Ledger, *, is_result: bool) -> Iterable[tuple[Kind, str]]:
    """Add the facts in one text to *ledger*, and return the facts in its words and URLs."""
    counts = dict.fromkeys(KINDS, 0)
    urls, rest = find_urls(text)
    found: list[tuple[Kind, str]] = [("address", url) for url in urls]
    for word in find_words(rest):
        facts = ledger.read.get(word)
        if facts is None:
            facts = ledger.read[word] = read_word(word)
        found += facts
    for kind, fact in found:
        counts[kind] += 1
        ledger.add(kind, fact, _place(is_result, counts[kind]))
    for line in find_lines(text):
        counts["error"] += 1
        ledger.add("error", line, _place(is_result, counts["error"]), _without_numbers(line))
    return found


def _place(is_result: bool, count: int) -> int:
    return _SAID if not is_result else _SEEN if count <= _FIRST else _LISTED


def _without_numbers(line: str) -> str:
    """Return the line with 0 for long numbers and times. Log lines that differ only in these count as one fact."""
    return re.sub(r"\d{4,}|\d\d:\d\d:\d\d", "0", line)
