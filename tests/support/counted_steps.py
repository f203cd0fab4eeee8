"""Counts the steps that Python takes in each file of this project, as a measure of work without a clock.

A step is the call of a function, or a line that is entered. Each iteration of a comprehension counts as a line. A call
into C, such as a search in a list, adds no steps, however long it takes. :class:`ComparedText` counts the comparisons
in C code.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from typing_extensions import override

from proxy.planning import clean_tools as tool_schemas
from sanitizers.schemas import tools

Trace = Callable[[FrameType, str, Any], Any]
"""A trace function (see :func:`sys.settrace`), which returns the trace function for the next event."""

_ROOT = Path(__file__).parents[2]
_COUNTED = tuple(f"{_ROOT / package}/" for package in ("proxy", "sanitizers"))


def count_steps(work: Callable[[], object]) -> Counter[str]:
    """Return the number of steps of *work* by file path within the project. The caches are cleared first."""
    clear_caches()
    counts: dict[str, list[int]] = {}
    steps_of: dict[CodeType, Trace | None] = {}

    def enter(frame: FrameType, event: str, argument: Any) -> Trace | None:
        code = frame.f_code
        if code not in steps_of:
            path = code.co_filename
            steps_of[code] = _counting(counts.setdefault(path, [0])) if path.startswith(_COUNTED) else None
        step = steps_of[code]
        return step and step(frame, "line", argument)

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        work()
    finally:
        sys.settrace(before)
    return Counter({str(Path(path).relative_to(_ROOT)): count for path, [count] in counts.items()})


def _counting(count: list[int]) -> Trace:
    """Return a trace function that adds a file's lines to the one number in *count*."""

    def step(frame: FrameType, event: str, argument: Any) -> Trace:
        if event == "line":
            count[0] += 1
        return step

    return step


def clear_caches() -> None:
    """Clear the caches of this project's functions, and the caches of tool schemas and tool outcomes."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("proxy.", "sanitizers.")):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
    tool_schemas._CACHE.clear()
    tools._OUTCOMES._young.clear()
    tools._OUTCOMES._old.clear()


class ComparedText(str):
    """A text that counts how often it is compared, also by C code that searches a list for it."""

    __slots__ = ()
    comparisons = 0

    @override
    def __eq__(self, other: object) -> bool:
        ComparedText.comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def count_comparisons(work: Callable[[], object]) -> int:
    """Return how often *work* compares texts of :class:`ComparedText`."""
    ComparedText.comparisons = 0
    work()
    return ComparedText.comparisons
