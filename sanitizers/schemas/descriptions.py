"""Write what a schema cannot express into its description, as JSON of bounded length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from sanitizers.schemas.references import References

MAX_WORDS = 1_500
"""The most characters that may be added to a description."""

_MAX_SPELLED = 200
"""The most values of a schema that are written out. The JSON of more values usually exceeds :data:`MAX_WORDS`."""

_WIDEST = 400
"""The most names of one object that are written. This many names always exceed :data:`MAX_WORDS` as JSON."""


def described(own: Any, words: Iterable[str]) -> str:
    """Return the description *own* followed by *words*, which are cut off after :data:`MAX_WORDS` characters."""
    told = " ".join(dict.fromkeys(word for word in words if word))
    if len(told) > MAX_WORDS:
        told = told[: MAX_WORDS - 1] + "…"
    return " ".join(text for text in (own if isinstance(own, str) else "", told) if text)


def spell_out(value: Any, references: References, count: Callable[[int], None]) -> Any:
    """Return *value* with its references replaced with their targets, since descriptions have no definitions.

    Recursive references stay. Values beyond the first :data:`_MAX_SPELLED` are left out. *count* is called with the
    amount of work.
    """
    seen = 0

    def spelled(node: Any, open_: frozenset[int]) -> Any:
        nonlocal seen
        seen += 1
        if seen > _MAX_SPELLED:
            return "…"
        if isinstance(node, list):
            return [spelled(each, open_) for each in node[:_MAX_SPELLED]]
        if not isinstance(node, Mapping):
            return node
        reference = node.get("$ref")
        target = references.find(reference) if isinstance(reference, str) else None
        if target is None or id(target) in open_:
            return {name: spelled(each, open_) for name, each in islice(node.items(), _WIDEST)}
        beside = {
            name: spelled(each, open_) for name, each in islice(node.items(), _WIDEST) if name != "$ref"
        }
        found = spelled(target, open_ | {id(target)})
        return {**found, **beside} if isinstance(found, Mapping) else found

    out = spelled(value, frozenset())
    count(1 + seen // 8)
    return out
