"""Steps that Python takes in this project's own files, counted file by file: a measure of work that no clock disturbs.

A step is the call of a function, or a line that is entered; each turn of a comprehension is a line of its own. What one
call into C does, such as a search in a list, is one step however long it takes: :class:`ComparedText` counts that.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from typing_extensions import override

from proxy.planning import clean_tools as tool_schemas
from sanitizers.schemas import tools

_ROOT = Path(__file__).parents[2]
_COUNTED = tuple(f"{_ROOT / package}/" for package in ("proxy", "sanitizers"))


def count_steps(work: Callable[[], object]) -> Counter[str]:
    """Return the steps that *work* takes, by the file's path within the project; nothing is remembered from before."""
    clear_caches()
    steps: Counter[str] = Counter()

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        path = frame.f_code.co_filename
        if not path.startswith(_COUNTED):
            return None
        steps[path] += 1

        def step(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line":
                steps[path] += 1
            return step

        return step

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        work()
    finally:
        sys.settrace(before)
    return Counter({str(Path(path).relative_to(_ROOT)): count for path, count in steps.items()})


def clear_caches() -> None:
    """Forget what functions of this project remember of their arguments, and what tools came to."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("proxy.", "sanitizers.")):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
    tool_schemas._KEPT.clear()
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
