"""The type of a long time in the configuration: seconds, or a text with a unit."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationInfo

from proxy.config.faults import refusal
from proxy.config.values import read_number

_TEXT = re.compile(r"([0-9]{1,9})([smhd])")
_UNITS_S = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_NAMES = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
_LONGEST_S = 86_400 * 365
_MONTH = "1mo"
_SHORTEST_PERIOD_S, _LONGEST_PERIOD_S = 30, 86_400 * 30


def read_duration(value: Any, info: ValidationInfo) -> Any:
    """Return the seconds that *value* holds where it is a text such as ``7d``, a number, or a reference to a variable.

    Any other value is returned unchanged, for the field to judge.
    """
    found = read_number(value, info)
    if not isinstance(found, str):
        return found
    parts = _TEXT.fullmatch(found)
    if parts is None:
        raise refusal("must be seconds, or a number with a unit: 90s, 30m, 12h or 7d")
    return float(parts[1]) * _UNITS_S[parts[2]]


def read_period(value: Any) -> str:
    """Return *value*, a period of spend, where it is ``1mo`` or a time from ``30s`` to ``30d`` with its unit.

    Raises :class:`PydanticCustomError` for anything else.
    """
    parts = _TEXT.fullmatch(value) if isinstance(value, str) else None
    if value == _MONTH:
        return _MONTH
    if parts is None or not _SHORTEST_PERIOD_S <= period_seconds(parts[0]) <= _LONGEST_PERIOD_S:
        raise refusal("must be a time from 30s to 30d with its unit (s, m, h or d), or 1mo")
    return parts[0]


def period_seconds(text: str) -> int:
    """Return the seconds of *text*, a whole number with a unit: ``90s``, ``30m``, ``12h``, ``7d``."""
    return int(text[:-1]) * _UNITS_S[text[-1]]


def duration_text(seconds: float) -> str:
    """Return *seconds* in the largest unit that gives a whole number: ``14 days``, ``1 hour``, ``30 s``."""
    for unit, name in _NAMES:
        count, rest = divmod(seconds, unit)
        if count and not rest:
            return f"{count:g} {name}{'s' * (count != 1)}"
    return f"{seconds:g} s"


Duration = Annotated[
    float, Field(strict=True, ge=60, le=_LONGEST_S, allow_inf_nan=False), BeforeValidator(read_duration)
]
"""A time of at least a minute and at most a year, in seconds or as a text such as ``7d``, ``12h``, ``30m``, ``90s``."""
