"""Tests of hot reload in the running process: requests in flight, changes of the file, and memory growth."""

from __future__ import annotations

import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.process.asking import Answer, ask, body, metric
from tests.process.running import Running, Served, planted, serve
from tests.support.openai_emulator import OpenAIEmulator

HELLO: Any = [{"role": "user", "content": "x"}]
SECRET = "sk-secret-77aa"
QUICK = {"drain_delay": 0, "drain_grace": 5}


def entry(provider: OpenAIEmulator, name: str, **params: Any) -> dict[str, Any]:
    """Return an entry of the model list."""
    given = {"model": "openai/gpt-4.1", "api_base": provider.base_url, "api_key": "emulated", **params}
    return {"model_name": name, "litellm_params": given}


def config(provider: OpenAIEmulator, *names: str, **sections: Any) -> dict[str, Any]:
    """Return a configuration that serves *names*, without retries."""
    general = {**QUICK, **sections.pop("general_settings", {})}
    router = {"num_retries": 0, "cooldown_time": 0, **sections.pop("router_settings", {})}
    entries = sections.pop("model_list", [entry(provider, name) for name in names])
    return {"model_list": entries, "general_settings": general, "router_settings": router, **sections}


class Reloading:
    """A served process and its configuration file."""

    def __init__(self, served: Served, path: Path, http: httpx.Client) -> None:
        self.served, self.path, self.http = served, path, http

    @property
    def running(self) -> Running:
        """The process."""
        return self.served.running

    def ask(self, model: str, **fields: Any) -> Answer:
        """Send a chat request."""
        return ask(self.http, self.served, {**body(model, HELLO), **fields})

    def metric(self, name: str) -> float:
        """Return the value of a metric that has no labels."""
        return metric(self.http, self.served.origin, name)

    def told(self) -> int:
        """Return the number of reloads in the log, successful or failed."""
        return len(self.running.events("config_reloaded")) + len(self.running.events("config_reload_failed"))

    @contextmanager
    def reload(self) -> Iterator[None]:
        """Run the body of the ``with`` block, then wait until a reload is logged."""
        before = self.told()
        yield
        until(lambda: self.told() > before)

    def publish(self, text: str | Mapping[str, Any]) -> None:
        """Replace the configuration file, and wait until the new one is loaded or refused."""
        with self.reload():
            put(self.path, text)


def put(path: Path, text: str | Mapping[str, Any]) -> None:
    """Replace the configuration file atomically."""
    beside = path.with_suffix(".new")
    beside.write_text(text if isinstance(text, str) else yaml.safe_dump(dict(text)))
    os.replace(beside, path)


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until *condition* holds."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.02)


@contextmanager
def reloading(directory: Path, http: httpx.Client, given: Mapping[str, Any]) -> Iterator[Reloading]:
    """Serve a configuration from *directory*."""
    directory.mkdir(exist_ok=True)
    with serve(directory, given) as served:
        [path] = directory.glob("*.yaml")
        yield Reloading(served, path, http)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """Return a pool of threads, for clients that wait for their answers."""
    with ThreadPoolExecutor() as executor:
        yield executor


def begin(
    pool: ThreadPoolExecutor, reloading: Reloading, provider: OpenAIEmulator, **fields: Any
) -> Future[Answer]:
    """Start a streamed request that takes some seconds. Return its future once the provider has the request."""

    def send() -> Answer:
        with httpx.Client(timeout=60, trust_env=False) as client:
            return ask(client, reloading.served, {**body("old", HELLO, stream=True), **fields})

    known = len(provider.requests)
    provider.faults.append({"text": "one two three four five six seven eight", "chunk_delay_seconds": 0.6})
    answer = pool.submit(send)
    until(lambda: len(provider.requests) > known)
    return answer


