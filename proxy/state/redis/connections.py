"""The connections to a Redis or Valkey server: eight at most, each for one pipeline at a time.

If the address names Sentinels, they are asked for the server whenever the server could not be reached or took no
writes.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from proxy.config.redis_address import RedisAddress
from proxy.core.deadlines import TimeLimit
from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.redis.connection import Command, LoginFault, RedisConnection, Reply, make_tls
from proxy.state.redis.host_lookup import HostLookup

MAX_CONNECTIONS = 8
EXCHANGE_S = 0.25
"""The most seconds of a whole pipeline, connecting included. A server that sends slowly is cut off."""

_UNREACHABLE = frozenset({FaultKind.TIMEOUT, FaultKind.CONNECTION})


class RedisConnections:
    """The connections to the server at *address*. A connection is made when a call needs one.

    *is_limited* is False where the caller limits the time of each pipeline. :data:`EXCHANGE_S` does not hold then.
    """

    def __init__(self, address: RedisAddress, *, is_limited: bool = True) -> None:
        self._is_limited = is_limited
        self._address = address
        self._sentinels = list(address.hosts)
        self._server: tuple[str, int] | None = None if address.master_name else address.hosts[0]
        self._tls: ssl.SSLContext | None = None
        self._lookup = HostLookup()
        self._idle: list[RedisConnection] = []
        self._taken = 0
        self.known_scripts: set[str] = set()
        """The digests of the scripts that the server has run since the connections were last given up."""

        self._generation = 0
        """The number of times that all connections were given up."""

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """Send *commands* in one piece, and return one reply for each. Raises :class:`StoreFault`."""
        if self._taken >= MAX_CONNECTIONS:
            raise StoreFault(FaultKind.CONNECTION, f"all {MAX_CONNECTIONS} connections are in use")
        self._taken += 1
        try:
            if not self._is_limited:
                return await self._exchange(commands)
            with TimeLimit(asyncio.get_running_loop().time() + EXCHANGE_S):
                return await self._exchange(commands)
        except TimeoutError:
            fault = StoreFault(FaultKind.TIMEOUT, "the store did not answer in time")
        except StoreFault as error:
            fault = error
        except asyncio.CancelledError:
            if not self._is_limited:  # the caller's limit may be the cause
                await self.give_up()
            raise
        finally:
            self._taken -= 1
        if fault.kind in _UNREACHABLE:
            await self.give_up()
        raise fault

    async def give_up(self) -> None:
        """Close the idle connections now, and those in use after their replies.

        Later calls connect anew, with the files of then.
        """
        self._generation += 1
        self.known_scripts.clear()  # the server may have been restarted
        self._tls = None  # certificates may have been renewed
        if self._address.master_name:
            self._server = None
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.close()

    async def _exchange(self, commands: Sequence[Command]) -> list[Reply]:
        generation = self._generation
        connection = await self._take()
        replies = await connection.exchange(commands)
        if generation == self._generation:
            self._idle.append(connection)
        else:
            await connection.close()
        return replies

    async def _take(self) -> RedisConnection:
        """Return an idle connection that the server has not closed, or a new one."""
        while self._idle:
            connection = self._idle.pop()
            if await connection.is_clean():
                return connection
            await connection.close()
        # Kept in variables: another call may give the server and the certificates up meanwhile.
        if (server := self._server) is None:
            server = self._server = await self._ask_sentinels()
        await self._lookup.check(*server)
        tls = self._tls
        if self._address.uses_tls and tls is None:
            tls = self._tls = await asyncio.to_thread(make_tls, self._address)
        connection = RedisConnection(self._address, *server, tls)
        await connection.open()
        return connection

    async def _ask_sentinels(self) -> tuple[str, int]:
        """Return host and port of the master. The Sentinel that answered is asked first the next time."""
        for sentinel in list(self._sentinels):
            # moved to the end first: a Sentinel that uses up the whole time limit is not asked first again
            self._sentinels.remove(sentinel)
            self._sentinels.append(sentinel)
            with suppress(StoreFault):
                reply = await self._ask_sentinel(*sentinel)
                if isinstance(reply, list):
                    self._sentinels.remove(sentinel)
                    self._sentinels.insert(0, sentinel)
                    host, port = reply
                    return host.decode(), int(port)
        raise StoreFault(FaultKind.CONNECTION, "no Sentinel answered with the master")

    async def _ask_sentinel(self, host: str, port: int) -> Reply:
        """Ask one Sentinel for the master.

        The server's password is sent only if the Sentinel asks for one. Raises :class:`StoreFault`.
        """
        await self._lookup.check(host, port)
        question: Command = ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._address.master_name or "")
        address = replace(self._address, database=0)
        with suppress(LoginFault):
            return await _ask(replace(address, username=None, password=None), host, port, question)
        return await _ask(address, host, port, question)


async def _ask(address: RedisAddress, host: str, port: int, question: Command) -> Reply:
    """Return the reply to *question* on a connection that is closed afterwards. Raises :class:`StoreFault`."""
    connection = RedisConnection(address, host, port, None)
    await connection.open()
    try:
        [reply] = await connection.exchange([question])
        return reply
    finally:
        await connection.close()
