"""A changed file is noticed, however it is changed, and nothing else is."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import pytest
import watchfiles

from proxy.server.reload import watch_file
from proxy.server.reload.watch_file import FileWatch
from tests.proxy.conftest import LogLines

SOON_S = 30.0
NEVER_S = 0.8


class Told:
    """Counts what a watch tells."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[None] = SimpleQueue()

    def on_change(self) -> None:
        """Be told."""
        self._queue.put(None)

    def within(self, seconds: float) -> bool:
        """Tell whether the watch says something within so many seconds; once is enough."""
        try:
            self._queue.get(timeout=seconds)
        except Empty:
            return False
        return True

    def drain(self) -> None:
        """Wait until nothing more comes."""
        while self.within(NEVER_S):
            pass


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a configuration file."""
    path = tmp_path / "turnright.yaml"
    path.write_text("a: 1\n")
    return path


@pytest.fixture
def watching(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], Told]]:
    """Return a function that begins to watch; all watches end with the test. Looks are too rare to help."""
    monkeypatch.setattr(watch_file, "POLL_S", 60.0)
    watches: list[FileWatch] = []

    def watch(path: Path) -> Told:
        told = Told()
        watches.append(FileWatch(str(path)))
        watches[-1].start(told.on_change)
        time.sleep(0.3)  # it says to nobody when it has begun
        return told

    yield watch
    for each in watches:
        each.stop()


def write_in_place(path: Path) -> None:
    """Write into the very file."""
    path.write_text("a: 22\n")


def rename_over(path: Path) -> None:
    """Put another file in its place, as editors and deployments do."""
    beside = path.with_suffix(".tmp")
    beside.write_text("a: 2\n")
    beside.rename(path)


def save_as_vim_does(path: Path) -> None:
    """Move the old one away, write a new one, delete the old one."""
    backup = path.with_suffix(".yaml~")
    path.rename(backup)
    path.write_text("a: 2\n")
    backup.unlink()


def delete_and_recreate(path: Path) -> None:
    """Delete it and write another one a moment later."""
    path.unlink()
    time.sleep(0.05)
    path.write_text("a: 2\n")


@pytest.mark.parametrize("change", [write_in_place, rename_over, save_as_vim_does, delete_and_recreate])
def test_changes_are_noticed(
    file: Path, watching: Callable[[Path], Told], change: Callable[[Path], None]
) -> None:
    """However an editor saves, once it is quiet; and the next time as well."""
    told = watching(file)

    assert not told.within(NEVER_S)
    for _ in range(2):
        file.touch()
        told.drain()
        change(file)
        assert told.within(SOON_S)


def test_gone_and_back(file: Path, watching: Callable[[Path], Told]) -> None:
    """A file that is gone is told, and that it is back."""
    told = watching(file)

    file.unlink()
    assert told.within(SOON_S)
    file.write_text("a: 1\n")
    assert told.within(SOON_S)


def test_swapped_symlink_of_a_config_map_is_seen(tmp_path: Path, watching: Callable[[Path], Told]) -> None:
    """The kubelet writes a new directory and swaps the symlink to it; the file's own path never changes."""

    def publish(name: str, text: str) -> None:
        (tmp_path / name).mkdir()
        (tmp_path / name / "turnright.yaml").write_text(text)
        (tmp_path / "..data_tmp").symlink_to(name)
        os.replace(tmp_path / "..data_tmp", tmp_path / "..data")

    publish("..2026_11_22_1", "a: 1\n")
    (tmp_path / "turnright.yaml").symlink_to("..data/turnright.yaml")
    told = watching(tmp_path / "turnright.yaml")

    publish("..2026_11_22_2", "a: 2\n")
    shutil.rmtree(tmp_path / "..2026_11_22_1")
    assert told.within(SOON_S)
    told.drain()
    publish("..2026_11_22_3", "a: 3\n")
    assert told.within(SOON_S)


def test_neighbours_are_none_of_its_business(file: Path, watching: Callable[[Path], Told]) -> None:
    """A log that grows in the same directory is no change of the configuration."""
    told = watching(file)

    for number in range(5):
        (file.parent / "log").write_text("x" * number)
        time.sleep(0.1)

    assert not told.within(NEVER_S)


def test_change_before_it_began(file: Path) -> None:
    """What it is compared with is how it was when it was read, not when the watch began."""
    told, watch = Told(), FileWatch(str(file))
    rename_over(file)
    watch.start(told.on_change)
    try:
        assert told.within(SOON_S)
    finally:
        watch.stop()


def test_looks_find_what_no_event_tells(
    tmp_path: Path, watching: Callable[[Path], Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change behind a symlink that leads elsewhere."""
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    for directory in (elsewhere, here):
        directory.mkdir()
    (elsewhere / "real.yaml").write_text("a: 1\n")
    (here / "turnright.yaml").symlink_to(elsewhere / "real.yaml")
    monkeypatch.setattr(watch_file, "POLL_S", 0.2)
    told = watching(here / "turnright.yaml")

    rename_over(elsewhere / "real.yaml")

    assert told.within(SOON_S)


def test_directory_that_is_replaced(
    tmp_path: Path, watching: Callable[[Path], Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is found by a look, gone and back, and from then on the new one is watched."""
    here, watched, watch = tmp_path / "here", [], watchfiles.watch

    def note(directory: str, **options: Any) -> Iterator[object]:
        watched.append(os.stat(directory).st_ino)
        return watch(directory, **options)

    monkeypatch.setattr(watchfiles, "watch", note)
    monkeypatch.setattr(watch_file, "POLL_S", 0.2)
    here.mkdir()
    write_in_place(here / "turnright.yaml")
    told = watching(here / "turnright.yaml")

    here.rename(tmp_path / "before")
    assert told.within(SOON_S)
    here.mkdir()
    write_in_place(here / "turnright.yaml")
    assert told.within(SOON_S)
    limit = time.monotonic() + SOON_S
    while here.stat().st_ino not in watched and time.monotonic() < limit:
        time.sleep(0.02)

    assert watched[0] == (tmp_path / "before").stat().st_ino
    assert watched[-1] == here.stat().st_ino


def test_without_a_watch_it_looks(
    file: Path,
    watching: Callable[[Path], Told],
    monkeypatch: pytest.MonkeyPatch,
    log_lines: LogLines,
) -> None:
    """Where no watch can be had, that is logged once, and the file is looked at all the same."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError("OS file watch limit reached.")

    monkeypatch.setattr("watchfiles.watch", refuse)
    monkeypatch.setattr(watch_file, "POLL_S", 0.2)
    told = watching(file)
    time.sleep(0.5)

    rename_over(file)

    assert told.within(SOON_S)
    [line] = log_lines()
    assert (line["event"], line["error"], line["level"]) == ("config_watch_failed", "OSError", "warning")


def test_nothing_is_told_after_the_end(file: Path) -> None:
    """When it has ended its thread has as well: the loop that it tells may be closed."""
    told, watch = Told(), FileWatch(str(file))
    watch.start(told.on_change)
    time.sleep(0.3)
    rename_over(file)
    watch.stop()

    assert [thread for thread in threading.enumerate() if thread.name == "config-watch"] == []
