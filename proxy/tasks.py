"""Background tasks that are neither lost nor silent."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

_RUNNING: set[asyncio.Task[Any]] = set()


def spawn(work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[Any]:
    """Run *work* as a task; a reference is kept until it ends (the loop itself holds none)."""
    task = asyncio.get_running_loop().create_task(work, name=name)
    _RUNNING.add(task)
    task.add_done_callback(_RUNNING.discard)
    return task
