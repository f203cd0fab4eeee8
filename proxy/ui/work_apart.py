"""A thread of the inspector's own: looks are worked on one after the other, however many people look.

A look costs many times what the same request costs on its way to a provider, so it is never worked on in the loop; and
never in the threads that clients' large bodies go through (:mod:`proxy.beside_the_loop`), which would wait behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_THREAD = ThreadPoolExecutor(1, thread_name_prefix="inspector")


async def work_apart(work: Callable[[], T]) -> T:
    """Return what *work* returns, or raise what it raises; what nobody waits for any more is not begun."""
    return await asyncio.get_running_loop().run_in_executor(_THREAD, work)
