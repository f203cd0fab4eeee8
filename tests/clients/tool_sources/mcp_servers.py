"""Asks a server of the Model Context Protocol for its tools, over stdio.

Each line is one JSON-RPC message (modelcontextprotocol.io, version 2025-06-18). The servers are started with invented
keys and are never asked to do anything: a list of tools needs no network.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import IO, Any

import pytest

from tests.clients.tool_sources.tool import Tool

SECONDS = 60.0
PROTOCOL = "2025-06-18"
HELLO = {
    "protocolVersion": PROTOCOL,
    "capabilities": {},
    "clientInfo": {"name": "turnright-tests", "version": "1"},
}


def list_tools(command: Sequence[str], variables: Mapping[str, str]) -> list[Tool]:
    """Start the server, ask for its tools, and end it. Fails with the server's error output if no answer comes."""
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryDirectory() as directory:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            cwd=directory,
            env={**variables, "HOME": directory},
            text=True,
            encoding="utf-8",
        )
        late = threading.Timer(SECONDS, process.kill)
        late.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            return _ask(process.stdin, process.stdout)
        except (BrokenPipeError, EOFError):
            said.seek(0)
            pytest.fail(f"{command[-1]} gave no list of its tools:\n{said.read()[-2_000:]}", pytrace=False)
        finally:
            late.cancel()
            process.kill()
            process.communicate()


def _ask(server: IO[str], answers: IO[str]) -> list[Tool]:
    _send(server, id=0, method="initialize", params=HELLO)
    _answer(server, answers, 0)
    _send(server, method="notifications/initialized")
    tools: list[Tool] = []
    params: dict[str, Any] = {}
    number = 0
    while True:
        number += 1
        _send(server, id=number, method="tools/list", params=params)
        page = _answer(server, answers, number)
        tools += [
            Tool(tool["name"], tool.get("description") or "", tool["inputSchema"]) for tool in page["tools"]
        ]
        if not page.get("nextCursor"):
            return tools
        params = {"cursor": page["nextCursor"]}


def _send(server: IO[str], **message: Any) -> None:
    server.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.flush()


def _answer(server: IO[str], answers: IO[str], number: int) -> dict[str, Any]:
    """Return the result of request *number*. The server's own requests meanwhile get an empty result."""
    for line in answers:
        message = json.loads(line)
        if "method" in message:
            if "id" in message:
                _send(server, id=message["id"], result={})
        elif message.get("id") == number:
            assert "result" in message, message
            result: dict[str, Any] = message["result"]
            return result
    raise EOFError
