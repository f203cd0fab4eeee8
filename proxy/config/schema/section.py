"""The base of every section: frozen, closed, and without values in its errors.

A key that a section does not have is refused, except in ``model_info``. Every documented key is accepted by the parser.
The texts of pydantic's own errors never hold the input, which may be a secret.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator


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
