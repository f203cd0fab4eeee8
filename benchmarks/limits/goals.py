"""Goals, and the figures that meet or miss them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure. The goal is met from *least* to *most*, both included."""

    name: str
    value: float
    least: float
    most: float
    unit: str = ""
    note: str = ""

    @property
    def met(self) -> bool:
        """True where the goal is met."""
        return self.least <= self.value <= self.most

    @property
    def goal(self) -> str:
        """The goal in words."""
        if self.least == self.most:
            return f"{_number(self.least)}{self.unit}"
        if self.least == float("-inf"):
            return f"≤ {_number(self.most)}{self.unit}"
        if self.most == float("inf"):
            return f"≥ {_number(self.least)}{self.unit}"
        return f"{_number(self.least)} to {_number(self.most)}{self.unit}"


def exactly(name: str, value: float, wanted: float, unit: str = "", note: str = "") -> Figure:
    """Return a figure that has to be *wanted*."""
    return Figure(name, value, wanted, wanted, unit, note)


def within(name: str, value: float, wanted: float, share: float, unit: str = "") -> Figure:
    """Return a figure that may differ from *wanted* by *share* of it."""
    return Figure(name, value, wanted * (1 - share), wanted * (1 + share), unit)


def between(name: str, value: float, least: float, most: float, unit: str = "") -> Figure:
    """Return a figure that has to be from *least* to *most*."""
    return Figure(name, value, least, most, unit)


def at_most(name: str, value: float, most: float, unit: str = "", note: str = "") -> Figure:
    """Return a figure that has to be *most* or less."""
    return Figure(name, value, float("-inf"), most, unit, note)


def at_least(name: str, value: float, least: float, unit: str = "", note: str = "") -> Figure:
    """Return a figure that has to be *least* or more."""
    return Figure(name, value, least, float("inf"), unit, note)


def render(figures: Sequence[Figure]) -> str:
    """Return a Markdown table: goal, figure, met or missed."""
    lines = ["| what | goal | figure | | |", "|---|---|---|---|---|"]
    for one in figures:
        verdict = "met" if one.met else "**missed**"
        lines.append(f"| {one.name} | {one.goal} | {_number(one.value)}{one.unit} | {verdict} | {one.note} |")
    return "\n".join(lines)


def missed(figures: Sequence[Figure]) -> list[Figure]:
    """Return the figures that miss their goals."""
    return [one for one in figures if not one.met]


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
