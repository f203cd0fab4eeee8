"""Tests of clients that open silent connections to a process with few file descriptors."""

from __future__ import annotations

import contextlib
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from proxy.server.connections.limits import max_connections
from tests.process.emulators import Gemini
from tests.process.running import MODULE, Served, environment, serve

KEY = "tr-master-53"
DESCRIPTORS = 256
SILENT = 400

LIMITED = ("/bin/sh", "-c", f'ulimit -n {DESCRIPTORS} && exec "$@"', "sh", *MODULE)


def configure(gemini: Gemini) -> dict[str, Any]:
    """Return a configuration with a key and the admin listener."""
    params = {"model": "gemini/gemini-3.6-flash", "api_base": gemini.api_base, "api_key": "emulated"}
    return {
        "model_list": [{"model_name": "gemini", "litellm_params": params}],
        "general_settings": {
            "master_key": KEY,
            "admin": {"host": "127.0.0.1", "port": 0},
            "drain_delay": 0,
            "drain_grace": 1,
        },
    }


@contextlib.contextmanager
def silent_connections(*ports: int) -> Iterator[list[int]]:
    """Keep opening silent connections, with `SILENT` open at a time, and yield a list with their count."""
    counts = [0]
    stop = threading.Event()

    def flood() -> None:
        held: list[socket.socket] = []
        while not stop.is_set():
            sock = socket.socket()
            sock.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                sock.connect(("127.0.0.1", ports[counts[0] % len(ports)]))
            held.append(sock)
            counts[0] += 1
            if len(held) > SILENT:
                held.pop(0).close()
                time.sleep(0.0005)
        for sock in held:
            sock.close()

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        yield counts
    finally:
        stop.set()
        thread.join()


def ask(served: Served, client: httpx.Client) -> int:
    """Send a chat request with the master key, and return the status."""
    body = {"model": "gemini", "messages": [{"role": "user", "content": "Hello."}]}
    headers = {"Authorization": f"Bearer {KEY}"}
    return client.post(f"{served.base_url}/chat/completions", json=body, headers=headers).status_code


def sample(client: httpx.Client, address: str, name: str) -> float:
    """Return the sum of the samples whose lines begin with ``turnright_`` and *name*."""
    lines = client.get(f"{address}/metrics").text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"turnright_{name}"))


def test_silent_connections_lock_nobody_out(tmp_path: Path, gemini: Gemini) -> None:
    """Clients and probes are served while hundreds of silent connections fill both listeners."""
    once = {"Connection": "close"}  # an idle connection without a key may be closed before its next request
    with (
        serve(tmp_path, configure(gemini), program=LIMITED) as served,
        httpx.Client(timeout=30, trust_env=False, headers=once) as client,
        httpx.Client(
            timeout=30, headers=once, transport=httpx.HTTPTransport(local_address="127.0.0.2")
        ) as prober,
    ):
        port, admin = int(served.origin.rpartition(":")[2]), f"http://127.0.0.1:{served.admin_port}"
        assert served.admin_port is not None
        with silent_connections(port, served.admin_port) as counts:
            while counts[0] < 2 * SILENT:
                time.sleep(0.01)
            statuses = [ask(served, client) for _ in range(20)]
            probes = [prober.get(f"{origin}/readyz").status_code for origin in (served.origin, admin)]
            opened = sample(prober, admin, "connections ")
            closed = sample(prober, admin, "connections_closed_total")
        lines = served.running.events("connections_closed")
        complaints = served.running.events("library_log")

    assert statuses == [200] * 20
    assert probes == [200, 200]
    assert 1 <= opened <= max_connections(DESCRIPTORS, 512)
    assert closed > SILENT / 2
    assert 1 <= len(lines) <= 3
    assert complaints == []


def test_soft_limit_is_raised(tmp_path: Path, gemini: Gemini) -> None:
    """The process raises its soft limit of file descriptors to the hard limit, up to 65,536.

    Most systems set a soft limit of 1,024 for the sake of old programs.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft = ("/bin/sh", "-c", 'ulimit -S -n 128 && exec "$@"', "sh", *MODULE)
    with (
        serve(tmp_path, configure(gemini), program=soft) as served,
        httpx.Client(timeout=30, trust_env=False) as client,
    ):
        text = client.get(f"{served.origin}/metrics").text

    [found] = [line for line in text.splitlines() if line.startswith("process_max_fds ")]
    assert float(found.split()[1]) == min(hard, 65_536)


@pytest.mark.parametrize("descriptors", [4_095, 4_096])
def test_check_warns_of_few_descriptors(tmp_path: Path, descriptors: int) -> None:
    """``turnright check`` warns if the process may open fewer than 4,096 file descriptors."""
    path = tmp_path / "config.yaml"
    path.write_text("model_list: [{model_name: m, litellm_params: {model: openai/gpt-4o, api_key: k}}]\n")
    program = ("/bin/sh", "-c", f'ulimit -n {descriptors} && exec "$@"', "sh", sys.executable, "-m", "proxy")
    done = subprocess.run(
        [*program, "check", "--config", str(path)],
        capture_output=True,
        text=True,
        check=False,
        env=environment(PYTHONPATH=str(Path(__file__).parents[2])),
    )

    assert done.returncode == 0, done.stderr
    assert ("descriptors" in done.stderr) == (descriptors < 4_096)
