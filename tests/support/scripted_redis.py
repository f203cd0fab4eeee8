"""A server that speaks Redis's protocol (RESP 2) and answers each command as a test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

OK = b"+OK\r\n"
NIL = b"$-1\r\n"

Answer = Callable[[list[bytes]], bytes | None]
"""Takes a command's words, and returns the bytes of the reply. None means silence, b"" closes the connection."""


def bulk(value: bytes) -> bytes:
    """Return *value* as a reply."""
    return b"$%d\r\n%s\r\n" % (len(value), value)


def bulks(*values: bytes) -> bytes:
    """Return *values* as one reply."""
    return b"*%d\r\n%s" % (len(values), b"".join(map(bulk, values)))


@dataclass(slots=True)
class ScriptedRedis:
    """The bytes that arrived at the server so far, and its address."""

    port: int = 0
    connections: int = 0
    open_connections: int = 0
    commands: list[list[bytes]] = field(default_factory=list)
    serving: dict[asyncio.Task[None] | None, asyncio.StreamWriter] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The server's address."""
        return f"redis://127.0.0.1:{self.port}"

    async def hang_up(self) -> None:
        """Close all connections, and wait until they are closed."""
        for writer in self.serving.values():
            writer.close()
        await asyncio.gather(*filter(None, self.serving))

    def names(self) -> list[str]:
        """Return the first word of each command that arrived."""
        return [words[0].decode() for words in self.commands]


@asynccontextmanager
async def scripted_redis(answer: Answer) -> AsyncIterator[ScriptedRedis]:
    """Serve on a port of 127.0.0.1. *answer* replies to all commands but ``CLIENT SETNAME``, which gets OK."""
    script = ScriptedRedis()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        script.serving[asyncio.current_task()] = writer
        script.connections += 1
        script.open_connections += 1
        with suppress(OSError, asyncio.IncompleteReadError):
            while True:
                words = await _read_command(reader)
                script.commands.append(words)
                reply = OK if words[:2] == [b"CLIENT", b"SETNAME"] else answer(words)
                if reply == b"":
                    break
                if reply is not None:
                    writer.write(reply)
                    await writer.drain()
        script.open_connections -= 1
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    script.port = server.sockets[0].getsockname()[1]
    try:
        yield script
    finally:
        server.close()
        await script.hang_up()


async def _read_command(reader: asyncio.StreamReader) -> list[bytes]:
    count = int((await reader.readuntil(b"\r\n"))[1:])
    words = []
    for _ in range(count):
        size = int((await reader.readuntil(b"\r\n"))[1:])
        words.append((await reader.readexactly(size + 2))[:-2])
    return words
