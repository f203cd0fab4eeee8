"""Estimates the memory of a request, and the limit for all requests together.

The factors were measured with ``python -m benchmarks.request_memory`` (CPython 3.11, 2026-11). Besides the decoded
values, a request holds its body and the parser's copy. It also holds the text for the provider, and the bytes in the
socket's buffer.
"""

from __future__ import annotations

from proxy.core.errors import BodyTooLarge
from proxy.core.json_size import estimate_decoded

DIRECT_TIMES = 8
"""The most memory of a request that does not go through litellm, in multiples of ``max_body_mib``."""

LITELLM_TIMES = 14
"""The most memory of a request through litellm, in multiples of ``max_body_mib``.

litellm copies messages and writes them with Python's own JSON.
"""

SMALL = 64 * 2**10
"""Bodies up to this size (bytes) are not examined. Such a body takes 4 MiB at most, with any content."""

LARGEST_TIMES = 64
"""The most memory of any request, in multiples of its body.

A body of empty lists takes 58 times its size (:func:`need_of`).
"""

_COPIES = 4
"""The memory of a request without its decoded values, in multiples of its body."""

_SHARE = 4
"""The default limit for requests is a quarter of the memory limit."""

MIB = 2**20


def need_of(body: bytes, max_body_mib: int) -> int:
    """Return the memory (bytes) to reserve for the request of *body*, if it does not go through litellm.

    The value is an upper bound for bodies larger than :data:`SMALL`. Raises :class:`BodyTooLarge` if the bound exceeds
    :data:`DIRECT_TIMES` times *max_body_mib*.
    """
    if len(body) <= SMALL:
        return DIRECT_TIMES * len(body)
    most = DIRECT_TIMES * max_body_mib * MIB
    need = _COPIES * len(body) + estimate_decoded(body, most)
    if need > most:
        raise BodyTooLarge(
            f"The body would take {need // MIB} MiB of memory once it is decoded. The limit is "
            f"{most // MIB} MiB, {DIRECT_TIMES} times general_settings.max_body_mib."
        )
    return need


def bytes_in_flight(max_in_flight_mib: int | None, memory_limit: int) -> int:
    """Return the bytes that requests may take together: the setting, or a quarter of *memory_limit*."""
    return memory_limit // _SHARE if max_in_flight_mib is None else max_in_flight_mib * MIB
