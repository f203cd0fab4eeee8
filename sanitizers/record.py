"""A decorator for values that are made in every request: frozen for the type checker, not at run time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """Make *cls* a dataclass with slots, which only the type checker treats as frozen.

    Making a dataclass that is frozen at run time takes 0.2 µs per field, ten times as long as making an unfrozen one. A
    request makes a dozen such values with a hundred fields. Values that are hashed, or kept for longer than a request,
    stay frozen.
    """
    return dataclass(slots=True)(cls)
