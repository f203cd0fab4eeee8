"""One connection to a Redis or Valkey server, or to a Sentinel: it sends a pipeline and reads the replies.

This is the only module that imports redis-py and hiredis, which are an extra. It uses redis-py's connections and not
its client. redis-py's client would wait five seconds for a reply, and try eleven times (redis-py 8.1.0, 2026-11).

After every exception the connection is closed, a cancellation included. So no later call reads an earlier reply.
"""

from __future__ import annotations

import math
import ssl
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import hiredis
from redis import exceptions
from redis.asyncio.connection import Connection, SSLConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.driver_info import DriverInfo

from proxy.config.redis_address import RedisAddress
from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.external.reply_limit import ReplyLimit

Command: TypeAlias = "tuple[str | bytes | int, ...]"

CONNECT_S = 0.1
REPLY_S = 0.05
"""The most seconds until the first reply to a pipeline. The caller limits the rest."""

_CODES: dict[type[exceptions.RedisError], str] = {
    exceptions.OutOfMemoryError: "OOM",
    exceptions.ReadOnlyError: "READONLY",
    exceptions.NoScriptError: "NOSCRIPT",
    exceptions.NoPermissionError: "NOPERM",
    exceptions.MasterDownError: "MASTERDOWN",
}
"""The codes of errors from whose text redis-py removes the code."""


class ReplyError(NamedTuple):
    """An error that the server answered one command with. *code* is its first word, such as ``WRONGTYPE``."""

    code: str


Reply: TypeAlias = "bytes | int | list[bytes] | ReplyError | None"


class LoginFault(StoreFault):
    """The server refused the user or the password, or asks for one."""


class RedisConnection:
    """A connection to *host* and *port* with the settings of *address*. Methods raise only :class:`StoreFault`."""

    def __init__(self, address: RedisAddress, host: str, port: int, tls: ssl.SSLContext | None) -> None:
        settings = connection_settings(address)
        self._connection: Connection
        if tls is None:
            self._connection = Connection(host=host, port=port, **settings)
        else:
            self._connection = SSLConnection(host=host, port=port, **settings)
            self._connection.ssl_context.context = tls

    async def open(self) -> None:
        """Connect, log in and choose the database."""
        try:
            await self._connection.connect()  # type: ignore[no-untyped-call]
        except (exceptions.RedisError, OSError) as error:
            fault = _fault_of(error)
        except BaseException:
            await self.close()
            raise
        else:
            return
        await self.close()
        raise fault

    async def is_clean(self) -> bool:
        """Return True if the connection is open and no bytes wait on it."""
        try:
            return not await self._connection.can_read()
        except (exceptions.RedisError, OSError):
            return False

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """Send *commands* in one piece, and return one reply for each."""
        try:
            await self._send(commands)
            with ReplyLimit(REPLY_S):
                replies = [await self._read()]
            replies += [await self._read() for _ in commands[1:]]
        except (exceptions.RedisError, OSError) as error:
            fault = _fault_of(error)
        except BaseException:
            await self.close()
            raise
        else:
            return replies
        await self.close()
        raise fault

    async def close(self) -> None:
        """Close the connection without waiting for the server."""
        with suppress(exceptions.RedisError, OSError):
            await self._connection.disconnect(nowait=True)

    async def _send(self, commands: Sequence[Command]) -> None:
        """Send *commands*. redis-py's limit for a write would start a task: 30 µs (Python 3.11's ``wait_for``)."""
        self._connection.socket_timeout = None
        packed = b"".join([hiredis.pack_command(command) for command in commands])  # type: ignore[arg-type]
        await self._connection.send_packed_command(packed, check_health=False)
        self._connection.socket_timeout = REPLY_S

    async def _read(self) -> Reply:
        """Return the next reply, without redis-py's own limit."""
        try:
            reply: Reply = await self._connection.read_response(timeout=math.inf)
        except exceptions.ResponseError as error:
            return ReplyError(_code_of(error))
        return reply


def connection_settings(address: RedisAddress) -> dict[str, Any]:
    """Return the arguments of every connection but its host and port: no retry, short limits, few round trips.

    RESP 2, and no library name sent to the server, save round trips when connecting.
    """
    return {
        "db": address.database,
        "username": address.username,
        "password": address.password,
        "client_name": "turnright",
        "socket_timeout": REPLY_S,
        "socket_connect_timeout": CONNECT_S,
        "retry": Retry(NoBackoff(), 0),
        "retry_on_error": [],
        "health_check_interval": 0,
        "protocol": 2,
        "driver_info": DriverInfo(name=None, lib_version=None),
    }


def make_tls(address: RedisAddress) -> ssl.SSLContext:
    """Return the TLS settings: certificate and host name are checked. Reads files. Raises :class:`StoreFault`."""
    try:
        context = ssl.create_default_context(cafile=address.ca_certs)
        if address.certfile is not None:
            context.load_cert_chain(address.certfile, address.keyfile, password="")
    except (OSError, ValueError) as error:
        words = f"the certificates for the store cannot be read: {type(error).__name__}"
        raise StoreFault(FaultKind.CONNECTION, words) from None
    return context


def _code_of(error: exceptions.RedisError) -> str:
    """Return the code of a server's error. Servers before Redis 7 put a script's error into other words."""
    text = str(error)
    for code in ("OOM", "READONLY"):
        if f"-{code} " in text:
            return code
    first = text.partition(" ")[0]
    return _CODES.get(type(error)) or (first if first.isupper() and len(first) > 2 else "ERR")


def _fault_of(error: exceptions.RedisError | OSError) -> StoreFault:
    """Return the fault for a failed exchange. Its text holds no address, which the error's own text may hold."""
    if isinstance(error, exceptions.TimeoutError | TimeoutError):
        return StoreFault(FaultKind.TIMEOUT, "the store did not answer in time")
    if isinstance(error, exceptions.AuthenticationError):
        return LoginFault(FaultKind.CONNECTION, "the store refused the user or the password, or asks for one")
    if isinstance(error, exceptions.ResponseError):
        words = f"the store refused the connection ({_code_of(error)}): see its database and the user's permissions"
        return StoreFault(FaultKind.REFUSED, words)
    if isinstance(error.__context__, ssl.SSLError):
        words = f"no TLS connection to the store: {type(error.__context__).__name__}"
        return StoreFault(FaultKind.CONNECTION, words)
    return StoreFault(FaultKind.CONNECTION, "the store cannot be reached")
