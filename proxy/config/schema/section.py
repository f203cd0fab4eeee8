"""The base of every section: frozen, closed, and without values in its errors.

A key that a section does not have is refused, except in ``model_info``. Every documented key is accepted by the parser.
A value that is not implemented is refused with a text that names a value to use instead. The texts of pydantic's own
errors never hold the input, which may be a secret.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator, model_validator

from proxy.config.faults import refusal


class NotBuilt(NamedTuple):
    """The values of a key that are not implemented, a name for them, and the value to use instead."""

    refuses: Callable[[object], bool]
    subject: str
    instead: str


NOT_BUILT: Mapping[str, NotBuilt] = {
    "compaction.enabled": NotBuilt(bool, "compaction", "false"),
}
"""The settings that this version does not implement: the refused values by key, with ``[]`` for any position of a list.

Whoever implements a value deletes its row and its test case."""


class Section(BaseModel):
    """A part of the configuration. *where* is its path in the file, with ``[]`` for any position of a list."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    where: ClassVar[str] = ""

    never_nothing: ClassVar[frozenset[str]] = frozenset()
    """Optional keys that must have a value where they are written."""

    @model_validator(mode="before")
    @classmethod
    def _leave_out_what_is_nothing(cls, data: Any) -> Any:
        """Leave out keys without a value, as in ``keys:``, so that they have their defaults."""
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if not cls.is_left_out(name, value)}

    @classmethod
    def is_left_out(cls, name: object, value: object) -> bool:
        """Return True where *value* of the key *name* counts as none. A required key is never left out."""
        field = cls.model_fields.get(name) if isinstance(name, str) else None
        return (
            value is None and field is not None and not field.is_required() and name not in cls.never_nothing
        )

    @field_validator("*", mode="after")
    @classmethod
    def _refuse_what_is_not_built(cls, value: Any, info: ValidationInfo) -> Any:
        row = NOT_BUILT.get(f"{cls.where}.{info.field_name}")
        if row is None or not row.refuses(value):
            return value
        raise refusal(f"{row.subject} is not built in this version; remove the key or use {row.instead}")
