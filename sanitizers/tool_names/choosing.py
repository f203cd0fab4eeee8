"""Which names a request holds, and what the illegal ones are called instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from sanitizers.name_rules import NameRule
from sanitizers.tool_names.spelling import spell_legal


def choose_names(names: Iterable[str], rule: NameRule) -> Mapping[str, str]:
    """Return a new name for each of *names* that *rule* forbids: legal, and no other's of *names*.

    A name is spelled by itself alone. Only where its spelling is another tool's name, which takes a client that made
    one up for that, does it depend on the others; never on the order they come in.
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
