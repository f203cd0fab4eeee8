"""Tests that the demo marks histories with unexpected answers and ends with the next steps."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from dataclasses import replace

import httpx
import pytest

from proxy.cli import demo, main
from proxy.cli.comparison.run import Comparison
from tests.proxy.cli.comparison.test_run import GOOD


@pytest.fixture(autouse=True)
def _keep_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "configure_logs", lambda stream: None)


def answers(*comparisons: Comparison) -> object:
    """Return a function that replaces the demo's run and returns *comparisons*."""

    async def run() -> list[Comparison]:
        return list(comparisons)

    return run


def test_demo_fails_if_one_history_has_another_outcome(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A history with an unexpected outcome is marked, and the exit status is 1."""
    monkeypatch.setattr(demo, "run_comparison", answers(GOOD, replace(GOOD, proxied_status=502)))

    status = main(["demo"])

    shown = capsys.readouterr().out
    assert status == 1
    assert ("ok  g00" in shown, "NOT g00" in shown) == (True, True)
    assert "\n1 of 2 refused when sent straight and answered through turnright.\n" in shown


def test_demo_ends_with_three_lines_on_what_to_do_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The demo ends with three commands to run next."""
    monkeypatch.setattr(demo, "run_comparison", answers(GOOD))
    monkeypatch.setattr(demo, "command_name", lambda: "CMD")

    assert main(["demo"]) == 0

    last = capsys.readouterr().out.splitlines()[-4:]
    assert last[0] == "What to do next:"
    assert [line.split("  ")[1] for line in last[1:]] == [
        "CMD demo --serve",
        "GEMINI_API_KEY=... CMD serve",
        "CMD init",
    ]


def test_served_demo_names_its_page_and_ends_on_ctrl_c(capsys: pytest.CaptureFixture[str]) -> None:
    """The served demo prints its page's address and serves until Ctrl-C."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    seen: list[int] = []

    def look_and_interrupt() -> None:
        until = time.monotonic() + 30
        while not seen and time.monotonic() < until:
            try:
                found = httpx.get(f"http://127.0.0.1:{port}/ui/api/recent").json()["requests"]
                seen.extend([len(found)] if len(found) == 10 else [])
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        time.sleep(0.3)  # until the signal is waited for
        os.kill(os.getpid(), signal.SIGINT)

    looking = threading.Thread(target=look_and_interrupt)
    looking.start()
    status = main(["demo", "--serve", "--port", str(port)])
    looking.join()

    shown = capsys.readouterr().out
    assert (status, seen) == (0, [10])
    assert f"http://127.0.0.1:{port}/ui " in shown
    assert "10 of 10 refused" in shown


def test_served_demo_on_a_taken_port_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """The served demo exits with status 1 if its port is taken."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        status = main(["demo", "--serve", "--port", str(taken.getsockname()[1])])

    assert status == 1
    assert "turnright: cannot listen: " in capsys.readouterr().err


def test_lines_fit_an_output_without_line_drawing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The demo's output is ASCII where the terminal cannot show line-drawing characters."""
    monkeypatch.setattr(demo, "run_comparison", answers(replace(GOOD, straight_text="word " * 100)))
    monkeypatch.setattr(demo, "can_encode", lambda text: False)

    assert main(["demo"]) == 0
    assert capsys.readouterr().out.isascii()
