"""The secret of a store, on which all processes that use the store have to agree.

The operator may configure the secret. Otherwise the first process makes a secret and keeps it in the store itself. That
is meant for a store that only turnright can read. The other processes take the secret that stands there. A store that
was emptied gets the secret of a running process back.
"""

from __future__ import annotations

import hashlib

from proxy.state.external.backend import Backend, FaultKind, StoreFault

_VERSION = b"\x01"
_SECRET_BYTES = 32
_LIFETIME_S = 3_650 * 86_400.0
"""Ten years. Servers that evict the entries with the shortest lifetime first then keep the secret to the last."""


def derive_secret(text: str) -> bytes:
    """Return the secret for an operator's *text* of any length."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_SECRET_BYTES).digest()


def secret_name(prefix: str) -> str:
    """Return the name under which a backend keeps the secret."""
    return f"{prefix}:1:{{store}}:secret"


async def agree_on_secret(backend: Backend, prefix: str, own: bytes) -> bytes:
    """Return the secret that stands in *backend*. Where none stands, *own* is stored there.

    *own* has 32 bytes. A value that is no secret is replaced. A secret that stands is read without a write, since a
    store that takes no writes is still read. Raises :class:`StoreFault`.
    """
    name, sealed = secret_name(prefix), _VERSION + own
    stands = (await backend.get([name])).get(name)
    if stands is None:
        stands = await backend.swap(name, None, sealed, _LIFETIME_S)
    if stands is not None and not _is_secret(stands):
        stands = await backend.swap(name, stands, sealed, _LIFETIME_S)
    if stands is None or not _is_secret(stands):
        raise StoreFault(FaultKind.CORRUPT, "the store's secret cannot be read")
    return stands[len(_VERSION) :]


def _is_secret(value: bytes) -> bool:
    return len(value) == len(_VERSION) + _SECRET_BYTES and value.startswith(_VERSION)
