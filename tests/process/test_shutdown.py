"""Tests of the shutdown after SIGTERM: first the probes, then the listener, then the requests in flight."""

from __future__ import annotations

import json
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.asking import Answer, ask, body
from tests.process.emulators import Gemini
from tests.process.running import Running, Served, planted, serve

MODEL = "gemini/gemini-2.5-pro"
HELLO: Any = [{"role": "user", "content": "x"}]
TEXT = "one two three four five six seven eight"
LONG_S = 600.0
SOON_S = 15.0
"""Seconds that "at once" may take on a busy machine, far below the long delay."""

DELAY_S = 3.0


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """Return a pool of threads, for clients that wait for their answers."""
    with ThreadPoolExecutor() as executor:
        yield executor


def settings(gemini: Gemini, transport: str, *, delay: float, grace: float) -> dict[str, Any]:
    """Return a configuration with an admin listener."""
    parameters = {"model": "gemini/*", "api_key": "emulated", "api_base": gemini.api_base}
    admin = {"host": "127.0.0.1", "port": 0}
    return {
        "model_list": [{"model_name": "gemini/*", "transport": transport, "litellm_params": parameters}],
        "general_settings": {"admin": admin, "drain_delay": delay, "drain_grace": grace},
    }


def begin(
    pool: ThreadPoolExecutor, served: Served, gemini: Gemini, *, stream: bool, **fault: float
) -> Future[Answer]:
    """Start a request that *fault* delays. Return its future once the provider has the request."""

    def send() -> Answer:
        with httpx.Client(timeout=60, trust_env=False) as client:
            return ask(client, served, body(MODEL, HELLO, stream=stream))

    known = len(gemini.journal())
    gemini.say(TEXT)
    gemini.fault(**fault)
    answer = pool.submit(send)
    until(lambda: len(gemini.journal()) > known)
    return answer


def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until *condition* holds."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.01)


def refuses(url: str) -> bool:
    """Tell whether nothing listens at *url* any more."""
    port = int(url.split(":")[2].partition("/")[0])
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return True
    return False


def test_drain_is_unready_at_once_and_serves_until_the_delay_ends(
    directory: Path, gemini: Gemini, transport: str, pool: ThreadPoolExecutor
) -> None:
    """A draining process is unready at once, serves new requests until the delay ends, and lets a stream end whole.

    An answer within the delay closes its connection, so that no client reuses the connection when the process exits.
    """
    with (
        serve(directory, settings(gemini, transport, delay=DELAY_S, grace=30)) as served,
        httpx.Client(timeout=30, trust_env=False) as probe,
    ):
        admin = f"http://127.0.0.1:{served.admin_port}"
        assert [probe.get(f"{origin}/readyz").status_code for origin in (served.origin, admin)] == [200, 200]
        running = begin(pool, served, gemini, stream=True, chunk_delay_seconds=0.9)

        served.running.signal()
        signalled = time.monotonic()
        until(lambda: probe.get(f"{admin}/readyz").status_code == 503)
        until_unready = time.monotonic() - signalled
        during = ask(probe, served, body(MODEL, HELLO))
        until_answered = time.monotonic() - signalled
        until(lambda: refuses(f"{served.origin}/livez"))
        late = [probe.get(f"{admin}{path}").status_code for path in ("/livez", "/readyz", "/metrics")]
        in_flight_late = not running.done()

        assert until_unready < DELAY_S - 0.2
        assert (during.is_whole, until_answered < DELAY_S) == (True, True)
        assert during.headers.get("connection") == "close"
        assert (late, in_flight_late) == ([200, 503, 200], True)
        answer = running.result(30)
        assert answer.is_whole, answer.text
        assert served.running.wait() == 0
        assert refuses(f"{admin}/livez")
        assert [event["in_flight"] for event in served.running.events("draining")] == [1]
        assert served.running.events("cut_off") == []


def test_what_outlasts_the_grace(
    directory: Path, gemini: Gemini, transport: str, pool: ThreadPoolExecutor
) -> None:
    """A begun stream that outlasts ``drain_grace`` ends with an error event and no ``[DONE]``.

    A request whose answer has not begun gets a 503.
    """
    with serve(directory, settings(gemini, transport, delay=0, grace=0.5)) as served:
        stream = begin(pool, served, gemini, stream=True, chunk_delay_seconds=LONG_S)
        whole = begin(pool, served, gemini, stream=False, delay_seconds=LONG_S)
        silent = begin(pool, served, gemini, stream=True, delay_seconds=LONG_S)

        served.running.signal()
        cut, *refused = stream.result(30), whole.result(30), silent.result(30)
        status = served.running.wait()
        ends = gemini.wait_for_ends(3)

        assert status == 0
        assert cut.status == 200
        assert '"one' in cut.events[0]
        assert '"code":"overloaded"' in cut.events[-1]
        assert "[DONE]" not in cut.text
        assert [(answer.status, answer.error["code"]) for answer in refused] == [(503, "overloaded")] * 2
        assert [answer.headers["retry-after"] for answer in refused] == ["1", "1"]
        assert ends == ["disconnected"] * 3
        assert [event["in_flight"] for event in served.running.events("cut_off")] == [3]
        outcomes = [event["outcome"] for event in served.running.events("request_finished")]
        assert outcomes == ["overloaded"] * 3


