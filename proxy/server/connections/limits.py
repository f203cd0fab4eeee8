"""File descriptors, and the number of client connections that they allow."""

from __future__ import annotations

import contextlib
import resource

ENOUGH_DESCRIPTORS = 4096
"""Below this limit ``turnright check`` warns. It is enough for the default `max_in_flight`, its upstream connections,
and idle connections."""

_MAX_DESCRIPTORS = 65_536
"""The soft limit that is requested. With more descriptors, idle connections could take gigabytes."""

_MAX_CONNECTIONS = 8_192
"""The largest number of connections, or twice ``max_in_flight`` if that is more.

It is 16 times the default of ``max_in_flight``.
"""

_RESERVED = 64
"""Descriptors for listeners, logs, the event loop, files, name servers, fetched images and exporters."""

_ITERATIONS = 4
"""Iterations of asyncio's loop (Python 3.11) between accepting a connection and closing the evicted connection."""


def accepted_at_once(descriptors: int) -> int:
    """Return the number of connections that one iteration of the event loop may accept.

    A new connection is read some iterations after it was accepted. The number is small compared with
    :func:`max_connections`, so later connections cannot evict a connection that is not read yet.
    """
    return max(2, min(128, descriptors // 128))


def max_connections(descriptors: int, max_in_flight: int) -> int:
    """Return the largest number of client connections for a soft limit of *descriptors*.

    Each request in flight needs an upstream connection as well. If descriptors are scarce, clients get half of them.
    """
    free = max(16, descriptors - _RESERVED - _ITERATIONS * accepted_at_once(descriptors))
    upstream = min(max_in_flight, free // 2)
    return min(free - upstream, max(_MAX_CONNECTIONS, 2 * max_in_flight))


def descriptor_limit() -> int:
    """Return the process's soft limit of file descriptors."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MAX_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def reachable_limit() -> int:
    """Return the soft limit that :func:`raise_descriptor_limit` would set."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    reachable = _MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MAX_DESCRIPTORS)
    return max(descriptor_limit(), reachable)


def raise_descriptor_limit() -> None:
    """Raise the soft limit to the hard limit, but to 65,536 at most. A failure leaves the limit unchanged.

    Most systems set a soft limit of 1,024, since ``select()`` fails with larger descriptors. This program does not call
    ``select()`` (Lennart Poettering, "File Descriptor Limits", 2021).
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (reachable_limit(), hard))
