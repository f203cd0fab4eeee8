"""Prints the violations that a driver has found."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 20


def print_violations(violations: Sequence[str]) -> int:
    """Print the number of *violations* and the first twenty of them. Return the number."""
    print(f"\n{len(violations)} violations")
    for violation in violations[:_SHOWN]:
        print(f"- {violation}")
    return len(violations)
