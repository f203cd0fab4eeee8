"""The faults of a configuration as data: a path in the file and a text.

A fault names its path as an operator writes it (``model_list[0].litellm_params.model``). A fault is one line. It
holds no value but a listed credential's name, since any value may be a secret in the wrong place. All faults of a
configuration are reported together, so that one edit can mend the file.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pydantic_core import PydanticCustomError
from typing_extensions import override

Location = tuple[int | str, ...]
"""The path of a value in the parsed file: mapping keys and list positions, outermost first."""

REFUSAL = "turnright_refusal"
"""The pydantic error type of turnright's own validators. The error's context holds the fault's text."""

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_*:/@.-]{1,80}")


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. *path* is empty where the fault is about the whole file. *line* is its line in the file, from 1."""

    path: str
    text: str
    line: int | None = field(default=None, compare=False)

    @override
    def __str__(self) -> str:
        return f"{self.path}: {self.text}" if self.path else self.text


class ConfigurationError(Exception):
    """The configuration cannot be used. *faults* holds every reason.

    *warnings* are the warnings that were found before the faults, each with its line in the file.
    """

    def __init__(self, faults: Iterable[Fault], warnings: Iterable[tuple[str, int | None]] = ()):
        self.faults: tuple[Fault, ...] = tuple(faults)
        self.warnings: tuple[tuple[str, int | None], ...] = tuple(warnings)
        super().__init__("; ".join(str(fault) for fault in self.faults))


def path_of(location: Sequence[object]) -> str:
    """Return *location* as an operator writes it: ``("model_list", 0, "model_name")`` is ``model_list[0].model_name``.

    Keys that are long or have unusual characters are quoted and cut at 80 characters, so that a path stays on one line.
    """
    path = ""
    for part in location:
        if isinstance(part, int) and not isinstance(part, bool):
            path += f"[{part}]"
        else:
            path += f".{_key(part)}" if path else _key(part)
    return path


def refusal(text: str) -> PydanticCustomError:
    """Return the error with which a validator refuses a value. *text* must not hold the value."""
    return PydanticCustomError(REFUSAL, "{text}", {"text": text})


def unknown_key(key: str, known: Iterable[str]) -> str:
    """Return the text for an unknown key. The text suggests the most similar of the *known* keys, if any is similar."""
    near = difflib.get_close_matches(key[:80], sorted(known), n=1)
    return f"is not a key of turnright; did you mean {near[0]}?" if near else "is not a key of turnright"


def _key(part: object) -> str:
    text = str(part) if isinstance(part, str | int | float | bool) or part is None else type(part).__name__
    return text if _PLAIN_KEY.fullmatch(text) else json.dumps(text[:80])
