"""Holds one session of the real gemini-cli over several prompts, as an editor does.

A session that ``--resume`` loads has lost its signatures. This one keeps them, as the terminal's does. The process
speaks the agent client protocol: a JSON-RPC message on each line of its standard input and output.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.clients.at_length.gemini_cli import SECONDS, GeminiCli


class GeminiSession:
    """A running session. A test gives it prompts, and may give it another model in between."""

    def __init__(self, process: subprocess.Popen[str], work: Path) -> None:
        self._process = process
        self._sent = 0
        self.updates: list[dict[str, Any]] = []
        capabilities = {"fs": {"readTextFile": False, "writeTextFile": False}}
        self._ask("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities})
        self._id = self._ask("session/new", {"cwd": str(work), "mcpServers": []})["sessionId"]

    def prompt(self, text: str) -> str:
        """Return the text of the model's answers to a prompt, after all its calls were run."""
        self.updates.clear()
        ended = self._ask("session/prompt", {"prompt": [{"type": "text", "text": text}]})
        assert ended["stopReason"] == "end_turn", ended
        said = [update for update in self.updates if update["sessionUpdate"] == "agent_message_chunk"]
        return "".join(update["content"]["text"] for update in said)

    def take_model(self, name: str) -> None:
        """Ask the model *name* from here on."""
        self._ask("session/set_model", {"modelId": name})

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        """Return the result of a method. Fails on its error, and where the process ends."""
        asking, told = self._process.stdin, self._process.stdout
        assert asking is not None
        assert told is not None
        self._sent += 1
        given = {"sessionId": self._id, **params} if self._sent > 2 else params
        asking.write(
            json.dumps({"jsonrpc": "2.0", "id": self._sent, "method": method, "params": given}) + "\n"
        )
        asking.flush()
        for line in told:
            message = json.loads(line)
            if "method" in message:
                self.updates.append(message["params"]["update"])
            elif message["id"] == self._sent:
                assert "error" not in message, message
                return message["result"]
        raise AssertionError(f"gemini-cli ended in {method}")


@contextmanager
def holding(cli: GeminiCli) -> Iterator[GeminiSession]:
    """Run gemini-cli while the context lasts, at most as long as a run of it may take."""
    with (cli.directory / "errors").open("wb") as errors:
        process = subprocess.Popen(
            cli.command("--acp"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=cli.work,
            env=cli.environment(),
            text=True,
        )
    limit = threading.Timer(SECONDS, process.kill)
    limit.start()
    try:
        yield GeminiSession(process, cli.work)
    finally:
        limit.cancel()
        process.kill()
        process.communicate()
