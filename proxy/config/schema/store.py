"""The store of state that outlives a request: its place, its limits and its secret."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, SecretStr

from proxy.config.faults import refusal
from proxy.config.schema.section import Section
from proxy.config.store_address import StoreAddress, parse_store_address
from proxy.config.values import Count, GatewayKey, StoreUrl, Text

_PREFIX = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_SHORTEST_SECRET = 16


def _prefix(text: str) -> str:
    if not _PREFIX.fullmatch(text):
        raise refusal("must have 1 to 64 letters, digits and - _ . : alone")
    return text


def _long_secret(secret: SecretStr) -> SecretStr:
    if len(secret.get_secret_value()) < _SHORTEST_SECRET:
        raise refusal(
            f"must have at least {_SHORTEST_SECRET} characters; `openssl rand -hex 32` prints a good one"
        )
    return secret


class Store(Section):
    """The store of state that outlives a request.

    A store that is down may degrade a feature, but must not fail a request.
    """

    where: ClassVar[str] = "store"

    url: StoreUrl = Field(default="memory://", repr=False)
    """The place of the state. Default ``memory://``, which is lost at exit.

    ``sqlite:///FILE`` is a file for one process. ``redis://HOST:PORT/0``, ``rediss://`` (TLS) and
    ``redis+sentinel://HOST:PORT/NAME`` are servers that replicas share. They need the extra ``turnright[redis]``.
    """

    memory_mib: Count = 32
    """The most MiB that are kept in memory. Default 32: the thought signatures of some 15,000 calls.

    When the memory is full, the tenant with the most data loses what it has not used for longest.
    """

    max_mib: Count = 1024
    """The most MiB of an SQLite file. Default 1024.

    When the file is full, the least recently used entries are dropped.
    """

    prefix: Annotated[Text, AfterValidator(_prefix)] = "tr"
    """The beginning of every name in the store, so that others may use the same server. Default ``tr``."""

    secret: Annotated[GatewayKey, AfterValidator(_long_secret)] | None = None
    """The key of the digests that stand for names in the store, at least 16 characters. Replicas need the same one.

    Without one, the processes make a secret once and keep it in the store.
    """

    @property
    def address(self) -> StoreAddress:
        """The address that ``url`` holds."""
        return parse_store_address(self.url)
