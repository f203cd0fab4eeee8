"""Reads the names in a PromQL expression: metrics, label values, and the labels that the expression groups by.

This is not a parser. It reads valid expressions only. ``promtool`` tells whether an expression is valid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"'
    r"|\[[^\]]*\]"
    r"|[0-9][0-9a-zA-Z_.]*"
    r"|[a-zA-Z_:][a-zA-Z0-9_:]*"
    r"|=~|!~|!=|[^\s]"
)
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_GROUPING = frozenset({"by", "without", "on", "ignoring", "group_left", "group_right"})
_WORDS = frozenset({"and", "or", "unless", "bool", "offset", "inf", "nan"})
_OPERATORS = frozenset({"=", "!=", "=~", "!~"})


@dataclass(frozen=True, slots=True)
class Matcher:
    """One condition of a selector."""

    label: str
    operator: str
    value: str

    @property
    def alternatives(self) -> list[str]:
        """The values that the condition names. Each branch of a regular expression is one value."""
        return self.value.split("|") if self.operator in ("=~", "!~") else [self.value]

    def fits(self, alternative: str, value: str) -> bool:
        """Tell whether *alternative*, one of the values that the condition names, matches *value*."""
        if self.operator in ("=~", "!~"):
            return re.fullmatch(alternative, value) is not None
        return alternative == value


@dataclass(frozen=True, slots=True)
class Selector:
    """A metric, and the conditions on its labels."""

    metric: str
    matchers: tuple[Matcher, ...]


def read_selectors(expression: str) -> list[Selector]:
    """Return the selectors of an expression, from left to right."""
    tokens = _TOKEN.findall(expression)
    found = []
    at = 0
    while at < len(tokens):
        token, following = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else ""
        at += 1
        if token in _GROUPING and following == "(":
            at = tokens.index(")", at) + 1
        elif _NAME.fullmatch(token) and token not in _WORDS | _GROUPING:
            if following == "{":
                end = tokens.index("}", at)
                found.append(Selector(token, tuple(_matchers(tokens[at + 1 : end]))))
                at = end + 1
            elif following != "(" and following not in _GROUPING:
                found.append(Selector(token, ()))
    return found


def read_grouping(expression: str) -> set[str]:
    """Return the labels that an expression groups or joins by."""
    tokens = _TOKEN.findall(expression)
    labels: set[str] = set()
    for at, token in enumerate(tokens[:-1]):
        if token in _GROUPING and tokens[at + 1] == "(":
            labels.update(name for name in tokens[at + 2 : tokens.index(")", at)] if name != ",")
    return labels


def _matchers(tokens: list[str]) -> Iterator[Matcher]:
    for at, token in enumerate(tokens):
        if token in _OPERATORS:
            yield Matcher(tokens[at - 1], token, tokens[at + 1][1:-1].replace("\\\\", "\\"))
