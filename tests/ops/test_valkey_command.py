"""Runs the command of the example Valkey with a real server: its password, its limits and its probes.

The server is the one of the tests of the store. Debian's ``redis-cli`` stands in for ``valkey-cli``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ops.deploy.tools import DEPLOY
from tests.support.store_servers import valkey_server_binary

PASSWORD = "0123456789abcdef"
STATEFUL_SET = DEPLOY / "kubernetes" / "overlays" / "gateway-valkey" / "stateful-set.yaml"
COMPOSE = DEPLOY / "compose.valkey.yaml"


@dataclass(frozen=True)
class Server:
    """A running server, the environment that its container has, and its probe."""

    variables: dict[str, str]
    probe: str
    socket: Path

    def ask(self, *words: str, password: str = PASSWORD) -> list[str]:
        """Return the lines that the server answers to a command."""
        done = subprocess.run(
            ["valkey-cli", "-s", str(self.socket), *words],
            env={**self.variables, "REDISCLI_AUTH": password},
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
        return (done.stdout + done.stderr).splitlines()

    def probed(self) -> int:
        """Return the exit status of the container's probe."""
        return subprocess.run(
            ["sh", "-c", self.probe], env=self.variables, timeout=10, check=False
        ).returncode


def in_kubernetes() -> tuple[str, str]:
    """Return the shell command and the probe of the StatefulSet's container."""
    [container] = yaml.safe_load(STATEFUL_SET.read_bytes())["spec"]["template"]["spec"]["containers"]
    assert container["livenessProbe"]["exec"] == container["readinessProbe"]["exec"]
    return container["args"][0], container["livenessProbe"]["exec"]["command"][-1]


def in_compose() -> tuple[str, str]:
    """Return the same of compose's service. Compose reads ``$$`` as ``$``."""
    service: dict[str, Any] = yaml.safe_load(COMPOSE.read_bytes())["services"]["valkey"]
    return service["command"][-1].replace("$$", "$"), service["healthcheck"]["test"][-1].replace("$$", "$")


@pytest.fixture(params=[in_kubernetes, in_compose])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """Run the container's command at a socket in *tmp_path*."""
    written: Callable[[], tuple[str, str]] = request.param
    command, probe = written()
    client = shutil.which("valkey-cli") or shutil.which("redis-cli")
    if client is None:
        pytest.skip("neither valkey-cli nor redis-cli is installed (Debian package: redis-tools)")
    (tmp_path / "valkey-cli").symlink_to(client)
    (tmp_path / "valkey-server").symlink_to(valkey_server_binary())
    socket = tmp_path / "s"
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "VALKEY_PASSWORD": PASSWORD}
    command = command.replace("valkey-server ", f"valkey-server --port 0 --unixsocket {socket} ")
    running = subprocess.Popen(
        ["sh", "-c", command], env=variables, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        limit = time.monotonic() + 10
        while not socket.exists():
            assert running.poll() is None, running.stdout and running.stdout.read()
            assert time.monotonic() < limit
            time.sleep(0.01)
        yield Server(variables, probe.replace("valkey-cli ", f"valkey-cli -s {socket} "), socket)
    finally:
        running.terminate()
        running.communicate(timeout=10)


def test_it_asks_for_the_password_of_its_environment(server: Server) -> None:
    """The server answers whoever has the password of the environment, and nobody else."""
    assert server.ask("ping") == ["PONG"]
    assert server.ask("ping", password="wrong") != ["PONG"]
    assert server.ask("ping", password="") != ["PONG"]


def test_it_keeps_nothing_on_disk_and_has_a_limit(server: Server) -> None:
    """Snapshots and the append-only file are off. At the limit the entries go first that would expire first."""
    options = ("save", "appendonly", "maxmemory", "maxmemory-policy")
    told = {option: server.ask("config", "get", option)[1:] for option in options}

    assert told == {
        "save": [""],
        "appendonly": ["no"],
        "maxmemory": [str(512 * 2**20)],
        "maxmemory-policy": ["volatile-ttl"],
    }


def test_its_probe_tells_an_answer_from_none(server: Server) -> None:
    """The probe is content with an answer. It is not content with a refusal, although the connection opens."""
    wrong = Server({**server.variables, "VALKEY_PASSWORD": "wrong"}, server.probe, server.socket)

    assert server.probed() == 0
    assert wrong.probed() != 0
