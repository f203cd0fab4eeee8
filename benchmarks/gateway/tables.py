"""Writes measurements as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Figures = Mapping[str, Mapping[str, float | None]]
"""Maps a row and a column to a figure, or to None where the row has no such figure."""


def least(samples: Sequence[float]) -> float | None:
    """Return the smallest sample, which other work on the machine disturbed least, or None without samples."""
    return min(samples, default=None)


def ratios(figures: Figures, base: str, columns: Sequence[str]) -> dict[str, dict[str, float | None]]:
    """Return each figure as a multiple of the figure that the row *base* has in the same column."""
    out: dict[str, dict[str, float | None]] = {}
    for row, values in figures.items():
        out[row] = {}
        for column in columns:
            value, floor = values.get(column), figures[base].get(column)
            out[row][column] = None if value is None or not floor else value / floor
    return out


def render(figures: Figures, columns: Sequence[str], digits: Mapping[str, int] | int = 0) -> str:
    """Return a Markdown table, with a hyphen for a missing figure."""
    lines = [f"| | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for row, values in figures.items():
        cells = []
        for column in columns:
            value = values.get(column)
            places = digits if isinstance(digits, int) else digits.get(column, 0)
            cells.append("-" if value is None else f"{value:,.{places}f}")
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join(lines)
