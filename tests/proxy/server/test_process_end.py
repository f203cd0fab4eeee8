"""Tests that a process ends without a long wait for its threads."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from proxy.server import process_end
from proxy.server.process_end import ProcessEnd, exit_process, run_until_done
from tests.proxy.conftest import LogLines


class Exited(Exception):
    """Is raised in place of the end of the process. Its argument is the exit status."""


@pytest.fixture
def exits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise :class:`Exited` where the process would end, and wait only a moment for threads.

    Threads that other tests left behind are hidden.
    """
    before, all_threads = set(threading.enumerate()), threading.enumerate

    def leave(status: int) -> None:
        raise Exited(status)

    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(process_end, "_THREADS_S", 0.01)
    monkeypatch.setattr(
        threading, "enumerate", lambda: [thread for thread in all_threads() if thread not in before]
    )


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Return an event for which a thread may wait. The event is set after the test."""
    event = threading.Event()
    yield event
    event.set()


@pytest.mark.usefixtures("exits")
@pytest.mark.parametrize(("daemon", "ended"), [(True, False), (False, True)])
def test_exit_is_forced_while_a_thread_runs_that_is_no_daemon(
    release: threading.Event, daemon: bool, ended: bool
) -> None:
    """Without a forced exit, the interpreter would wait for the thread."""
    thread = threading.Thread(target=release.wait, daemon=daemon)
    thread.start()
    try:
        if ended:
            with pytest.raises(Exited, match="3"):
                exit_process(3)
        else:
            assert exit_process(3) == 3
    finally:
        release.set()
        thread.join()


@pytest.mark.usefixtures("exits")
def test_result_is_returned_while_a_worker_thread_still_runs(release: threading.Event) -> None:
    """``asyncio.run`` would wait for the thread."""

    async def main() -> int:
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.to_thread(release.wait), 0.01)
        return 7

    loop = asyncio.new_event_loop()
    assert run_until_done(main(), lambda: loop) == 7
    assert not release.is_set()
    release.set()
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


@pytest.mark.usefixtures("exits")
def test_forced_end_logs_stopped_once_and_flushes_the_log(log_lines: LogLines) -> None:
    """The line ``stopped`` is written once, also where the process has written that line before."""
    flushed: list[float] = []
    end = ProcessEnd(flushed.append)

    end.log_stopped()
    with pytest.raises(Exited, match="0"):
        end._force(0)

    assert [line["event"] for line in log_lines()] == ["stopped"]
    assert flushed == [process_end._FLUSH_S]
