"""The parts of an answer as a client reads them, streamed or whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Call:
    """One tool call. *pieces* is the number of pieces that the stream held of this call."""

    id: str = ""
    name: str = ""
    arguments: str = ""
    signature: str | None = None
    pieces: int = 0


@dataclass(slots=True)
class Choice:
    """One choice, with its texts and calls joined as a client joins them."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    calls: list[Call] = field(default_factory=list)
    legacy_call: bool = False
    signature: str | None = None
    finish: str | None = None


@dataclass(slots=True)
class Said:
    """The whole answer. *error* is the content of the error event that ended the stream."""

    choices: dict[int, Choice] = field(default_factory=dict)
    usage: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgement: the violations, none if the contract is kept, and the answer as a client reads it."""

    violations: list[str]
    said: Said
