"""Choose new names for the illegal names of a request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from sanitizers.name_rules import NameRule
from sanitizers.tool_names.spelling import spell_legal


def choose_names(names: Iterable[str], rule: NameRule) -> Mapping[str, str]:
    """Return a legal new name for each of *names* that *rule* forbids, different from all other *names*.

    A new name depends on the old one alone, never on the order of the names. It depends on other names only where its
    first spelling is the name of another tool, which no honest client's is.
    """
    given = set(names)
    illegal = sorted([name for name in given if not _is_legal(name, rule)])
    chosen: dict[str, str] = {}
    for name in illegal:
        attempt = 0
        while (new := spell_legal(name, attempt)) in given:
            attempt += 1
        given.add(new)
        chosen[name] = new
    return chosen


def _is_legal(name: str, rule: NameRule) -> bool:
    return len(name) <= rule.max_length and _fits(name, rule.pattern)


@lru_cache(maxsize=4096)  # of short names only: the length is looked at before
def _fits(name: str, pattern: str) -> bool:
    return re.fullmatch(pattern, name) is not None
