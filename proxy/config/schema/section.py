"""The base of every section: frozen, closed, and without values in its errors.

A key that a section does not have is refused. A value that is not implemented is refused by the table in
``not_built``. pydantic's own errors never hold the input, which may be a secret.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from proxy.config.faults import refusal
from proxy.config.not_built import not_built_text


class Section(BaseModel):
    """A part of the configuration. *where* is its place, with ``[]`` for any position of a list."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    where: ClassVar[str] = ""

    @field_validator("*", mode="after")
    @classmethod
    def _refuse_what_is_not_built(cls, value: Any, info: ValidationInfo) -> Any:
        text = not_built_text(f"{cls.where}.{info.field_name}", value)
        if text is not None:
            raise refusal(text)
        return value
