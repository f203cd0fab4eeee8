"""Tests of the thread that writes log lines: in order, without blocking, bounded, and complete at the end."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import orjson
import pytest

from proxy.observability import log_writer
from proxy.observability.log_lines import line_format
from proxy.observability.log_writer import WriterThread


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Return both ends of a pipe: the descriptor for reading and the descriptor for writing."""
    reading, writing = os.pipe()
    yield reading, writing
    os.close(writing)
    os.close(reading)


def read_all(fd: int, size: int) -> bytes:
    """Return *size* bytes from *fd*, or fewer at its end."""
    data = b""
    while len(data) < size and (more := os.read(fd, size - len(data))):
        data += more
    return data


def test_all_lines_are_written_in_order(pipe: tuple[int, int]) -> None:
    """Lines that come just before the writer's end are written too."""
    reading, writing = pipe
    lines = [f"line {number}\n" for number in range(500)]
    with WriterThread(writing) as writer:
        for line in lines:
            writer.write(line)
    whole = "".join(lines).encode()
    assert read_all(reading, len(whole)) == whole


def test_lines_are_written_without_a_flush(pipe: tuple[int, int]) -> None:
    """The thread writes a line by itself, while the writer is still open."""
    reading, writing = pipe
    with WriterThread(writing) as writer:
        writer.write("now\n")
        assert read_all(reading, 4) == b"now\n"


def test_stuck_reader_does_not_block_the_caller(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines over the limit are dropped, and their number is logged later."""
    reading, writing = pipe
    monkeypatch.setattr(log_writer, "_MAX_LINES", 100)
    line = "x" * 999 + "\n"
    with WriterThread(writing) as writer:
        writer.write(line * 200)  # more than a pipe holds: the thread is stuck in it
        while writer._lines:
            time.sleep(0.01)
        for _ in range(150):
            writer.write(line)
        data = read_all(reading, (200 + 100) * len(line))
        assert data == line.encode() * 300
        told = orjson.loads(os.read(reading, 65_536))
    assert (told["event"], told["level"], told["lines"]) == ("log_lines_dropped", "warning", 50)
    assert "timestamp" in told


def test_reader_that_is_gone_raises_no_error() -> None:
    """Later lines raise no error either."""
    reading, writing = os.pipe()
    os.close(reading)
    with WriterThread(writing) as writer:
        writer.write("nobody\n")
        time.sleep(0.2)
        writer.write("nobody\n")
    os.close(writing)


def test_full_nonblocking_pipe_loses_no_line(pipe: tuple[int, int]) -> None:
    """Another process that shares the descriptor may have made it nonblocking."""
    reading, writing = pipe
    os.set_blocking(writing, False)
    line = "x" * 999 + "\n"
    with WriterThread(writing) as writer:
        for _ in range(300):
            writer.write(line)
        assert read_all(reading, 300 * len(line)) == line.encode() * 300


def test_character_that_cannot_be_encoded_is_escaped(pipe: tuple[int, int]) -> None:
    """A lone surrogate cannot be encoded as UTF-8, and is written as its escape."""
    reading, writing = pipe
    with WriterThread(writing) as writer:
        writer.write("\ud83d\n")
        assert read_all(reading, 7) == b"\\ud83d\n"


def test_line_on_dropped_lines_has_the_logs_format(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log in the readable format has no JSON line in between."""
    reading, writing = pipe
    monkeypatch.setattr(log_writer, "_MAX_LINES", 1)
    with WriterThread(writing, line_format("readable", colours=False)) as writer:
        for _ in range(3):
            writer.write("x\n")
    assert os.read(reading, 1_000).decode().endswith("  warning  log_lines_dropped  lines=2\n")


def test_lines_lost_on_a_full_disk_are_counted(pipe: tuple[int, int]) -> None:
    """The number of lost lines is logged afterwards."""
    reading, writing = pipe
    full = os.open("/dev/full", os.O_WRONLY)
    with WriterThread(full) as writer:
        writer.write("lost\n")
        writer.write("lost\n")
        limit = time.monotonic() + 30
        while not writer._dropped and time.monotonic() < limit:
            time.sleep(0.01)
        os.dup2(writing, full)
        writer.write("kept\n")
    os.close(full)
    kept, told = os.read(reading, 1_000).splitlines()
    assert (kept, orjson.loads(told)["lines"]) == (b"kept", 2)
