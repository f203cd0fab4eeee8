"""Judge figures by their goals, and render them as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.attack.goals import ROWS, Row

_NOISE = 5.0
"""A miss by more than this factor is not noise, and is not measured again."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The figure of one case.

    *row* says what is measured, and the goal (:mod:`benchmarks.attack.goals`). *value* is None for a case that was not
    measured.
    """

    row: Row
    case: str
    value: float | None
    note: str = ""
    ended: bool = True
    """False where the attack was aborted, so that *value* is a lower bound."""

    @property
    def met(self) -> bool:
        """True where the goal is met. A case that was not measured misses its goal."""
        return self.value is not None and self.value <= self.row.goal


def better_of_two(measure: Callable[[], Figure]) -> Figure:
    """Return the figure of *measure*. A near miss is measured once more, and the better figure counts."""
    first = measure()
    if first.met or first.value is None or not first.ended or first.value > _NOISE * first.row.goal:
        return first
    second = measure()
    if second.value is None or second.value >= first.value:
        return first
    return second


def worst(figures: Iterable[Figure]) -> Figure | None:
    """Return the largest measured figure, or None where nothing was measured."""
    measured = ((figure.value, figure) for figure in figures if figure.value is not None)
    return max(measured, key=lambda one: one[0], default=(0.0, None))[1]


def by_row(figures: Sequence[Figure]) -> Mapping[Row, Sequence[Figure]]:
    """Return the figures of each row that has any, in the table's order."""
    found = {row: [figure for figure in figures if figure.row is row] for row in ROWS}
    return {row: cases for row, cases in found.items() if cases}


def missed(figures: Iterable[Figure]) -> list[Figure]:
    """Return the figures that miss their goals."""
    return [figure for figure in figures if not figure.met]


def render_rows(figures: Sequence[Figure]) -> str:
    """Return a Markdown table with a line for each row: the goal, the worst figure and the number of met cases."""
    lines = ["| what | goal | worst | in | cases met | |", "|---|---|---|---|---|---|"]
    for row, cases in by_row(figures).items():
        good, unmeasured = sum(one.met for one in cases), sum(one.value is None for one in cases)
        bad = worst(cases)
        told = f"{_number(bad.value, row)} | {bad.case}" if bad else "not measured | "
        left = f", {unmeasured} not measured" if unmeasured else ""
        lines.append(
            f"| {row.title} | ≤ {_number(row.goal, row)} | {told} | {good} of {len(cases)}{left} | "
            f"{_verdict(good == len(cases))} |"
        )
    return "\n".join(lines)


def render_cases(figures: Sequence[Figure]) -> str:
    """Return a Markdown table with a line for each case.

    Unmeasured cases of a row share one line if they have the same note.
    """
    lines = ["| what | case | figure | | |", "|---|---|---|---|---|"]
    for row, cases in by_row(figures).items():
        lines += [
            f"| {row.title} | {one.case} | {_number(one.value, row)} | {_verdict(one.met)} | {one.note} |"
            for one in cases
            if one.value is not None
        ]
        for note, count in Counter(one.note for one in cases if one.value is None).items():
            lines.append(f"| {row.title} | {count} more | not measured | {_verdict(False)} | {note} |")
    return "\n".join(lines)


def _verdict(met: bool) -> str:
    return "met" if met else "**missed**"


def _number(value: float | None, row: Row) -> str:
    if value is None:
        return "not measured"
    digits = row.digits if value != int(value) else 0
    return f"{value:,.{digits}f} {row.unit}"
