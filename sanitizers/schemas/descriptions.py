"""What a schema cannot say, in its description: short, as the JSON that it was, and never without end. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from sanitizers.schemas.references import References

MOST_WORDS = 1_500
"""Characters that a description gets beside its own."""

_MOST_SPELLED = 200
"""Values that words are made of: more would not find room."""

_WIDEST = 400
"""Names of one object: as JSON, so many are more than :data:`MOST_WORDS`, whatever they are."""


def described(own: Any, words: Iterable[str]) -> str:
    """Return the description *own* with *words* behind it, as far as there is room for them."""
    told = " ".join(dict.fromkeys(word for word in words if word))
    if len(told) > MOST_WORDS:
        told = told[: MOST_WORDS - 1] + "…"
    return " ".join(text for text in (own if isinstance(own, str) else "", told) if text)


def spell_out(value: Any, references: References, count: Callable[[int], None]) -> Any:
    """Return *value* with what its references refer to in their place: words have no definitions beside them.

    References that lead back stay. What is beyond the first values is left out. *count* is told how much there was.
    """
    seen = 0

    def spelled(node: Any, open_: frozenset[int]) -> Any:
        nonlocal seen
        seen += 1
        if seen > _MOST_SPELLED:
            return "…"
        if isinstance(node, list):
            return [spelled(each, open_) for each in node[:_MOST_SPELLED]]
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
