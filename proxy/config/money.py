"""Amounts of dollars in the configuration, as exact decimals."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationInfo

from proxy.config.faults import refusal
from proxy.config.references import from_environment

_NANO = 10**9
_MOST_DIGITS = 9
"""Digits behind the point: spend is counted in billionths of a dollar."""

_MOST_DOLLARS = 9_000_000
"""The most dollars of an account. A server's scripts count in doubles, which hold 2**53 billionths exactly."""

_LONGEST = 40
_MOST_BITS = 128


def read_decimal(value: Any, info: ValidationInfo) -> Decimal:
    """Return the number *value* as it was written, or as the variable that it refers to holds it.

    A float becomes the shortest text that stands for it. That is the text of the file for up to 15 digits.
    """
    found = from_environment(value, info)
    number = found if isinstance(found, Decimal) else decimal_of(found)
    if number is None:
        raise refusal("must be a number")
    return number


def decimal_of(value: object) -> Decimal | None:
    """Return the number *value*, or the number that a text holds, as it was written. None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if (
        isinstance(value, int) and value.bit_length() > _MOST_BITS
    ):  # Python refuses to write thousands of digits
        return None
    text = str(value).strip()
    try:
        number = Decimal(text) if len(text) <= _LONGEST else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None


def nano_dollars(dollars: Decimal) -> int:
    """Return *dollars* in billionths of a dollar. An amount with more digits is cut."""
    return int(dollars * _NANO)


def _dollars(value: Any, info: ValidationInfo) -> Decimal:
    number = read_decimal(value, info)
    if not 0 < number <= _MOST_DOLLARS:
        raise refusal(f"must be above 0 and at most {_MOST_DOLLARS} dollars")
    if nano_dollars(number) != number * _NANO:
        raise refusal(f"must have at most {_MOST_DIGITS} digits behind the point")
    return number


Dollars = Annotated[Decimal, Field(strict=True), BeforeValidator(_dollars)]
"""An amount of dollars, above 0 and at most 9,000,000, to the billionth."""
