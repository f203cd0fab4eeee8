"""The values that the rewrite of one schema passes on.

A :class:`RewriteContext` holds the notes, the references and the work limit of one rewrite. A :class:`Flat` is a
flattened schema before it is written, and a :class:`Draft` is a schema while it is written. A flat and a draft each
have a :class:`Location` in the given schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sanitizers.schemas.descriptions import spell_out
from sanitizers.schemas.dialects import Dialect
from sanitizers.schemas.keywords import is_annotation
from sanitizers.schemas.notes import Note, Schema
from sanitizers.schemas.references import References
from sanitizers.schemas.size import MAX_SCHEMAS, VALUES_A_SCHEMA, too_large
from sanitizers.schemas.values import as_json
from sanitizers.work_limit import spend


@dataclass(frozen=True, slots=True)
class Location:
    """A location in a schema. *open* holds the ``id()`` of each reference target around the location."""

    path: str = ""
    open: frozenset[int] = frozenset()
    depth: int = 0
    level: int = 0
    """The number of objects and arrays around the location."""

    joined: int = 0
    """The number of nested references and ``allOf`` members that led to this schema."""

    in_description: bool = False
    """True where the schema goes into a description, for which the dialect's limit of levels does not hold."""

    expand_references: bool = False
    """True where every reference is replaced with its target, since the rewrite reads the target here."""

    def into(self, *keys: str | int, level: int = 0) -> Location:
        """Return the location below *keys*. *level* is 1 where *keys* lead into an object or an array."""
        path = self.path
        for key in keys:
            path = f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"
        return Location(path, self.open, self.depth + 1, self.level + level, 0, self.in_description)


@dataclass(slots=True)
class RewriteContext:
    """The rewrite of one schema for *dialect*. *place* is the schema's name in an error."""

    root: Mapping[str, Any]
    dialect: Dialect
    place: str
    references: References = field(init=False)
    notes: list[Note] = field(default_factory=list)
    left: int = MAX_SCHEMAS
    values: int = 0
    """Values that were read and are not counted yet: :data:`VALUES_A_SCHEMA` of them count as one schema."""

    def __post_init__(self) -> None:
        self.references = References(self.root, self.count_values)

    @property
    def top(self) -> Location:
        """The location of the outermost schema."""
        return Location(open=frozenset({id(self.root)}), expand_references=True)

    def count(self, much: int = 1) -> None:
        """Count *much* units of work. Raises :class:`sanitizers.errors.Unrepairable` where the limit is exceeded."""
        spend(much)
        self.left -= much
        if self.left < 0:
            raise too_large(self.place)

    def count_values(self, much: int) -> None:
        """Count values that were read, :data:`VALUES_A_SCHEMA` as one schema. Raises as :meth:`count` does."""
        self.values += much
        if self.values >= VALUES_A_SCHEMA:
            schemas, self.values = divmod(self.values, VALUES_A_SCHEMA)
            self.count(schemas)

    def note(self, reason: str, location: Location, *keys: str, kept: bool = True) -> None:
        """Note a rewrite at *location*, or at *keys* below it."""
        self.notes.append(Note(reason, (location.into(*keys) if keys else location).path, kept))

    def spell_out_json(self, value: Any) -> str:
        """Return the JSON of *value* with its references resolved."""
        return as_json(self.spell_out(value))

    def spell_out(self, value: Any) -> Any:
        """Return *value* with its references resolved (:func:`sanitizers.schemas.descriptions.spell_out`)."""
        return spell_out(value, self.references, self.count)


@dataclass(frozen=True, slots=True)
class Flat:
    """A flattened schema.

    *nothing* is true where no value matches. *reference* is a reference that is not resolved. *words* go into the
    description.
    """

    schema: Schema
    location: Location
    words: tuple[str, ...] = ()
    nothing: bool = False
    reference: str | None = None

    def without(self, keyword: str) -> Flat:
        """Return the schema without *keyword*."""
        schema = {name: value for name, value in self.schema.items() if name != keyword}
        return Flat(schema, self.location, self.words)

    def split(self) -> tuple[Flat, Flat]:
        """Return the constraints, and the annotations together with *words*."""
        said: Schema = {}
        constraints: Schema = {}
        for name, value in self.schema.items():
            (said if is_annotation(name) else constraints)[name] = value
        return Flat(constraints, self.location), Flat(said, self.location, self.words)

    @property
    def types(self) -> list[str] | None:
        """The types that the schema names, with null among them, or None where it names none."""
        return self.schema.get("type")


Clean = Callable[[Any, Location], Schema | None]
"""Cleans the schema at a location. None means that no value matches it."""


@dataclass(slots=True)
class Draft:
    """The draft of *flat*, a schema of the types *kinds*. *clean* cleans the schemas inside *flat*."""

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
