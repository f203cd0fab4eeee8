"""The watch reports a changed file, however it is changed, and no other file."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
import watchfiles
import watchfiles.main
from typing_extensions import override

from proxy.server.reload.watch_file import FileWatch
from tests.proxy.conftest import LogLines

SOON_S = 30.0
NO_POLL_S = 600.0


class Watched:
    """A watched file, with its text at each report of the watch. The text is None for a missing file."""

    def __init__(self, path: Path, watch: FileWatch) -> None:
        self._path = path
        self.watch = watch
        self._texts: SimpleQueue[str | None] = SimpleQueue()

    def on_change(self) -> None:
        """Note the text of the file."""
        self._texts.put(self._path.read_text() if self._path.exists() else None)

    def reports(self, text: str | None) -> bool:
        """Wait for a report with *text*. Earlier reports are dropped: a change may be reported step by step."""
        while self._texts.get(timeout=SOON_S) != text:
            pass
        return True

    @property
    def is_quiet(self) -> bool:
        """True where all reports have been read."""
        return self._texts.empty()


@contextmanager
def watching(path: Path, poll_s: float = NO_POLL_S, followed: Sequence[Path] = ()) -> Iterator[Watched]:
    """Watch the file at *path* and the *followed* files. The watch has begun when this function yields."""
    begun = threading.Event()
    open_watch = vars(watchfiles.main)["RustNotify"]

    def opened(*arguments: Any) -> Any:
        notify = open_watch(*arguments)
        begun.set()
        return notify

    watch = FileWatch(str(path), poll_s=poll_s, quiet_ms=10)
    watched = Watched(path, watch)
    for other in followed:
        watch.follow(str(other))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watchfiles.main, "RustNotify", opened)
        watch.start(watched.on_change)
        assert begun.wait(SOON_S)
    try:
        yield watched
    finally:
        watch.stop()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a configuration file."""
    path = tmp_path / "turnright.yaml"
    path.write_text("a: 1\n")
    return path


def write_in_place(path: Path, text: str) -> None:
    """Write into the file itself."""
    path.write_text(text)


def rename_over(path: Path, text: str) -> None:
    """Rename another file to *path*, as editors and deployments do."""
    other = path.with_suffix(".tmp")
    other.write_text(text)
    other.rename(path)


def save_as_vim_does(path: Path, text: str) -> None:
    """Move the old file away, write a new file, and delete the old file."""
    backup = path.with_suffix(".yaml~")
    path.rename(backup)
    path.write_text(text)
    backup.unlink()


def delete_and_recreate(path: Path, text: str) -> None:
    """Delete the file and write another."""
    path.unlink()
    path.write_text(text)


@pytest.mark.parametrize("change", [write_in_place, rename_over, save_as_vim_does, delete_and_recreate])
def test_each_way_to_save_a_file_is_reported_every_time(
    file: Path, change: Callable[[Path, str], None]
) -> None:
    """The directory is watched and not the file, so the watch continues when the file is replaced."""
    with watching(file) as watched:
        for text in ("a: 22\n", "a: 333\n"):
            change(file, text)
            assert watched.reports(text)


def test_deleted_file_is_reported_and_so_is_its_return(file: Path) -> None:
    """A missing file is reported, so that the operator reads of the failed reload in the log."""
    with watching(file) as watched:
        file.unlink()
        assert watched.reports(None)
        file.write_text("a: 1\n")
        assert watched.reports("a: 1\n")


def test_swapped_symlink_of_a_config_map_is_reported(tmp_path: Path) -> None:
    """The kubelet writes a new directory and swaps the symlink to it. The file's own path never changes."""

    def publish(name: str, text: str) -> None:
        (tmp_path / name).mkdir()
        (tmp_path / name / "turnright.yaml").write_text(text)
        (tmp_path / "..data_tmp").symlink_to(name)
        os.replace(tmp_path / "..data_tmp", tmp_path / "..data")

    publish("..2026_11_22_1", "a: 1\n")
    (tmp_path / "turnright.yaml").symlink_to("..data/turnright.yaml")
    with watching(tmp_path / "turnright.yaml") as watched:
        publish("..2026_11_22_2", "a: 2\n")
        shutil.rmtree(tmp_path / "..2026_11_22_1")
        assert watched.reports("a: 2\n")
        publish("..2026_11_22_3", "a: 3\n")
        assert watched.reports("a: 3\n")


def test_change_of_a_neighbour_is_not_reported(file: Path) -> None:
    """A log file may grow in the same directory."""
    checks = threading.Semaphore(0)

    class Counting(FileWatch):
        @override
        def _check(self) -> None:
            super()._check()
            checks.release()

    watch = Counting(str(file), poll_s=0.05, quiet_ms=10)
    watched = Watched(file, watch)
    watch.start(watched.on_change)
    try:
        for number in range(5):
            (file.parent / "log").write_text("x" * number)
            assert checks.acquire(timeout=SOON_S)
        assert watched.is_quiet
    finally:
        watch.stop()


