"""Amounts of money. They are counted in nano-dollars, since a float would drift over many small amounts."""

from __future__ import annotations

NANO_A_DOLLAR = 10**9


def write_dollars(nano: int) -> str:
    """Return *nano*, an amount in 10⁻⁹ dollars, as an exact decimal text in dollars: ``0.004213``."""
    sign, nano = ("-", -nano) if nano < 0 else ("", nano)
    dollars, rest = nano // NANO_A_DOLLAR, nano % NANO_A_DOLLAR
    return f"{sign}{dollars}.{rest:09}".rstrip("0") if rest else f"{sign}{dollars}.0"