def test_models_come_and_go_under_a_stream(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator, pool: ThreadPoolExecutor
) -> None:
    """A stream ends whole on its model, although a reload has removed that model meanwhile."""
    with reloading(tmp_path / "a", http, config(openai_emulator, "old")) as process:
        stream = begin(pool, process, openai_emulator)

        process.publish(config(openai_emulator, "new", general_settings={"drain_grace": 6}))
        statuses = {name: process.ask(name).status for name in ("old", "new")}
        listed = http.get(f"{process.served.base_url}/models").json()["data"]
        was_running = not stream.done()

        assert (statuses, was_running) == ({"old": 404, "new": 200}, True)
        assert [model["id"] for model in listed] == ["new"]
        assert stream.result(30).is_whole
        [line] = process.running.wait_for_events("config_reloaded", 1)
        told = {key: line[key] for key in ("trigger", "changed", "models_added", "models_removed")}
        assert told == {
            "trigger": "file",
            "changed": ["model_list", "general_settings.drain_grace"],
            "models_added": ["new"],
            "models_removed": ["old"],
        }


def test_fallback_and_keys_change(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator
) -> None:
    """A reload changes the fallback, the clients' keys and the providers' keys."""
    names = ("main", "first", "second")
    with reloading(tmp_path / "a", http, config(openai_emulator, *names)) as process:
        for spare in ("first", "second"):
            entries = [entry(openai_emulator, name, api_key=f"key-{spare}-{name}") for name in names]
            sections: dict[str, Any] = {
                "model_list": entries,
                "router_settings": {"fallbacks": [{"main": [spare]}]},
                "general_settings": {"master_key": f"{SECRET}-{spare}"},
            }
            process.publish(config(openai_emulator, **sections))
            openai_emulator.requests.clear()
            openai_emulator.faults.append({"status": 503, "message": "Overloaded."})
            url, content = f"{process.served.base_url}/chat/completions", body("main", HELLO)
            answer = http.post(url, json=content, headers={"Authorization": f"Bearer {SECRET}-{spare}"})
            refused = http.post(url, json=content, headers={"Authorization": f"Bearer {SECRET}"})

            assert (answer.status_code, refused.status_code) == (200, 401)
            sent = [request.headers["Authorization"] for request in openai_emulator.requests]
            assert sent == [f"Bearer key-{spare}-main", f"Bearer key-{spare}-{spare}"]
        assert SECRET not in process.running.output


def test_bad_file_then_repaired(tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator) -> None:
    """With a bad file the old configuration stays in use, and the faults are logged.

    The gauge of reload success is 0 until the file is good.
    """
    good = config(openai_emulator, "old")
    bad = {**good, "router_settings": {"timeout": -1}, "sanitise": {}, "general_settings": {"master_key": 5}}
    with reloading(tmp_path / "a", http, good) as process:
        taken_up = process.metric("turnright_config_reload_timestamp_seconds")
        assert process.metric("turnright_config_reload_success") == 1

        process.publish(bad)
        first = process.running.events("config_reload_failed")[0]
        assert process.metric("turnright_config_reload_success") == 0
        process.publish(f"model_list: [{SECRET}")
        process.publish("")
        with process.reload():
            process.path.unlink()
        assert process.ask("old").status == 200
        assert process.metric("turnright_config_reload_timestamp_seconds") == taken_up

        process.publish(config(openai_emulator, "old", "new"))

        assert process.metric("turnright_config_reload_success") == 1
        assert process.metric("turnright_config_reload_timestamp_seconds") > taken_up
        assert process.ask("new").status == 200
        counts = re.findall(
            r'turnright_config_reloads_total\{result="(\w+)"\} (\S+)',
            http.get(f"{process.served.origin}/metrics").text,
        )
        assert dict(counts) == {"ok": "1.0", "failed": "4.0"}
        assert {fault.partition(":")[0] for fault in first["faults"]} == {
            "sanitise",
            "router_settings.timeout",
            "general_settings.master_key",
        }
        last = process.running.wait_for_events("config_reload_failed", 4)[3]
        assert last["faults"] == ["cannot be read: No such file or directory"]
        assert SECRET not in process.running.output


