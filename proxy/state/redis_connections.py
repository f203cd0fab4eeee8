"""The connections to a Redis or Valkey server: eight at most, without retries, each for one pipeline at a time.

This is the only module that imports redis-py, which is an extra. It uses redis-py's connections and not its client. The
client waits five seconds for a reply and tries eleven times (redis-py 8.1.0, 2026-11).

After every exception the connection is closed, a cancellation included. So no later call reads an earlier reply.
"""

from __future__ import annotations

import asyncio
import math
import ssl
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

from redis import exceptions
from redis.asyncio.connection import Connection, SSLConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.driver_info import DriverInfo

from proxy.config.redis_address import RedisAddress
from proxy.state.backend import FaultKind, StoreFault

Command: TypeAlias = "Sequence[str | bytes | int]"

MAX_CONNECTIONS = 8
CONNECT_S = 0.1
REPLY_S = 0.05
"""The most seconds until the first reply to a pipeline."""

EXCHANGE_S = 0.25
"""The most seconds of a whole pipeline, connecting included. A server that sends slowly is cut off."""

_STALE = frozenset({FaultKind.TIMEOUT, FaultKind.CONNECTION, FaultKind.READ_ONLY})
"""After these faults all connections are closed, and the Sentinels are asked again."""

_CODES: dict[type[exceptions.RedisError], str] = {
    exceptions.OutOfMemoryError: "OOM",
    exceptions.ReadOnlyError: "READONLY",
    exceptions.NoScriptError: "NOSCRIPT",
    exceptions.NoPermissionError: "NOPERM",
    exceptions.MasterDownError: "MASTERDOWN",
}
"""The codes of errors whose text comes without the code."""


class ReplyError(NamedTuple):
    """An error that the server answered one command with. *code* is its first word, such as ``WRONGTYPE``."""

    code: str


Reply: TypeAlias = "bytes | int | ReplyError | None"


class RedisConnections:
    """The connections to the server at *address*. They are made when they are needed."""

    def __init__(self, address: RedisAddress) -> None:
        self._address = address
        self._sentinels = list(address.hosts)
        self._master: tuple[str, int] | None = None if address.master_name else address.hosts[0]
        self._tls: ssl.SSLContext | None = None
        self._idle: list[Connection] = []
        self._taken = 0
        self._generation = 0
        """The number of times that all connections were given up."""

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """Send *commands* in one piece, and return one reply for each. Raises :class:`StoreFault`."""
        if self._taken >= MAX_CONNECTIONS:
            raise StoreFault(FaultKind.CONNECTION, f"all {MAX_CONNECTIONS} connections are in use")
        self._taken += 1
        try:
            async with asyncio.timeout(EXCHANGE_S):
                return await self._exchange(commands)
        except (exceptions.RedisError, OSError) as error:
            fault = _fault_of(error)
        except StoreFault as error:
            fault = error
        finally:
            self._taken -= 1
        if fault.kind in _STALE:
            await self.give_up()
        raise fault

    async def give_up(self) -> None:
        """Close all connections, those in use after their replies. Later calls connect anew."""
        self._generation += 1
        if self._address.master_name:
            self._master = None
        idle, self._idle = self._idle, []
        for connection in idle:
            await _close(connection)

    async def _exchange(self, commands: Sequence[Command]) -> list[Reply]:
        generation = self._generation
        connection = await self._take()
        try:
            await connection.send_packed_command(connection.pack_commands(commands), check_health=False)
            # the limit of the whole exchange is enough after the first reply
            replies = [await _read_reply(connection, None)]
            replies += [await _read_reply(connection, math.inf) for _ in commands[1:]]
        except BaseException:
            await _close(connection)
            raise
        if generation == self._generation:
            self._idle.append(connection)
        else:
            await _close(connection)
        return replies

    async def _take(self) -> Connection:
        """Return a connection that is open, and on which no bytes wait."""
        while self._idle:
            connection = self._idle.pop()
            with suppress(exceptions.RedisError):
                if not await connection.can_read():
                    return connection
            await _close(connection)
        if self._master is None:
            self._master = await self._ask_sentinels()
        connection = await self._make(*self._master)
        try:
            await connection.connect()  # type: ignore[no-untyped-call]
        except BaseException:
            await _close(connection)
            raise
        return connection

    async def _make(self, host: str, port: int) -> Connection:
        """Return a connection to the server, which is not connected yet."""
        settings = connection_settings(self._address)
        if not self._address.uses_tls:
            return Connection(host=host, port=port, **settings)
        if self._tls is None:
            self._tls = await asyncio.to_thread(_make_tls, self._address)
        connection = SSLConnection(host=host, port=port, **settings)
        connection.ssl_context.context = self._tls
        return connection

    async def _ask_sentinels(self) -> tuple[str, int]:
        """Return host and port of the master. The Sentinel that answered is asked first the next time."""
        for host, port in list(self._sentinels):
            # moved to the end first: a Sentinel that uses up the whole time limit is not asked first again
            self._sentinels.remove((host, port))
            self._sentinels.append((host, port))
            with suppress(exceptions.RedisError, OSError):
                reply = await self._ask_sentinel(host, port)
                if isinstance(reply, list) and len(reply) == 2:
                    self._sentinels.remove((host, port))
                    self._sentinels.insert(0, (host, port))
                    return reply[0].decode(), int(reply[1])
        raise StoreFault(FaultKind.CONNECTION, "no Sentinel answered with the master")

    async def _ask_sentinel(self, host: str, port: int) -> Any:
        """Ask one Sentinel, with the password if it asks for one."""
        login = {"username": None, "password": None}
        for changes in (login, {}) if self._address.password else (login,):
            settings = connection_settings(self._address) | {"db": 0} | changes
            connection = Connection(host=host, port=port, **settings)
            try:
                await connection.connect()  # type: ignore[no-untyped-call]
                await connection.send_command(
                    "SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._address.master_name
                )
                return await connection.read_response()
            except exceptions.AuthenticationError:
                continue
            finally:
                await _close(connection)
        return None


