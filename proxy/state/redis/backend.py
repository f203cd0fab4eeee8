"""The backend on a Redis or Valkey server. It needs the extra ``redis``, and works with both servers.

Each method makes one round trip: a pipeline of single commands, or one script. A server that does not know the script
yet needs a second round trip. *get* sends single GETs in place of one MGET, so an error for one name does not lose the
others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proxy.config.redis_address import RedisAddress
from proxy.state.external.backend import AccountChange, Entry, FaultKind, StoreFault
from proxy.state.redis.accounts import (
    CHANGE,
    CLEAR,
    RENEW,
    change_arguments,
    clear_arguments,
    milliseconds,
    renew_arguments,
)
from proxy.state.redis.connection import Command, Reply, ReplyError
from proxy.state.redis.connections import RedisConnections
from proxy.state.redis.scripts import Script, make_script, read_error, run_commands, run_scripts

_SWAP = """
local value = redis.pcall('GET', KEYS[1])
if type(value) == 'table' then
  if not string.find(value.err, 'WRONGTYPE', 1, true) then return value end
  value = ''
end
local has_old, old, has_new, new, lifetime_ms = unpack(ARGV)
if value then
  if has_old == '0' or value ~= old then return value end
elseif has_old == '1' then
  return false
end
if has_new == '1' then
  redis.call('SET', KEYS[1], new, 'PX', lifetime_ms)
  return new
end
redis.call('DEL', KEYS[1])
return false
"""
"""Compares and replaces one value. Returns the value that stands afterwards."""

_SWAP_SCRIPT = make_script(_SWAP)


class RedisBackend:
    """The backend on the server at *address*. At most eight of its methods run at a time.

    A value that is no string on the server, such as a list, is returned as empty bytes. The caller counts it as
    unreadable.
    """

    is_shared = True

    def __init__(self, address: RedisAddress) -> None:
        self._connections = RedisConnections(address)

    async def open(self) -> None:
        """Connect, and refuse a server in cluster mode, since its other nodes hold a part of the names."""
        pong, info = await self._connections.exchange([("PING",), ("INFO", "cluster")])
        _check(pong)
        if isinstance(info, bytes) and b"cluster_enabled:1" in info:
            await self._connections.give_up()
            words = "the store is in cluster mode, which is not supported yet: use one server, or Sentinel"
            raise StoreFault(FaultKind.REFUSED, words)

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.give_up()

    async def ping(self) -> None:
        """Return if the server answers. Raises :class:`StoreFault` otherwise."""
        for reply in await self._connections.exchange([("PING",)]):
            _check(reply)

    async def get(self, names: Sequence[str]) -> Mapping[str, bytes]:
        """Return values as :meth:`proxy.state.external.backend.Backend.get` does."""
        found = dict[str, bytes]()
        for name, reply in zip(names, await self._run([("GET", name) for name in names]), strict=True):
            if isinstance(reply, bytes):
                found[name] = reply
            elif reply == ReplyError("WRONGTYPE"):
                found[name] = b""
            else:
                _check(reply)
        return found

    async def put(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Write entries as :meth:`proxy.state.external.backend.Backend.put` does."""
        replies = await self._run(
            [("SET", entry.name, entry.value, "PX", milliseconds(entry.lifetime_s)) for entry in entries]
        )
        errors = [
            (entry, reply)
            for entry, reply in zip(entries, replies, strict=True)
            if isinstance(reply, ReplyError)
        ]
        if (
            errors
            and len(errors) == len(entries)
            and all(read_error(error).kind is not FaultKind.REFUSED for _, error in errors)
        ):
            _check(errors[0][1])
        return [entry for entry, _ in errors]

    async def swap(self, name: str, old: bytes | None, new: bytes | None, lifetime_s: float) -> bytes | None:
        """Replace a value as :meth:`proxy.state.external.backend.Backend.swap` does."""
        values = (int(old is not None), old or b"", int(new is not None), new or b"")
        reply = await self._call(_SWAP_SCRIPT, (1, name, *values, milliseconds(lifetime_s)))
        return reply if isinstance(reply, bytes) else None

    async def delete(self, names: Sequence[str]) -> None:
        """Delete the values under *names*. Raises :class:`StoreFault` if the server refused one of them."""
        for reply in await self._run([("UNLINK", name) for name in names]):
            _check(reply)

    async def change_account(self, change: AccountChange) -> bool:
        """Change an account as :meth:`proxy.state.external.backend.Backend.change_account` does."""
        return await self._call(CHANGE, change_arguments(change)) == 1

    async def renew(self, account: str, names: Sequence[str], lifetime_s: float) -> None:
        """Renew entries as :meth:`proxy.state.external.backend.Backend.renew` does."""
        if names:
            await self._call(RENEW, renew_arguments(account, names, lifetime_s))

    async def clear_account(self, account: str) -> int:
        """Delete entries as :meth:`proxy.state.external.backend.Backend.clear_account` does."""
        reply = await self._call(CLEAR, clear_arguments(account))
        return reply if isinstance(reply, int) else 0

    async def _call(self, script: Script, arguments: Command) -> Reply:
        """Run *script*, and return its reply. Raises :class:`StoreFault` also for an error that the server answers."""
        [reply] = await run_scripts(self._connections, [(script, arguments)])
        _check(reply)
        return reply

    async def _run(self, commands: Sequence[Command]) -> Sequence[Reply]:
        return await run_commands(self._connections, commands)


def _check(reply: Reply) -> None:
    """Raise :class:`StoreFault` if *reply* is an error."""
    if isinstance(reply, ReplyError):
        raise read_error(reply)
