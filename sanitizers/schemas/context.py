"""What the rewriting of one schema shares: its notes, its references, how much there is left to do, and the place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sanitizers.schemas.compact_json import as_json
from sanitizers.schemas.descriptions import spell_out
from sanitizers.schemas.dialects import Dialect
from sanitizers.schemas.notes import Note
from sanitizers.schemas.references import References
from sanitizers.schemas.size import MOST_SCHEMAS, VALUES_A_SCHEMA, too_large
from sanitizers.work_limit import spend


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a schema. *open* are the targets of the references that it stands within, by identity."""

    path: str = ""
    open: frozenset[int] = frozenset()
    depth: int = 0
    level: int = 0
    """Objects and arrays that it stands within."""

    joined: int = 0
    """References and members that it was put together from."""

    told: bool = False
    """It is put into words, so that no level is too deep."""

    whole: bool = False
    """No reference may stay here: what it refers to is looked into."""

    def into(self, *keys: str | int, level: int = 0) -> Location:
        """Return the place below *keys*; *level* is 1 where that is within an object or an array."""
        path = self.path
        for key in keys:
            path = f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"
        return Location(path, self.open, self.depth + 1, self.level + level, 0, self.told)


@dataclass(slots=True)
class RewriteContext:
    """One schema's rewriting for *dialect*; *place* is its name in an error."""

    root: Mapping[str, Any]
    dialect: Dialect
    place: str
    references: References = field(init=False)
    notes: list[Note] = field(default_factory=list)
    left: int = MOST_SCHEMAS
    values: int = 0
    """Values that were looked at since the last schema that was counted for them."""

    def __post_init__(self) -> None:
        self.references = References(self.root, self.count_values)

    @property
    def top(self) -> Location:
        """The place of the outermost schema."""
        return Location(open=frozenset({id(self.root)}), whole=True)

    def count(self, much: int = 1) -> None:
        """Count what was done; raises :class:`sanitizers.errors.Unrepairable` where that is too much."""
        spend(much)
        self.left -= much
        if self.left < 0:
            raise too_large(self.place)

    def count_values(self, much: int) -> None:
        """Count values that were looked at, :data:`VALUES_A_SCHEMA` as one schema; raises as :meth:`count` does."""
        self.values += much
        if self.values >= VALUES_A_SCHEMA:
            schemas, self.values = divmod(self.values, VALUES_A_SCHEMA)
            self.count(schemas)

    def note(self, reason: str, location: Location, *keys: str, kept: bool = True) -> None:
        """Note a rewrite at *location*, or at *keys* there."""
        self.notes.append(Note(reason, (location.into(*keys) if keys else location).path, kept))

    def spell_out_json(self, value: Any) -> str:
        """Return the JSON of *value* spelled out."""
        return as_json(self.spell_out(value))

    def spell_out(self, value: Any) -> Any:
        """See :func:`sanitizers.schemas.descriptions.spell_out`."""
        return spell_out(value, self.references, self.count)
