"""A schema while it is written: its keywords and its words so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sanitizers.schemas.context import Location, RewriteContext
from sanitizers.schemas.flatten import Flat
from sanitizers.schemas.notes import Schema

Clean = Callable[[Any, Location], Schema | None]


@dataclass(slots=True)
class Draft:
    """The draft of *flat*, a schema of *kinds*. *clean* cleans the schemas inside it."""

    context: RewriteContext
    clean: Clean
    flat: Flat
    kinds: frozenset[str]
    typed: bool
    """True where the schema names its types."""

    out: Schema
    rules: Schema = field(default_factory=dict)
    """Keywords that go into the description, with their values."""

    words: list[str] = field(default_factory=list)

    @property
    def schema(self) -> Schema:
        """The schema that is being written."""
        return self.flat.schema

    @property
    def location(self) -> Location:
        """The location of the schema."""
        return self.flat.location

    def knows(self, keyword: str) -> bool:
        """Tell whether the dialect has *keyword*."""
        return keyword in self.context.dialect.keywords

    def note(self, reason: str, *keys: str, kept: bool = True) -> None:
        """Note a rewrite, at *keys* in this schema."""
        self.context.note(reason, self.location, *keys, kept=kept)
