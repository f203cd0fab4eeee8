"""Tests of the process's start: network and file access, footprint, requests while warming up, and closed outputs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.process.asking import TARGETS, ask, body
from tests.process.emulators import Gemini
from tests.process.running import PATHS, ROOT, Running, Served, environment, reserved_port

WATCHED = """
import asyncio, json, os, sys

network, files = [], []

def hook(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect", "socket.sendto"):
        network.append([event, repr(arguments[-1])])
    elif event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        path, mode, flags = arguments
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        files.append([os.path.realpath(os.fsdecode(path)), bool(writes)])

sys.addaudithook(hook)
from proxy.upstream.litellm.transport import LiteLLMUpstream

async def start():
    upstream = LiteLLMUpstream()
    assert "litellm" not in sys.modules
    await upstream.start()
    assert "litellm" in sys.modules
    await upstream.close()

asyncio.run(start())
found = {"network": network, "files": files, "environment": {n: os.environ.get(n) for n in sys.argv[1:]}}
print(json.dumps(found | {"prefixes": sorted({sys.prefix, sys.base_prefix})}))
"""

QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION", "LITELLM_LOG": "ERROR"}


def test_start_looks_nothing_up(tmp_path: Path) -> None:
    """The start of the litellm transport uses no network, writes no file and reads no ``.env``."""
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-from-a-file\n")
    done = subprocess.run(
        [sys.executable, "-B", "-c", WATCHED, *QUIET, "OPENAI_API_KEY"],
        cwd=tmp_path,
        env=environment(PYTHONPATH=str(ROOT), LITELLM_MODE="DEV", LITELLM_LOG="DEBUG"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1, "litellm prints nothing"
    found = json.loads(done.stdout)
    assert found["network"] == []
    assert found["environment"] == QUIET | {"OPENAI_API_KEY": None}
    allowed = (*found["prefixes"], str(ROOT), "/usr/", "/lib", "/proc/", "/dev/", "/etc/", "/sys/")
    assert [path for path, _ in found["files"] if not path.startswith(allowed)] == []
    assert [path for path, written in found["files"] if written and path != "/dev/null"] == []
    assert [path for path, _ in found["files"] if path.endswith("/.env")] == []


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", TARGETS)
def test_tools_on_the_bare_install(
    http: httpx.Client, served: Served, gemini: Gemini, model: str, stream: bool
) -> None:
    """The pinned litellm takes ``tools`` without its proxy extra: a declared tool is called."""
    messages: Any = [{"role": "user", "content": "Please call look_up."}]

    answer = ask(http, served, body(model, messages, tools=["look_up"], stream=stream))

    assert answer.is_whole, answer.text
    assert '"name":"look_up"' in answer.text
    assert '"finish_reason":"tool_calls"' in answer.text


def resident_mib(process: int) -> float:
    """Return the resident memory of a process in MiB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


MAX_MIB = {"litellm": 400, "direct": 90}


def test_ready_process_has_a_bounded_footprint_and_json_lines(
    http: httpx.Client, served: Served, transport: str
) -> None:
    """A ready process says so on ``/readyz``, uses limited memory and logs one ``ready`` event."""
    resident = resident_mib(served.running.process.pid)
    print(f"ready after {served.seconds_to_ready:.1f} s, RSS {resident:.0f} MiB")  # noqa: T201 - with -rP

    assert http.get(f"{served.origin}/readyz").json() == {"status": "ready"}
    assert resident < MAX_MIB[transport]
    assert len(served.running.events("ready")) == 1


def test_direct_process_imports_no_litellm(directory: Path, http: httpx.Client, gemini: Gemini) -> None:
    """A process with direct deployments alone answers without importing litellm, httpx or OpenAI's SDK."""
    parameters = {"model": "gemini/*", "api_key": "emulated", "api_base": gemini.api_base}
    config = {
        "model_list": [{"model_name": "gemini/*", "litellm_params": parameters}],
        "general_settings": {"drain_delay": 0},
    }
    path = directory / "direct.yaml"
    path.write_text(yaml.safe_dump(config))
    arguments = ("serve", "--config", str(path), "--port", "0")
    running = Running(directory, *arguments, variables={"PYTHONPROFILEIMPORTTIME": "1"})
    try:
        ready = running.wait_for(lambda: next(iter(running.events("ready")), None), "ready line")
        request = body("gemini/gemini-2.5-pro", [{"role": "user", "content": "x"}])
        answer = http.post(f"{ready['base_url']}/chat/completions", json=request)
        resident = resident_mib(running.process.pid)
    finally:
        running.stop()

    imported = {line.rpartition("|")[2].strip() for line in running.errors.splitlines()}
    assert answer.status_code == 200
    assert "aiohttp" in imported
    assert not {"litellm", "httpx", "openai"} & imported
    assert resident < MAX_MIB["direct"]


GATE = """
import os, sys, threading, time

class Gate:
    def find_spec(self, name, path=None, target=None):
        held = name == "litellm" and threading.current_thread() is not threading.main_thread()
        while held and not os.path.exists(os.environ["OPEN_GATE"]):
            time.sleep(0.01)

sys.meta_path.insert(0, Gate())
"""
"""Code for ``sitecustomize``: the import of litellm lasts until a file exists."""


@dataclass(frozen=True)
class Warming:
    """A process that answers, but is not ready until the file ``gate`` exists."""

    running: Running
    origin: str
    gate: Path


@pytest.fixture
def warming(directory: Path, tmp_path: Path, http: httpx.Client) -> Iterator[Warming]:
    """Start a process and return it as soon as it answers, in the middle of litellm's import."""
    parameters = {"model": "gemini/*", "api_key": "emulated", "api_base": "http://127.0.0.1:9/v1beta"}
    config = {
        "model_list": [{"model_name": "gemini/*", "litellm_params": parameters, "transport": "litellm"}],
        "general_settings": {"drain_delay": 0},
    }
    path = directory / "warming.yaml"
    path.write_text(yaml.safe_dump(config))
    (tmp_path / "sitecustomize.py").write_text(GATE)
    gate = tmp_path / "open"
    variables = {"PYTHONPATH": os.pathsep.join([str(tmp_path), PATHS]), "OPEN_GATE": str(gate)}
    with reserved_port() as port:
        running = Running(directory, "serve", "--config", str(path), "--port", str(port), variables=variables)
        origin = f"http://127.0.0.1:{port}"
        try:
            running.wait_for(lambda: probe(http, origin), "answer to a probe")
            yield Warming(running, origin, gate)
        finally:
            gate.touch()
            running.stop()


def probe(http: httpx.Client, origin: str) -> tuple[int, int] | None:
    """Return the statuses of ``/livez`` and ``/readyz``, None where nobody listens."""
    try:
        return http.get(f"{origin}/livez").status_code, http.get(f"{origin}/readyz").status_code
    except httpx.TransportError:
        return None


def test_probes_while_warming_up(http: httpx.Client, warming: Warming) -> None:
    """While litellm is imported, the process is alive but not ready.

    After the log's ready line, the process is ready.
    """
    running, origin = warming.running, warming.origin
    early = probe(http, origin)
    was_ready = bool(running.events("ready"))
    warming.gate.touch()
    running.wait_for(lambda: running.events("ready"), "ready line")

    assert (early, was_ready) == ((200, 503), False)
    assert probe(http, origin) == (200, 200)
    assert (running.stop(), running.errors) == (0, "")


def test_request_before_ready_waits_and_is_then_sent(http: httpx.Client, warming: Warming) -> None:
    """A chat request that comes before the process is ready waits, and is sent once the process is ready."""
    request = body("gemini/gemini-2.5-pro", [{"role": "user", "content": "x"}])
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(http.post, f"{warming.origin}/v1/chat/completions", json=request, timeout=90)
        time.sleep(0.5)
        was_ready, was_answered = bool(warming.running.events("ready")), asked.done()
        warming.gate.touch()
        answer = asked.result()

    assert (was_ready, was_answered) == (False, False)

    assert (502, "upstream_unreachable") == (answer.status_code, answer.json()["error"]["code"])


@pytest.fixture
def port() -> Iterator[int]:
    """Return a reserved port, for a process that cannot print which port it took."""
    with reserved_port() as number:
        yield number


@pytest.mark.parametrize(
    ("closed", "told"),
    [
        (">&-", "turnright: warning: standard output is closed: the log goes nowhere\n"),
        ("2>&-", ""),
        (">&- 2>&-", ""),
        ("<&- >&- 2>&-", ""),
    ],
)
def test_process_serves_with_its_outputs_closed(tmp_path: Path, port: int, closed: str, told: str) -> None:
    """A process whose outputs are closed still serves, and no socket or pipe gets the descriptors 0 to 2."""
    path, log = tmp_path / "config.yaml", tmp_path / "err"
    model = {"model_name": "m", "litellm_params": {"model": "openai/gpt-4o", "api_key": "k"}}
    path.write_text(yaml.safe_dump({"model_list": [model], "general_settings": {"drain_delay": 0}}))
    arguments = [sys.executable, "-m", "proxy", "serve", "--config", str(path), "--port", str(port)]
    with log.open("wb") as err:
        process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=err,
            env=environment(PYTHONPATH=PATHS, GEMINI_API_KEY="x"),
        )
    try:
        statuses = _ask_until_ready(process, port)
        streams = [os.readlink(f"/proc/{process.pid}/fd/{number}") for number in range(3)]
    finally:
        process.terminate()
        ended = process.wait(60)

    assert statuses == 200
    assert not any(name.startswith(("socket:", "anon_inode:", "pipe:")) for name in streams)
    assert ended == 0
    assert log.read_text() == told


def _ask_until_ready(process: subprocess.Popen[bytes], port: int) -> int | None:
    """Return 200 once ``/readyz`` answers with 200, or None if the process ends first or a minute passes."""
    limit = time.monotonic() + 60
    with httpx.Client(
        trust_env=False, timeout=30
    ) as http:  # one, since a client reads its certificates for 0.1 s
        while process.poll() is None and time.monotonic() < limit:
            try:
                status = http.get(f"http://127.0.0.1:{port}/readyz").status_code
            except httpx.TransportError:
                status = 0
            if status == 200:
                return status
            time.sleep(0.02)
    return None