def test_swapped_config_map_is_loaded(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator
) -> None:
    """The configuration is reloaded when the symlink ``..data`` is swapped to a new directory, as the kubelet does."""
    mount = tmp_path / "mount"
    mount.mkdir()

    def publish(number: int, name: str) -> None:
        data = mount / f"..2026_11_22_{number}"
        data.mkdir()
        (data / "turnright.yaml").write_text(yaml.safe_dump(config(openai_emulator, name)))
        (mount / "..data_tmp").symlink_to(data.name)
        os.replace(mount / "..data_tmp", mount / "..data")
        shutil.rmtree(mount / f"..2026_11_22_{number - 1}", ignore_errors=True)

    publish(1, "one")
    (mount / "turnright.yaml").symlink_to("..data/turnright.yaml")
    arguments = ("serve", "--config", str(mount / "turnright.yaml"), "--port", "0")
    running = Running(tmp_path, *arguments)
    try:
        ready = running.wait_for(lambda: next(iter(running.events("ready")), None), "ready line")
        served = Served(running, ready["base_url"].removesuffix("/v1"))
        process = Reloading(served, mount / "turnright.yaml", http)
        for number, name in ((2, "two"), (3, "three")):
            with process.reload():
                publish(number, name)
            assert process.ask(name).status == 200
    finally:
        status = running.stop()
    assert (status, running.errors, len(running.events("config_reload_failed"))) == (0, "", 0)


def test_sighup_reloads_at_once(tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator) -> None:
    """SIGHUP reloads at once, even an unchanged file. Without a file, SIGHUP reloads from the environment."""
    with reloading(tmp_path / "a", http, config(openai_emulator, "old")) as process:
        with process.reload():
            process.running.signal(signal.SIGHUP)
        [line] = process.running.events("config_reloaded")
        assert (line["trigger"], line["changed"], process.ask("old").status) == ("signal", [], 200)

    variables = {"OPENAI_API_KEY": "emulated", "OPENAI_BASE_URL": openai_emulator.base_url}
    running = Running(tmp_path, "serve", "--port", "0", variables=variables)
    try:
        running.wait_for(lambda: running.events("ready"), "ready line")
        running.signal(signal.SIGHUP)
        [line] = running.wait_for_events("config_reloaded", 1, 20)
        assert (line["trigger"], line["changed"]) == ("signal", [])
    finally:
        status = running.stop()
    assert (status, running.errors) == (0, "")


def test_configuration_from_a_pipe_is_not_reloaded(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator
) -> None:
    """A configuration from a pipe is read once. SIGHUP then logs a failed reload, and the process serves on."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    running = Running(tmp_path, "serve", "--config", str(pipe), "--port", "0")
    try:
        pipe.write_text(yaml.safe_dump(config(openai_emulator, "old")))
        ready = running.wait_for(lambda: next(iter(running.events("ready")), None), "ready line")
        running.signal(signal.SIGHUP)
        [line] = running.wait_for_events("config_reload_failed", 1, 20)
        served = Served(running, ready["base_url"].removesuffix("/v1"))
        assert ask(http, served, body("old", HELLO)).status == 200
    finally:
        status = running.stop()

    assert line["faults"] == ["cannot be read: it is not a file, and was read at the start"]
    assert line["trigger"] == "signal"
    assert (status, running.errors) == (0, "")


WARMING_UP = """
import asyncio, pathlib
from proxy.upstream.select_transport import SelectingUpstream
begun, goes_on, start = pathlib.Path(r"{0}"), pathlib.Path(r"{1}"), SelectingUpstream.start
async def start_slowly(self):
    begun.touch()
    while not goes_on.exists():
        await asyncio.sleep(0.01)
    await start(self)