@pytest.mark.parametrize(
    ("transport", "second"),
    [("direct", signal.SIGTERM), ("direct", signal.SIGINT), ("litellm", signal.SIGINT)],
)
def test_second_signal_ends_the_process_at_once_without_a_traceback(
    directory: Path, gemini: Gemini, pool: ThreadPoolExecutor, transport: str, second: signal.Signals
) -> None:
    """A second signal ends the process at once, with a status that is not 0 and no traceback."""
    with serve(directory, settings(gemini, transport, delay=0, grace=LONG_S)) as served:
        running = begin(pool, served, gemini, stream=True, chunk_delay_seconds=LONG_S)

        served.running.signal()
        until(lambda: bool(served.running.events("draining")))
        served.running.signal(second)
        signalled = time.monotonic()
        status = served.running.wait()
        seconds = time.monotonic() - signalled

        assert status == 130
        assert seconds < SOON_S
        assert running.exception(30) is not None


NEVER = 'import time, pathlib\ndef never(): pathlib.Path(r"{0}").touch(); time.sleep(600)'
IN_WORKER_THREAD = """
import orjson
loads = orjson.loads
orjson.loads = lambda data: never() if b"stuck" in data else loads(data)
"""
IN_LOOK_UP = """
import socket
socket.getaddrinfo = lambda host, *rest, **named: never()
"""
IN_METRICS = """
import prometheus_client.openmetrics.exposition as text
text.generate_latest = lambda *_: never()
import prometheus_client.exposition as text
text.generate_latest = lambda *_, **__: never()
"""


@pytest.mark.parametrize(
    ("plant", "path", "asked"),
    [
        (IN_WORKER_THREAD, "/v1/chat/completions", {"messages": HELLO, "user": "stuck" + "k" * 2**20}),
        (IN_WORKER_THREAD, "/ui/api/look", {"request": "stuck"}),
        (IN_LOOK_UP, "/v1/chat/completions", {"messages": HELLO}),
        (IN_METRICS, "/metrics", None),
    ],
    ids=["a large body", "the inspector", "a look-up of a name", "a scrape"],
)
def test_no_thread_is_waited_for(
    tmp_path: Path, pool: ThreadPoolExecutor, plant: str, path: str, asked: dict[str, Any] | None
) -> None:
    """A thread that is stuck in one call does not delay the exit, which is logged and has the status 0."""
    stuck = tmp_path / "stuck"
    parameters = {"model": "openai/m", "api_key": "k", "api_base": "http://provider.invalid/v1"}
    config = {
        "model_list": [{"model_name": "m", "transport": "direct", "litellm_params": parameters}],
        "general_settings": {"drain_delay": 0, "drain_grace": 0.5},
    }
    variables = planted(tmp_path, NEVER.format(stuck), plant)
    with (
        serve(tmp_path, config, variables=variables) as served,
        httpx.Client(timeout=60, trust_env=False) as http,
    ):
        url = served.origin + path
        running = (
            pool.submit(http.post, url, json={"model": "m", **asked}) if asked else pool.submit(http.get, url)
        )
        until(stuck.exists)
        served.running.signal()
        signalled = time.monotonic()
        status = served.running.wait(SOON_S)
        seconds = time.monotonic() - signalled

        assert status == 0
        assert seconds < SOON_S
        assert len(served.running.events("stopped")) == 1
        running.exception(30)  # whatever it was told


def test_a_signal_before_it_is_ready(tmp_path: Path) -> None:
    """SIGTERM during the import of litellm ends the process without waiting for the import."""
    importing = tmp_path / "importing"
    (tmp_path / "litellm").mkdir()
    (tmp_path / "litellm" / "__init__.py").write_text(NEVER.format(importing) + "\nnever()\n")
    (tmp_path / "litellm" / "model_prices_and_context_window_backup.json").write_text(
        "{}"
    )  # the configuration's
    model = {
        "model_name": "m",
        "transport": "litellm",
        "litellm_params": {"model": "openai/m", "api_key": "k"},
    }
    (tmp_path / "config.yaml").write_text(json.dumps({"model_list": [model]}))
    running = Running(
        tmp_path,
        "serve",
        "--config",
        str(tmp_path / "config.yaml"),
        "--port",
        "0",
        variables=planted(tmp_path),
    )
    try:
        until(importing.exists)
        running.signal()
        status = running.wait(SOON_S)
    finally:
        running.stop()

    assert (status, running.errors) == (0, "")
    assert len(running.events("stopped")) == 1
