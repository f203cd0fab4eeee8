"""The address of a Redis or Valkey server, read from a URL.

    redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]
    rediss://…[?ssl_ca_certs=FILE&ssl_certfile=FILE&ssl_keyfile=FILE]
    redis+sentinel://[[USER]:PASSWORD@]HOST[:PORT],HOST[:PORT]/NAME[/DATABASE]

The scheme ``rediss`` means TLS. Redis Sentinel tells which server is the master at the moment. NAME is the name under
which the Sentinels watch the master. The hosts are those of the Sentinels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from typing_extensions import override

SCHEMES = ("redis", "rediss", "redis+sentinel")
"""The schemes of the addresses that :func:`parse_redis_address` reads."""

_PORT = 6379
_SENTINEL_PORT = 26379
_LARGEST_PORT = 65_535
_FILES = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
_HOST = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:]*)(?::(?P<port>[^:]*))?")


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """The address of one server, or of the Sentinels that know the server."""

    hosts: tuple[tuple[str, int], ...]
    """Host and port of the server. With *master_name*, of each Sentinel."""

    database: int = 0
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    master_name: str | None = None
    """The name under which the Sentinels watch the server. None where *hosts* is the server itself."""

    uses_tls: bool = False
    ca_certs: str | None = None
    """The file of the certificates to trust. None means those of the system."""

    certfile: str | None = None
    """The file of the client's certificate."""

    keyfile: str | None = None
    """The file of the key of :attr:`certfile`. None means that :attr:`certfile` holds the key too."""

    @override
    def __str__(self) -> str:
        """Return the URL without user and password, for logs and for ``check``."""
        scheme = "redis+sentinel" if self.master_name else "rediss" if self.uses_tls else "redis"
        hosts = ",".join(f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in self.hosts)
        name = f"/{self.master_name}" if self.master_name else ""
        return f"{scheme}://{hosts}{name}/{self.database}"


def parse_redis_address(url: str) -> RedisAddress:
    """Return the address in *url*. Raises :class:`ValueError`, whose text holds no part of the URL that is secret."""
    if re.search(r"[\s\x00-\x1f\x7f]", url):
        raise ValueError("the address holds a space or a control character")
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError(
            "the address is no URL: an IPv6 address stands in brackets, as in [::1]:6379"
        ) from None
    if parts.scheme not in SCHEMES:
        wanted = ", ".join(f"{scheme}://" for scheme in SCHEMES)
        raise ValueError(f"the address has another scheme than {wanted}")
    if parts.fragment or url.endswith("#"):
        raise ValueError("the address holds a #: write it as %23 in a password")
    login, _, hosts = parts.netloc.rpartition("@")
    username, password = _read_login(login)
    watched = parts.scheme == "redis+sentinel"
    master_name, database = _read_path(parts.path, watched)
    files = _read_files(parts)
    return RedisAddress(
        hosts=_read_hosts(hosts, watched),
        database=database,
        username=username,
        password=password,
        master_name=master_name,
        uses_tls=parts.scheme == "rediss",
        ca_certs=files.get("ssl_ca_certs"),
        certfile=files.get("ssl_certfile"),
        keyfile=files.get("ssl_keyfile"),
    )


def check_client_installed() -> None:
    """Raise :class:`ValueError` if the packages of the extra ``redis`` are not installed. They are not imported."""
    if find_spec("redis") is None or find_spec("hiredis") is None:
        raise ValueError("the packages for Redis and Valkey are missing: pip install 'turnright[redis]'")


def _read_login(login: str) -> tuple[str | None, str | None]:
    username, colon, password = login.partition(":")
    if username and not password:
        raise ValueError(
            "the address has a user without a password: a password alone is written as :PASSWORD@"
        )
    if colon and not password:
        raise ValueError("the address has an empty password")
    return unquote(username) or None, unquote(password) or None


def _read_hosts(text: str, watched: bool) -> tuple[tuple[str, int], ...]:
    written = text.split(",")
    if len(written) > 1 and not watched:
        raise ValueError(
            "the address has several hosts: a cluster is not supported yet; for Sentinel write redis+sentinel://"
        )
    return tuple(_read_host(one, _SENTINEL_PORT if watched else _PORT) for one in written)


def _read_host(text: str, usual_port: int) -> tuple[str, int]:
    found = _HOST.fullmatch(text)
    if found is None:
        raise ValueError("the address has a host that cannot be read: an IPv6 address stands in brackets")
    host, port = found["host"].strip("[]"), found["port"]
    if not host:
        raise ValueError("the address has no host")
    if port is None:
        return host, usual_port
    if not (port.isascii() and port.isdigit() and 0 < int(port[:6]) <= _LARGEST_PORT):
        raise ValueError("the address has a port that is no number from 1 to 65535")
    return host, int(port)


def _read_path(path: str, watched: bool) -> tuple[str | None, int]:
    """Return the name and the database in *path*."""
    parts = path.removeprefix("/").split("/") if path else []
    name = unquote(parts.pop(0)) if watched and parts else None
    if watched and not name:
        raise ValueError("the address does not name the master: redis+sentinel://HOST:PORT/NAME")
    [database, *more] = parts or [""]
    if more or not (database == "" or (database.isascii() and database.isdigit() and len(database) <= 9)):
        raise ValueError("the address has a database that is no number, as 0 in redis://HOST:6379/0")
    return name, int(database or 0)


def _read_files(parts: SplitResult) -> dict[str, str]:
    """Return the files that the query names."""
    files = dict[str, str]()
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in _FILES:
            raise ValueError(f"the address has an unknown parameter; known are {', '.join(_FILES)}")
        if parts.scheme != "rediss":
            raise ValueError(f"the parameter {name} needs the scheme rediss://")
        if not value or name in files:
            raise ValueError(f"the parameter {name} needs one value")
        files[name] = value
    if "ssl_keyfile" in files and "ssl_certfile" not in files:
        raise ValueError("the parameter ssl_keyfile needs ssl_certfile beside it")
    return files
