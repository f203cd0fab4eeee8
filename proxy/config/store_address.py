"""The address of a store, read from ``store.url``.

    memory://
    sqlite:///RELATIVE/FILE   sqlite:////ABSOLUTE/FILE
    redis://HOST:PORT/NUMBER  rediss://…  redis+sentinel://…   (:mod:`proxy.config.redis_address`)

Reading an address opens no file and no connection. Python modules that a store needs are looked for and not imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from proxy.config.redis_address import SCHEMES as REDIS_SCHEMES
from proxy.config.redis_address import RedisAddress, check_client_installed, parse_redis_address

_OTHER_SPELLINGS = {"valkey": "redis", "valkeys": "rediss"}
_WANTED = (
    "must be memory://, sqlite:///FILE, redis://HOST:PORT/NUMBER, rediss://HOST:PORT/NUMBER or "
    "redis+sentinel://HOST:PORT/NAME"
)
_SQLITE_FORMS = "write sqlite:///state.db or, for an absolute path, sqlite:////var/lib/turnright/state.db"


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """The place of a store's values: this process's memory, an SQLite file, or a Redis or Valkey server."""

    kind: Literal["memory", "sqlite", "redis"]
    path: str = ""
    """The path of the SQLite file. A relative one starts at the process's working directory."""

    redis: RedisAddress | None = None
    """The server, where *kind* is ``redis``."""

    @property
    def is_shared(self) -> bool:
        """True where replicas use the same values."""
        return self.kind == "redis"

    @property
    def survives_restart(self) -> bool:
        """True where the values are still there after this process was restarted."""
        return self.kind != "memory"


def usual_spelling(url: str) -> str:
    """Return *url* with ``redis://`` for ``valkey://``, and ``rediss://`` for ``valkeys://``."""
    scheme, separator, rest = url.partition("://")
    return f"{_OTHER_SPELLINGS.get(scheme, scheme)}{separator}{rest}"


def parse_store_address(url: str) -> StoreAddress:
    """Return the address in *url*, whose scheme has the spelling of :func:`usual_spelling`.

    Raises :class:`ValueError` for an address that cannot be used, also where a module that the store needs is missing.
    The error's text holds no part of *url*.
    """
    scheme, separator, rest = url.partition("://")
    if separator and "cluster" in scheme:
        raise ValueError(
            "a cluster is not supported: name one server with redis://, or Sentinels with redis+sentinel://"
        )
    if not separator or not url.isprintable() or scheme not in ("memory", "sqlite", *REDIS_SCHEMES):
        raise ValueError(_WANTED)
    if scheme == "memory":
        if rest:
            raise ValueError("must have nothing behind memory://")
        return StoreAddress("memory")
    if scheme == "sqlite":
        return StoreAddress("sqlite", path=_sqlite_path(rest))
    address = parse_redis_address(url)
    check_client_installed()
    return StoreAddress("redis", redis=address)


def _sqlite_path(rest: str) -> str:
    """Return the path in *rest*, the part of an address behind ``sqlite://``."""
    path = rest.removeprefix("/")
    if rest and path == rest:
        raise ValueError(f"must have three slashes before the file: {_SQLITE_FORMS}")
    if not path or path.endswith("/"):
        raise ValueError(f"names no file: {_SQLITE_FORMS}")
    if path == ":memory:":
        raise ValueError("names no file: write memory:// for a store in memory")
    if "?" in path or "#" in path:
        raise ValueError("holds ? or #: a file takes no parameters")
    if path.startswith("~"):
        raise ValueError("begins with ~, which is not expanded: write the whole path behind sqlite:///")
    if path != path.strip():
        raise ValueError("holds white space at an end of the path")
    if find_spec("fcntl") is None:
        raise ValueError(
            "needs fcntl, which this system's Python does not have, to lock the file: use memory:// or redis://"
        )
    return path
