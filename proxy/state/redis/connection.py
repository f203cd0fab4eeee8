"""One connection to a Redis or Valkey server, or to a Sentinel: it sends a pipeline and reads the replies.

This is the only module that imports redis-py and hiredis, which are an extra. It uses redis-py's connections and not
its client. redis-py's client would wait five seconds for a reply, and try eleven times (redis-py 8.1.0, 2026-11).

After every exception the connection is closed, a cancellation included. So no later call reads an earlier reply.
"""

from __future__ import annotations

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

_READ_BYTES = 65_536
_NOT_YET: Any = object()
"""Stands for a reply that has not arrived as a whole."""

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
        self._replies = hiredis.Reader(replyError=_read_refusal, notEnoughData=_NOT_YET)  # type: ignore[arg-type]
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
            return not self._replies.has_data() and not await self._connection.can_read()
        except (exceptions.RedisError, OSError):
            return False

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """Send *commands* in one piece, and return one reply for each."""
        replies: list[Reply] = []
        number = len(commands)
        try:
            await self._send(commands)
            with ReplyLimit(REPLY_S):
                await self._read(replies, 1, number)
            if len(replies) < number:
                await self._read(replies, number, number)
        except (exceptions.RedisError, hiredis.HiredisError, OSError) as error:
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
        writer = self._connection._writer
        if writer is None:
            raise exceptions.ConnectionError
        writer.write(b"".join([hiredis.pack_command(command) for command in commands]))  # type: ignore[arg-type]
        await writer.drain()

    async def _read(self, replies: list[Reply], fewest: int, most: int) -> None:
        """Add the replies that arrive to *replies*, until these are *fewest* or more, and *most* at most.

        redis-py's own reading takes ten calls for each reply. This takes one.
        """
        stream, gets = self._connection._reader, self._replies.gets
        while True:
            while len(replies) < most and (reply := gets()) is not _NOT_YET:
                replies.append(reply)
            if len(replies) >= fewest:
                return
            data = b"" if stream is None else await stream.read(_READ_BYTES)
            if not data:
                raise exceptions.ConnectionError
            self._replies.feed(data)


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
    """Return the code of the error that the server answered a login with."""
    first = str(error).partition(" ")[0]
    return _CODES.get(type(error)) or _as_code(first)


def _as_code(word: str) -> str:
    return word if word.isupper() and len(word) > 2 else "ERR"


def _read_refusal(text: str) -> ReplyError:
    """Return the error in *text*, which the server answered a command with.

    Raises :class:`StoreFault` for an error that means the whole connection: the server then answers nothing on it.
    """
    code = text.partition(" ")[0]
    if code in ("NOAUTH", "WRONGPASS"):
        raise _refused_login()
    if code == "LOADING" or text == "ERR max number of clients reached":
        raise _unreachable()
    for inner in ("OOM", "READONLY"):
        if f"-{inner} " in text:  # servers before Redis 7 put a script's error into other words
            return ReplyError(inner)
    return ReplyError(_as_code(code))


def _fault_of(error: exceptions.RedisError | hiredis.HiredisError | OSError) -> StoreFault:
    """Return the fault for a failed exchange. Its text holds no address, which the error's own text may hold."""
    if isinstance(error, exceptions.TimeoutError | TimeoutError):
        return StoreFault(FaultKind.TIMEOUT, "the store did not answer in time")
    if isinstance(error, exceptions.AuthenticationError):
        return _refused_login()
    if isinstance(error, exceptions.ResponseError):
        words = f"the store refused the connection ({_code_of(error)}): see its database and the user's permissions"
        return StoreFault(FaultKind.REFUSED, words)
    if isinstance(error.__context__, ssl.SSLError):
        words = f"no TLS connection to the store: {type(error.__context__).__name__}"
        return StoreFault(FaultKind.CONNECTION, words)
    return _unreachable()


def _refused_login() -> StoreFault:
    return LoginFault(FaultKind.CONNECTION, "the store refused the user or the password, or asks for one")


def _unreachable() -> StoreFault:
    return StoreFault(FaultKind.CONNECTION, "the store cannot be reached")
