"""One case of the corpus: a history, and what must hold when the history reaches a provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Case:
    """One history and what must hold for it."""

    id: str
    source: str
    """The public report, or the provider's words for the rule with their source."""

    rule: str | None
    """The rule of the model *target* that the history breaks, a key of :data:`sanitizers.invariants.RULES`.

    None where the history itself is legal.
    """

    target: str
    """A model for which the rule holds, in LiteLLM's spelling."""

    messages: tuple[dict[str, Any], ...]
    """The history, in OpenAI's chat format."""

    tools: tuple[str, ...]
    """The names of the declared tools."""

    texts: tuple[str, ...]
    """Texts of system, user and model messages that must arrive at the provider."""

    results: tuple[str, ...]
    """Texts of tool results that must arrive at the provider as results of calls."""

    media: int
    """The number of images and files that must arrive at the provider."""


def read_case(entry: Mapping[str, Any]) -> Case:
    """Return the case that *entry* describes, an entry of the corpus's JSON files.

    Raises KeyError where a field is missing, and ValueError where ``must.accepted`` is not true.
    """
    must = entry["must"]
    if must["accepted"] is not True:
        raise ValueError(f"{entry['id']}: 'accepted' must be true, the only outcome that is judged")
    return Case(
        id=entry["id"],
        source=entry["source"],
        rule=entry["rule"],
        target=entry["target"],
        messages=tuple(entry["messages"]),
        tools=tuple(entry.get("tools", ())),
        texts=tuple(must["texts"]),
        results=tuple(must["results"]),
        media=must["media"],
    )
