"""Finds the lines of faults and warnings in the file, and the paths that the operator wrote.

A file is changed before it is validated: sections are folded, and entries that miss a variable are left out. A place in
the changed file is mapped back, so that every message names what stands in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from proxy.config.faults import Fault, Location, path_of


@dataclass(frozen=True, slots=True)
class Places:
    """The places of a file: their lines, and the origins of those that were moved before validation.

    *lines* holds the line of each path, from 1. *origins* maps places of the changed file to their places in the
    operator's file.
    """

    lines: Mapping[str, int] = field(default_factory=dict)
    origins: Mapping[Location, Location] = field(default_factory=dict)

    def line_of(self, path: str) -> int | None:
        """Return the line of *path*, or that of the nearest parent that has one. None where no parent has a line."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.lines.get(path)

    def written(self, text: str) -> str:
        """Return *text*, which begins with a path in the changed file, with the path that the operator wrote."""
        for place, origin in self.origins.items():
            path = path_of(place)
            if text.startswith(path) and text[len(path) : len(path) + 1] in ("", ".", "[", ":"):
                return path_of(origin) + text[len(path) :]
        return text

    def position_of(self, index: int) -> int:
        """Return the position in the file of the entry of ``model_list`` at *index* of the changed file."""
        position = self.origins.get(("model_list", index), ("model_list", index))[1]
        return position if isinstance(position, int) else index

    def located(self, fault: Fault) -> Fault:
        """Return *fault*, whose path is the operator's, with its line."""
        return replace(fault, line=self.line_of(fault.path))

    def warned(self, warning: str) -> tuple[str, int | None]:
        """Return *warning*, which begins with the operator's path, and its line."""
        return warning, self.line_of(warning.partition(": ")[0])