def test_change_between_creation_and_start_is_reported(file: Path) -> None:
    """The configuration is read between the creation and the start of the watch."""
    watch = FileWatch(str(file), quiet_ms=10)
    watched = Watched(file, watch)
    rename_over(file, "a: 2\n")
    watch.start(watched.on_change)
    try:
        assert watched.reports("a: 2\n")
    finally:
        watch.stop()


def test_polling_finds_a_change_without_an_event(tmp_path: Path) -> None:
    """The watched file is a symlink into another directory, where a change causes no event."""
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    for directory in (elsewhere, here):
        directory.mkdir()
    (elsewhere / "real.yaml").write_text("a: 1\n")
    (here / "turnright.yaml").symlink_to(elsewhere / "real.yaml")
    with watching(here / "turnright.yaml", poll_s=0.05) as watched:
        rename_over(elsewhere / "real.yaml", "a: 2\n")
        assert watched.reports("a: 2\n")


def test_directory_that_is_replaced_is_watched_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Polling finds the missing directory and the new directory."""
    here, inodes, watch = tmp_path / "here", SimpleQueue[int](), watchfiles.watch

    def note(directory: str, **options: Any) -> Iterator[object]:
        inodes.put(os.stat(directory).st_ino)
        return watch(directory, **options)

    monkeypatch.setattr(watchfiles, "watch", note)
    here.mkdir()
    (here / "turnright.yaml").write_text("a: 1\n")
    with watching(here / "turnright.yaml", poll_s=0.05) as watched:
        first = inodes.get(timeout=SOON_S)
        here.rename(tmp_path / "before")
        assert watched.reports(None)
        here.mkdir()
        (here / "turnright.yaml").write_text("a: 2\n")
        assert watched.reports("a: 2\n")
        while (last := inodes.get(timeout=SOON_S)) == first:
            pass

    assert first == (tmp_path / "before").stat().st_ino
    assert last == here.stat().st_ino


def test_file_is_polled_and_a_warning_logged_once_where_no_watch_is_left(
    file: Path, monkeypatch: pytest.MonkeyPatch, log_lines: LogLines
) -> None:
    """The system limits the number of watches, so the file may have to be polled."""
    tried = threading.Semaphore(0)

    def refuse(*_: object, **__: object) -> None:
        tried.release()
        raise OSError("OS file watch limit reached.")

    monkeypatch.setattr("watchfiles.watch", refuse)
    watch = FileWatch(str(file), poll_s=0.02)
    watched = Watched(file, watch)
    watch.start(watched.on_change)
    try:
        assert tried.acquire(timeout=SOON_S)
        assert tried.acquire(timeout=SOON_S)
        rename_over(file, "a: 2\n")
        assert watched.reports("a: 2\n")
    finally:
        watch.stop()

    [line] = log_lines()
    assert (line["event"], line["error"], line["level"]) == ("config_watch_failed", "OSError", "warning")


def test_thread_has_ended_when_the_watch_is_stopped(file: Path) -> None:
    """A report after the stop would reach a closed event loop."""
    with watching(file):
        rename_over(file, "a: 2\n")

    assert [thread for thread in threading.enumerate() if thread.name == "config-watch"] == []


def test_added_file_is_watched_in_its_own_directory(file: Path, tmp_path: Path) -> None:
    """A file that the configuration names may lie anywhere, and may not exist yet."""
    other = tmp_path / "texts" / "policy.md"
    other.parent.mkdir()
    with watching(file, followed=[other]) as watched:
        for text in ("Be good.", "Be kind and brief."):
            rename_over(other, text)
            assert watched.reports("a: 1\n")


def test_added_file_is_watched_from_the_next_poll(file: Path, tmp_path: Path) -> None:
    """A reload may add a file in a directory that was not watched so far."""
    other = tmp_path / "texts" / "policy.md"
    other.parent.mkdir()
    with watching(file, poll_s=0.05) as watched:
        watched.watch.follow(str(other))
        other.write_text("Be good.")
        assert watched.reports("a: 1\n")


def test_change_between_the_addition_and_the_next_check_is_reported(file: Path, tmp_path: Path) -> None:
    """The file is read between the two, maybe before the change."""
    other = tmp_path / "policy.md"
    other.write_text("Be good.")
    watch = FileWatch(str(file), quiet_ms=10)
    watched = Watched(file, watch)
    watch.follow(str(other))
    rename_over(other, "Be kind and brief.")
    watch.follow(str(other))
    watch.start(watched.on_change)
    try:
        assert watched.reports("a: 1\n")
    finally:
        watch.stop()


def test_file_that_is_no_longer_named_is_not_watched(file: Path, tmp_path: Path) -> None:
    """A change of it would reload the same configuration. The configuration itself is always watched."""
    other, kept = tmp_path / "policy.md", tmp_path / "kept.md"
    watch = FileWatch(str(file))
    for path in (other, kept):
        watch.follow(str(path))
    watch.follow_only([str(kept)])

    assert watch.files == {str(file), str(kept)}


def test_missing_directory_of_an_added_file_does_not_stop_the_watch(file: Path, tmp_path: Path) -> None:
    """The configuration that names the file is faulty, and its repair must be noticed at once."""
    with watching(file, followed=[tmp_path / "absent" / "policy.md"]) as watched:
        rename_over(file, "a: 2\n")
        assert watched.reports("a: 2\n")
