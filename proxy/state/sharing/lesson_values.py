"""The stored forms of lessons: a token factor, a context window, and the fact that streams lack usage.

Each value is a JSON object with a version. A stored value is not trusted. A value with a wrong type, or with a number
that no deployment can have, reads as None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import orjson

from proxy.state.lessons import LEAST_WINDOW, Learned
from sanitizers.budget.calibration import LEAST, MOST

_MOST_WINDOW = 2**30
MOST_GENERATION = 2**53
_MOST_BYTES = 256
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Factor:
    """The factor by which all processes plan the cuts of one tenant's requests to one deployment."""

    generation: int
    """The number of changes so far. It makes two values with the same factor differ."""

    sticky: float
    own: bool
    """True where the factor was learned from the tenant's own requests."""

    observed: bool
    """True where an answer was observed. A smaller margin is then kept free."""


@dataclass(frozen=True, slots=True)
class Window:
    """A learned context window. With *inside_text* it counts for one tenant alone."""

    learned: Learned
    inside_text: bool = False


NO_USAGE = orjson.dumps({"v": _VERSION, "reports_usage": False})
"""The value for a deployment whose server does not know the parameter that asks for a stream's usage."""


def write_factor(factor: Factor) -> bytes:
    """Return the bytes to store. Equal factors give equal bytes."""
    return orjson.dumps(
        {
            "v": _VERSION,
            "generation": factor.generation,
            "sticky": factor.sticky,
            "own": factor.own,
            "observed": factor.observed,
        }
    )


def read_factor(value: bytes) -> Factor | None:
    """Return the factor in *value*, or None."""
    fields = _read(value)
    generation, sticky = _whole(fields.get("generation"), 1, MOST_GENERATION), fields.get("sticky")
    own, observed = fields.get("own"), fields.get("observed")
    if generation is None or not isinstance(sticky, int | float):
        return None
    if not isinstance(own, bool) or not isinstance(observed, bool) or isinstance(sticky, bool):
        return None
    if not math.isfinite(sticky) or not LEAST <= sticky <= MOST:
        return None
    return Factor(generation, float(sticky), own, observed)


def write_window(window: Window) -> bytes:
    """Return the bytes to store. Equal windows give equal bytes."""
    learned = window.learned
    return orjson.dumps(
        {
            "v": _VERSION,
            "window": learned.window,
            "guessed": learned.guessed,
            "inside_text": window.inside_text,
        }
    )


def read_window(value: bytes) -> Window | None:
    """Return the window in *value*, or None."""
    fields = _read(value)
    window = _whole(fields.get("window"), LEAST_WINDOW, _MOST_WINDOW)
    guessed, inside_text = fields.get("guessed"), fields.get("inside_text")
    if window is None or not isinstance(guessed, bool) or not isinstance(inside_text, bool):
        return None
    return Window(Learned(window, guessed), inside_text)


def says_no_usage(value: bytes) -> bool:
    """Return True where *value* says that streams lack usage."""
    return _read(value).get("reports_usage") is False


def is_of_other_version(value: bytes) -> bool:
    """Return True where another version of turnright wrote *value*.

    Such a value is not read, and such a factor is not replaced either.
    """
    version = _fields(value).get("v")
    return type(version) is int and version != _VERSION


def _read(value: bytes) -> dict[str, Any]:
    fields = _fields(value)
    version = fields.get("v")
    return fields if type(version) is int and version == _VERSION else {}


def _fields(value: bytes) -> dict[str, Any]:
    if len(value) > _MOST_BYTES:
        return {}
    try:
        fields = orjson.loads(value)
    except orjson.JSONDecodeError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _whole(value: object, least: int, most: int) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if least <= value <= most else None