SelectingUpstream.start = start_slowly
"""
"""Code that keeps a process from being ready until a file exists, as a slow import of litellm does."""


def test_sighup_while_warming_up(tmp_path: Path, openai_emulator: OpenAIEmulator) -> None:
    """SIGHUP does not end a process that is warming up. The reload follows once the process is ready."""
    begun, goes_on = tmp_path / "begun", tmp_path / "goes_on"
    path = tmp_path / "warming.yaml"
    path.write_text(yaml.safe_dump(config(openai_emulator, "old")))
    variables = planted(tmp_path, WARMING_UP.format(begun, goes_on))
    running = Running(tmp_path, "serve", "--config", str(path), "--port", "0", variables=variables)
    try:
        running.wait_for(begun.exists, "warm-up")
        running.signal(signal.SIGHUP)
        early = running.events("ready")
        goes_on.touch()
        [line] = running.wait_for(lambda: running.events("config_reloaded"), "reload")
    finally:
        status = running.stop()

    assert (early, line["trigger"]) == ([], "signal")
    assert (status, running.errors) == (0, "")


def test_draining_process_does_not_reload(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator, pool: ThreadPoolExecutor
) -> None:
    """After SIGTERM neither a changed file nor SIGHUP reloads, and a stream in flight ends whole."""
    given = config(openai_emulator, "old", general_settings={"drain_delay": 4, "drain_grace": 20})
    with reloading(tmp_path / "a", http, given) as process:
        stream = begin(pool, process, openai_emulator)
        process.running.signal()
        until(lambda: bool(process.running.events("draining")))

        put(process.path, config(openai_emulator, "new"))
        process.running.signal(signal.SIGHUP)
        time.sleep(0.6)
        late = process.ask("old").status

        assert late == 200
        assert stream.result(30).is_whole
        assert process.running.wait() == 0
        assert process.told() == 0


def test_reload_logs_the_keys_that_need_a_restart(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator
) -> None:
    """A reload logs the keys that need a restart, keeps the admin listener and takes up all other keys."""
    admin = {"host": "127.0.0.1", "port": 0}
    with reloading(
        tmp_path / "a", http, config(openai_emulator, "old", general_settings={"admin": admin})
    ) as process:
        process.publish(config(openai_emulator, "new", general_settings={"drain_delay": 0.1}))

        [line] = process.running.events("config_reloaded")
        assert line["needs_restart"] == ["general_settings.admin"]
        assert process.ask("new").status == 200
        assert http.get(f"http://127.0.0.1:{process.served.admin_port}/readyz").status_code == 200
        assert process.running.stop() == 0
        assert [line["delay_s"] for line in process.running.events("draining")] == [0.1]


def test_model_on_litellm_is_added_without_stopping_requests(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator
) -> None:
    """Requests are answered while a reload imports litellm for the first model that needs litellm."""
    with reloading(tmp_path / "a", http, config(openai_emulator, "old")) as process:
        listed = [entry(openai_emulator, "old"), {**entry(openai_emulator, "new"), "transport": "litellm"}]
        slowest, asked = 0.0, 0
        put(process.path, config(openai_emulator, model_list=listed))
        while not process.running.wait_for_events("config_reloaded", 1, seconds=0.05):
            assert not process.told()
            began = time.monotonic()
            assert process.ask("old").status == 200
            slowest, asked = max(slowest, time.monotonic() - began), asked + 1

        assert process.ask("new").status == 200
        agents = {request.headers["User-Agent"].partition("/")[0] for request in openai_emulator.requests}
        print(f"{asked} requests meanwhile, the slowest took {slowest * 1000:.0f} ms")  # noqa: T201 - with -rP
        assert (len(agents), asked > 5) == (2, True)


RELOADS = 30
WARM = 10


def test_many_reloads_under_load(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator, pool: ThreadPoolExecutor
) -> None:
    """Many reloads under load lose no request, and memory, threads and descriptors stay within small bounds."""
    with reloading(tmp_path / "a", http, config(openai_emulator, "old")) as process:
        stop = threading.Event()
        clients = [pool.submit(keep_asking, process.served, stop, stream=stream) for stream in (False, True)]
        used: list[tuple[float, int, int]] = []
        for number in range(WARM + RELOADS):
            # Each moves the entry and exchanges the key of another: nothing is what it was.
            listed = [
                entry(openai_emulator, f"other-{each % 3}", api_key=f"key-{number}")
                for each in range(number % 4)
            ]
            with process.reload():
                put(
                    process.path, config(openai_emulator, model_list=[*listed, entry(openai_emulator, "old")])
                )
                if number % 10:  # the tenth change is noticed by the watcher, which takes longer
                    process.running.signal(signal.SIGHUP)
            if number >= WARM - 1:
                used.append(usage_of(process.running))
        stop.set()
        answers = [outcome for client in clients for outcome in client.result(30)]

        assert len(answers) > WARM + RELOADS
        assert [outcome for outcome in answers if outcome is not None] == []
        assert process.running.events("config_reload_failed") == []
        growth = [after - before for before, after in zip(used[0], used[-1], strict=True)]
        print(f"{len(answers)} requests; MiB, threads, descriptors: {used[0]} -> {used[-1]}")  # noqa: T201 - with -rP
        assert growth[0] < 0.08 * RELOADS
        assert growth[1:] == pytest.approx([0, 0], abs=3)


def keep_asking(served: Served, stop: threading.Event, *, stream: bool) -> list[str | None]:
    """Ask until *stop* is set. Return None for each complete answer, or else the answer's text or the error's name."""
    found: list[str | None] = []
    with httpx.Client(timeout=30, trust_env=False) as client:
        while not stop.is_set():
            try:
                answer = ask(client, served, body("old", HELLO, stream=stream))
            except httpx.HTTPError as error:
                found.append(type(error).__name__)
                continue
            found.append(None if answer.is_whole else answer.text)
    return found


def usage_of(running: Running) -> tuple[float, int, int]:
    """Return the resident MiB, the number of threads and the number of open descriptors of a process."""
    status = Path(f"/proc/{running.process.pid}/status").read_text()
    resident = int(status.partition("VmRSS:")[2].split()[0]) / 1024
    threads = int(status.partition("Threads:")[2].split()[0])
    return resident, threads, len(os.listdir(f"/proc/{running.process.pid}/fd"))


def test_a_signal_before_there_is_anything_to_reload(tmp_path: Path, openai_emulator: OpenAIEmulator) -> None:
    """SIGHUP does not end a process that has not read its configuration yet."""
    path = tmp_path / "early.yaml"
    path.write_text(yaml.safe_dump(config(openai_emulator, "a")))
    running = Running(tmp_path, "serve", "--config", str(path), "--port", "0")
    try:
        running.wait_for(lambda: _ignores_hangup(running.process.pid), "process that ignores SIGHUP")
        assert running.events("ready") == []
        running.signal(signal.SIGHUP)
        running.wait_for(lambda: running.events("ready"), "ready line")
    finally:
        assert running.stop() == 0


def _ignores_hangup(pid: int) -> bool:
    """Tell whether a process ignores SIGHUP, according to ``/proc``."""
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(re.findall(r"^SigIgn:\s*(\w+)$", status, re.MULTILINE)[0], 16) & 1 << signal.SIGHUP - 1)


def test_changed_file_of_instructions_is_loaded_and_a_bad_one_is_not(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator
) -> None:
    """A file that the configuration names is watched as the configuration is. No text is logged."""
    policy = tmp_path / "texts" / "policy.md"
    policy.parent.mkdir()
    policy.write_text(f"Never tell {SECRET}.")
    instructions = {"instructions": {"file": "../texts/policy.md"}}
    given = config(openai_emulator, "old", general_settings=instructions)
    with reloading(tmp_path / "a", http, given) as process:
        with process.reload():
            put(policy, f"Never ever tell {SECRET}.")
        [line] = process.running.events("config_reloaded")
        assert (line["trigger"], line["changed"]) == ("file", ["general_settings.instructions"])

        for content in (b"\xff", b"", b"x" * (2**20 + 1), b"x" * 32_769, None):
            with process.reload():
                if content is None:
                    policy.unlink()
                else:
                    policy.with_suffix(".new").write_bytes(content)
                    os.replace(policy.with_suffix(".new"), policy)
        told = [line["faults"] for line in process.running.wait_for_events("config_reload_failed", 5)]
        assert [len(faults) for faults in told] == [1] * 5
        words = ("is not UTF-8", "is empty", "more than 1 MiB", "has 32,769 bytes", "does not exist")
        for [fault], part in zip(told, words, strict=True):
            assert fault.startswith("general_settings.instructions: ")
            assert part in fault
        assert process.ask("old").status == 200

        with process.reload():
            put(policy, "x" * 32_768)
        assert process.running.wait_for_events("config_reloaded", 2)[1]["warnings"] == []
        assert process.metric("turnright_config_reload_success") == 1
        assert SECRET not in process.running.output
