"""How deep JSON is nested, told level by level, without recursion.

Code behind us recurses (copies, schema rewrites, ``json``), so the depth is bounded where bytes come in.
"""

from __future__ import annotations

from typing import Any

from sanitizers.work_limit import spend


def nesting_exceeds(value: Any, limit: int) -> bool:
    """Tell whether *value*, which was parsed from JSON, holds containers nested deeper than *limit*."""
    level = [value]
    for _ in range(limit):
        level = _next(level)
        if not level:
            return False
    return True


def depth_of(container: Any) -> int:
    """Return how many containers lie one in another in *container*, a list or an object; itself is one."""
    depth, level = 0, [container]
    while level:
        depth, level = depth + 1, _next(level)
    return depth


def _next(level: list[Any]) -> list[Any]:
    """Return the containers that lie in those of *level*."""
    spend(len(level))
    return [
        child
        for container in level
        for child in (container.values() if container.__class__ is dict else container)
        if child.__class__ is dict or child.__class__ is list
    ]
