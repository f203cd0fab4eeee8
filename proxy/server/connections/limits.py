"""File descriptors, and how many client connections they allow."""

from __future__ import annotations

import contextlib
import resource

ENOUGH_DESCRIPTORS = 4096
"""Below this, ``turnright check`` warns: `max_in_flight` by default, as many upstreams, and idle connections."""

_MOST_DESCRIPTORS = 65_536
"""The soft limit that is asked for. More would let idle connections take gigabytes."""

_MOST_CONNECTIONS = 8_192
"""Connections at once, unless ``max_in_flight`` asks for more: 16 idle ones for each request of the default."""

_OWN = 64
"""Descriptors for listeners, logs, the event loop, files, name servers, fetched images and exporters."""

_ITERATIONS = 4
"""Rounds of asyncio's loop from the acceptance of a connection until the one that it replaces is closed (3.11)."""


def accepted_at_once(descriptors: int) -> int:
    """Return how many connections one round of the event loop may accept.

    A connection is read some rounds after it was accepted. The number is small beside :func:`max_connections`, so that
    those that come meanwhile cannot push it out unread.
    """
    return max(2, min(128, descriptors // 128))


def max_connections(descriptors: int, max_in_flight: int) -> int:
    """Return how many clients may be connected, for a soft limit of *descriptors*.

    Each request in flight needs a connection upstream, but where descriptors are few clients get half of them.
    """
    free = max(16, descriptors - _OWN - _ITERATIONS * accepted_at_once(descriptors))
    upstream = min(max_in_flight, free // 2)
    return min(free - upstream, max(_MOST_CONNECTIONS, 2 * max_in_flight))


def descriptor_limit() -> int:
    """Return the soft limit of the process."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def reachable_limit() -> int:
    """Return the soft limit that :func:`raise_descriptor_limit` would come to."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    reachable = _MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MOST_DESCRIPTORS)
    return max(descriptor_limit(), reachable)


def raise_descriptor_limit() -> None:
    """Raise the soft limit to the hard limit, or to 65,536 where that is more.

    The soft limit is 1,024 on most systems for programs that call ``select`` with large descriptors, which this one
    does not (Lennart Poettering, "File Descriptor Limits", 2021). Where it cannot be raised it stays.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (reachable_limit(), hard))
