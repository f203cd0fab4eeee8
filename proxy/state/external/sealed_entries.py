"""Names and values of entries in a backend: a name tells nothing of its key, and a foreign value is recognized.

The name of an entry is an HMAC (keyed BLAKE2b, RFC 7693) over the tenant, the space and the key, with the store's
secret. A value has a version and a digest before it. The digest covers the name and the value. So garbage, a value of
another secret and a value that was copied to another name are not read.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from typing import TypeVar

from proxy.state.spaces import Space

LARGEST_VALUE = 64 * 2**10
"""The most bytes of one value, without its version and digest. Larger values are neither written nor read."""

_VERSION = b"\x01"
_NAME_BYTES = 16
_DIGEST_BYTES = 8
_HEAD_BYTES = len(_VERSION) + _DIGEST_BYTES

_KEPT_NAMES = 4_096

KeyT = TypeVar("KeyT")


class LimitNames(dict[KeyT, str]):
    """The names of numbers of one kind, by what each number belongs to. A look-up makes a missing name by *make*."""

    def __init__(self, make: Callable[[KeyT], str]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, owner: KeyT) -> str:
        if len(self) >= _KEPT_NAMES:
            self.clear()
        made = self[owner] = self._make(owner)
        return made


class EntrySealer:
    """Makes names, and seals and opens values. *prefix* begins each name, and *secret* has 16 to 64 bytes."""

    __slots__ = ("_prefix", "_secret", "place_names", "rate_names", "spend_names")

    def __init__(self, prefix: str, secret: bytes) -> None:
        self._prefix = prefix
        self._secret = secret
        self.rate_names = LimitNames[str](lambda bucket: self.limit_name("rate", bucket))
        """The names of buckets, as :meth:`limit_name` makes them. They are kept, since each request needs several."""

        self.place_names = LimitNames[str](lambda places: self.limit_name("places", places))
        """The names of the places of parallel requests."""

        self.spend_names = LimitNames[tuple[str, str]](lambda spend: self.limit_name("spend", *spend))
        """The names of spend, by the account and the name of the period."""

    def name(self, space: Space, tenant: str, key: str) -> str:
        """Return the name of the entry under *key* of *tenant* in *space*.

        The braces make the digits a hash tag, by which a server in cluster mode would choose the node. Cluster mode is
        not supported yet.
        """
        return f"{self._prefix}:1:{{{self._digest_of(tenant, space.name, key)}}}:{space.name}"

    def account(self, tenant: str) -> str:
        """Return the name of the account of *tenant* in a backend, with which the names of its entries begin."""
        return f"{self._prefix}:1:kept:{{{self._digest_of(tenant)}}}"

    def account_name(self, account: str, space: Space, key: str) -> str:
        """Return the name of the entry under *key* in *space*, as an entry of *account*."""
        return f"{account}:{space.name}:{self._digest_of(account, space.name, key)}"

    def limit_name(self, *parts: str) -> str:
        """Return the name of a number of limits or spend, whose kind is the first of *parts*.

        One script changes several numbers, so that all have one hash tag.
        """
        return f"{self._prefix}:1:{{limits}}:{parts[0]}:{self._digest_of(*parts)}"

    def seal(self, name: str, value: bytes) -> bytes:
        """Return the bytes that the backend keeps of *value*. The same value gives the same bytes."""
        return _VERSION + self._digest(name, value) + value

    def open(self, name: str, sealed: bytes, largest: int = LARGEST_VALUE) -> bytes | None:
        """Return the value in *sealed*, or None where another version, secret or name sealed it.

        A value of more than *largest* bytes is not read.
        """
        if not _HEAD_BYTES <= len(sealed) <= _HEAD_BYTES + largest or sealed[:1] != _VERSION:
            return None
        value = sealed[_HEAD_BYTES:]
        return value if hmac.compare_digest(sealed[1:_HEAD_BYTES], self._digest(name, value)) else None

    def open_all(
        self,
        names: Mapping[str, str],
        sealed: Mapping[str, bytes],
        count_corrupt: Callable[[], None],
        largest: int = LARGEST_VALUE,
    ) -> dict[str, bytes]:
        """Return the values in *sealed* by their keys, where *names* has the name of each key.

        Missing values are left out. *count_corrupt* is called for each value that cannot be opened.
        """
        read = {}
        for key, name in names.items():
            if (kept := sealed.get(name)) is None:
                continue
            if (value := self.open(name, kept, largest)) is None:
                count_corrupt()
            else:
                read[key] = value
        return read

    def _digest_of(self, *parts: str) -> str:
        digest = hashlib.blake2b(key=self._secret, digest_size=_NAME_BYTES)
        for part in parts:
            encoded = part.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(4) + encoded)
        return digest.hexdigest()

    def _digest(self, name: str, value: bytes) -> bytes:
        digest = hashlib.blake2b(name.encode("ascii"), key=self._secret, digest_size=_DIGEST_BYTES)
        digest.update(value)
        return digest.digest()
