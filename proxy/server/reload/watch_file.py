"""Detects changes of the configuration's files, by watching their directories and by polling every ten seconds.

The files are the configuration itself, and those that it names.

The directory is watched and not the file, since editors and deployments replace the file. A ConfigMap replaces the
symlink ``..data`` next to the file. A watch on the file gets no event for that.

Polling finds changes without an event. Such a change may be in the target of a symlink to another directory, or in a
directory that was itself replaced. Some file systems have no events at all.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Collection

from proxy.observability.logs import get_log

Fingerprint = tuple[int, int, int, int]
"""A state of a file: device, inode, size, and the time of its last change in ns."""

QUIET_MS = 200
"""Milliseconds without an event before the file is checked. An editor takes several steps to save a file."""

_MAX_DEBOUNCE_MS = 2_000
"""Milliseconds after which the file is checked even if events go on."""

POLL_S = 10.0
"""Seconds between two checks if no event comes."""


class FileWatch:
    """Watches the file at *path* from :meth:`start` to :meth:`stop`, and the files that :meth:`follow` adds.

    Changes count from the creation of this object, or from the file's addition. *poll_s* and *quiet_ms* are
    shorter in tests.
    """

    def __init__(self, path: str, *, poll_s: float = POLL_S, quiet_ms: int = QUIET_MS) -> None:
        self._poll_s = poll_s
        self._quiet_ms = quiet_ms
        self._path = os.path.abspath(path)
        self._directory = os.path.dirname(self._path)
        self._seen = {self._path: _fingerprint(self._path)}
        self._lock = threading.Lock()
        self._on_change: Callable[[], None] = lambda: None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="config-watch", daemon=True)

    @property
    def files(self) -> frozenset[str]:
        """The paths of the watched files."""
        with self._lock:
            return frozenset(self._seen)

    def follow(self, path: str) -> None:
        """Watch the file at *path* as well, whether it exists or not.

        Call it before the file is read, so that no change is missed. A new directory is watched after ten seconds at
        the latest, by the next poll.
        """
        with self._lock:
            self._seen.setdefault(path, _fingerprint(path))

    def follow_only(self, paths: Collection[str]) -> None:
        """Stop watching the added files that are not among *paths*."""
        with self._lock:
            kept = {self._path, *paths}
            self._seen = {path: seen for path, seen in self._seen.items() if path in kept}

    def start(self, on_change: Callable[[], None]) -> None:
        """Start watching. A thread calls *on_change* each time that the file has changed, disappeared or come back."""
        self._on_change = on_change
        self._thread.start()

    def stop(self) -> None:
        """Stop watching, so that *on_change* is not called any more.

        Blocks for about :data:`QUIET_MS`, so it must not run on the event loop.
        """
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        is_logged = False
        while not self._stopping.is_set():
            try:
                self._watch()
            except Exception as error:  # noqa: BLE001 - no events here, or no watches left: polling goes on
                if not is_logged:
                    get_log().warning(
                        "config_watch_failed", error=type(error).__name__, look_every_s=self._poll_s
                    )
                is_logged = True
                self._stopping.wait(self._poll_s)

    def _watch(self) -> None:
        """Check the files after each event in their directories, and regularly.

        Returns when a directory was replaced, and when another one is to be watched.
        """
        self._check()
        import watchfiles  # imported late, so that neither the start nor the first request waits for it

        watched = self._places()
        for _ in watchfiles.watch(
            *watched,
            watch_filter=None,
            recursive=False,
            step=self._quiet_ms,
            debounce=_MAX_DEBOUNCE_MS,
            rust_timeout=int(self._poll_s * 1000),
            yield_on_timeout=True,
            stop_event=self._stopping,
            raise_interrupt=False,
        ):
            self._check()
            if self._places() != watched:
                return

    def _check(self) -> None:
        with self._lock:
            found = {path: _fingerprint(path) for path in self._seen}
            has_changed, self._seen = found != self._seen, found
        if has_changed:
            self._on_change()

    def _places(self) -> dict[str, tuple[int, int] | None]:
        """Return the directories to watch, with device and inode. A missing one is left out, unless it is the first."""
        with self._lock:
            directories = dict.fromkeys((self._directory, *map(os.path.dirname, self._seen)))
        places = {each: None if (found := _fingerprint(each)) is None else found[:2] for each in directories}
        return {each: place for each, place in places.items() if place is not None or each == self._directory}


def _fingerprint(path: str) -> Fingerprint | None:
    """Return the fingerprint of the file at *path*, through symlinks. Returns None for no file, or for a pipe."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    if stat.S_ISFIFO(found.st_mode):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
