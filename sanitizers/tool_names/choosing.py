"""Choose new names for the illegal names of a request."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from sanitizers.name_rules import NameRule

_LONGEST = 64
_DIGITS = 8
_OTHERS = re.compile(r"[^A-Za-z0-9_-]+")


def choose_names(names: Iterable[str], rule: NameRule) -> Mapping[str, str]:
    """Return a legal new name for each of *names* that *rule* forbids, different from all other *names*.

    A new name is derived from the old name, never from the order of the names. Other names matter only where the first
    new spelling is already the name of another tool, which only a hostile client causes.
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


def spell_legal(name: str, attempt: int = 0) -> str:
    """Return *name* in letters, digits, ``_`` and ``-``, shortened, followed by a digest of the whole name.

    The result depends on *name* alone. So a tool has one name in all requests and at all providers, and cached prefixes
    stay valid. The digest separates ``a.b`` from ``a/b``, and both from a tool that is really called ``a_b``. A further
    *attempt* gives another digest. A name without a Latin letter or digit becomes ``tool``.

    The form is the common part of the rules of Gemini, OpenAI, Anthropic, Mistral and Bedrock.
    """
    seed = f"{attempt}:{name}" if attempt else name
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    stem = _OTHERS.sub("_", name[: 2 * _LONGEST]).strip("_-") or "tool"
    if stem[0].isdigit():
        stem = f"_{stem}"
    return f"{stem[: _LONGEST - _DIGITS - 1]}_{digest}"
