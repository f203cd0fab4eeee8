"""The memory that a request may take, and how much the process gives to all of them. Pure.

Measured with ``python -m benchmarks.request_memory`` (CPython 3.11, 2026-11). Beside the decoded values a request holds
its body, the parser's copy of it, what is written for the provider, and what waits in the socket's buffer.
"""

from __future__ import annotations

from proxy.core.errors import BodyTooLarge
from proxy.core.json_size import estimate_decoded

DIRECT_TIMES = 8
"""Memory of a request on a direct wire at most, in multiples of ``max_body_mib``."""

LITELLM_TIMES = 14
"""The same through litellm, which copies messages and writes them with Python's own JSON."""

SMALL = 64 * 2**10
"""Bytes of a body up to which its values are not counted: it takes 3 MiB at most, whatever it holds."""

LARGEST_TIMES = 64
"""Memory of any request at most, in multiples of its body: one of empty lists takes 58 (:func:`need_of`)."""

_COPIES = 4
"""Multiples of its body that a request takes beside the decoded values."""

_SHARE = 4
"""The part of the memory limit that requests may take by default: a quarter."""

MIB = 2**20


def need_of(body: bytes, max_body_mib: int) -> int:
    """Return the bytes of memory that the request of *body* takes at most on a direct wire.

    Raises :class:`BodyTooLarge` where that is more than *max_body_mib* allows for.
    """
    if len(body) <= SMALL:
        return DIRECT_TIMES * len(body)
    most = DIRECT_TIMES * max_body_mib * MIB
    need = _COPIES * len(body) + estimate_decoded(body, most)
    if need > most:
        raise BodyTooLarge(
            f"The body would take {need // MIB} MiB of memory once it is decoded; a body may take "
            f"{most // MIB}, {DIRECT_TIMES} times general_settings.max_body_mib."
        )
    return need


def bytes_in_flight(max_in_flight_mib: int | None, memory_limit: int) -> int:
    """Return the bytes that requests may take together: what is set, or a quarter of *memory_limit*."""
    return memory_limit // _SHARE if max_in_flight_mib is None else max_in_flight_mib * MIB
