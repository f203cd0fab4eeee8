"""Measures how deeply JSON is nested, level by level and without recursion.

Later code recurses (copies, schema changes, ``json``), so the depth is limited where JSON is read.
"""

from __future__ import annotations

from typing import Any

from sanitizers.work_limit import spend


def nesting_exceeds(value: Any, limit: int) -> bool:
    """Tell whether *value*, parsed from JSON, has containers nested deeper than *limit*."""
    level = [value]
    for _ in range(limit):
        level = _next(level)
        if not level:
            return False
    return True


def depth_of(container: Any) -> int:
    """Return the depth of nested containers in *container*, a list or an object. The container itself counts as one."""
    depth, level = 0, [container]
    while level:
        depth, level = depth + 1, _next(level)
    return depth


def _next(level: list[Any]) -> list[Any]:
    """Return the containers directly inside the containers of *level*."""
    spend(len(level))
    return [
        child
        for container in level
        for child in (container.values() if container.__class__ is dict else container)
        if child.__class__ is dict or child.__class__ is list
    ]
