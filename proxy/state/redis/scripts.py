"""Scripts of a Redis or Valkey server, and the pipelines that run them.

A script is called by its digest, once the server knows the script. Before that the server gets the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.redis.connection import Command, Reply, ReplyError
from proxy.state.redis.connections import RedisConnections


class Script(NamedTuple):
    """A script of the server, and the digest by which the server knows the script once it has run."""

    text: str
    digest: str


Call: TypeAlias = tuple[Script, Command]
"""A script with the number of its keys, the keys, and the arguments."""


def make_script(text: str) -> Script:
    """Return the script with *text*."""
    return Script(text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


_NO_WRITES = {"OOM": FaultKind.FULL, "MISCONF": FaultKind.FULL, "NOREPLICAS": FaultKind.READ_ONLY}
"""Codes of a server that takes no writes: its memory is full, it cannot write to its disk, or it lacks replicas."""


_READ_ONLY, _MASTER_DOWN, _NO_SCRIPT = map(ReplyError, ("READONLY", "MASTERDOWN", "NOSCRIPT"))


def read_error(error: ReplyError) -> StoreFault:
    """Return the fault that *error* means, which the server answered one command with."""
    if error.code in _NO_WRITES:
        return StoreFault(_NO_WRITES[error.code], f"the store takes no writes: {error.code}")
    return StoreFault(FaultKind.REFUSED, f"the store refused a command: {error.code}")


async def run_commands(connections: RedisConnections, commands: Sequence[Command]) -> Sequence[Reply]:
    """Return one reply for each of *commands*. Raises :class:`StoreFault`.

    If the server became read-only or lost its master, all connections are closed.
    """
    if not commands:
        return ()
    replies = await connections.exchange(commands)
    if _READ_ONLY in replies:
        await connections.give_up()
        raise StoreFault(FaultKind.READ_ONLY, "the store is a replica, which takes no writes")
    if _MASTER_DOWN in replies:
        await connections.give_up()
        raise StoreFault(FaultKind.CONNECTION, "the store is a replica without its master")
    return replies


async def run_scripts(connections: RedisConnections, calls: Sequence[Call]) -> list[Reply]:
    """Run *calls* in their order, and return one reply for each. Raises :class:`StoreFault`.

    A script's text is sent until the server has run the script. A server that has forgotten a script gets the call
    again, after the others.
    """
    known = connections.known_scripts
    first: list[Command] = [
        ("EVALSHA", script.digest, *rest) if script.digest in known else ("EVAL", script.text, *rest)
        for script, rest in calls
    ]
    replies = list(await run_commands(connections, first))
    if _NO_SCRIPT in replies:
        forgotten = [number for number, reply in enumerate(replies) if reply == _NO_SCRIPT]
        again: list[Command] = [("EVAL", calls[number][0].text, *calls[number][1]) for number in forgotten]
        for number, reply in zip(forgotten, await run_commands(connections, again), strict=True):
            replies[number] = reply
    known.update([script.digest for script, _ in calls])
    return replies