def connection_settings(address: RedisAddress) -> dict[str, Any]:
    """Return the arguments of every connection but its host and port: no retry, short limits, few round trips.

    RESP 2 and no name of the library save round trips when connecting.
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


def _make_tls(address: RedisAddress) -> ssl.SSLContext:
    """Return the TLS settings: certificate and host name are checked. Raises :class:`StoreFault`."""
    try:
        context = ssl.create_default_context(cafile=address.ca_certs)
        if address.certfile is not None:
            context.load_cert_chain(address.certfile, address.keyfile, password="")
    except (OSError, ValueError) as error:
        words = f"the certificates of the store cannot be read: {type(error).__name__}"
        raise StoreFault(FaultKind.CONNECTION, words) from None
    return context


async def _read_reply(connection: Connection, limit_s: float | None) -> Reply:
    """Return the next reply. None for *limit_s* means the connection's own limit."""
    try:
        reply: Reply = await connection.read_response(timeout=limit_s)
    except exceptions.ResponseError as error:
        return ReplyError(_code_of(error))
    return reply


def _code_of(error: exceptions.RedisError) -> str:
    """Return the code of a server's error. Servers before Redis 7 put a script's error into other words."""
    text = str(error)
    for code in ("OOM", "READONLY", "WRONGTYPE"):
        if f"-{code} " in text:
            return code
    first = text.partition(" ")[0]
    return _CODES.get(type(error)) or (first if first.isupper() and len(first) > 2 else "ERR")


def _fault_of(error: exceptions.RedisError | OSError) -> StoreFault:
    """Return the fault for a failed exchange. Its text holds no address, which the error's own text may hold."""
    if isinstance(error, exceptions.TimeoutError | TimeoutError):
        return StoreFault(FaultKind.TIMEOUT, "the store did not answer in time")
    if isinstance(error, exceptions.AuthenticationError):
        return StoreFault(FaultKind.CONNECTION, "the store refused the user or the password")
    if isinstance(error, exceptions.ResponseError):
        words = f"the store refused the connection ({_code_of(error)}): see its database and the user's permissions"
        return StoreFault(FaultKind.REFUSED, words)
    if isinstance(error.__context__, ssl.SSLError):
        return StoreFault(FaultKind.CONNECTION, f"no TLS with the store: {type(error.__context__).__name__}")
    return StoreFault(FaultKind.CONNECTION, "the store cannot be reached")


async def _close(connection: Connection) -> None:
    """Close a connection without waiting for the server."""
    with suppress(exceptions.RedisError, OSError):
        await connection.disconnect(nowait=True)
