"""Detects changes of the configuration's file, by watching its directory and by polling every ten seconds.

The directory is watched and not the file, since editors and deployments replace the file. A ConfigMap replaces the
symlink ``..data`` next to the file. A watch on the file gets no event for that.

Polling finds changes without an event. Such a change may be in the target of a symlink to another directory, or in a
directory that was itself replaced. Some file systems have no events at all.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable

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
    """Watches the file at *path* from :meth:`start` to :meth:`stop`. Changes count from the creation of this object.

    *poll_s* and *quiet_ms* are shorter in tests.
    """

    def __init__(self, path: str, *, poll_s: float = POLL_S, quiet_ms: int = QUIET_MS) -> None:
        self._poll_s = poll_s
        self._quiet_ms = quiet_ms
        self._path = os.path.abspath(path)
        self._directory = os.path.dirname(self._path)
        self._seen = _fingerprint(self._path)
        self._on_change: Callable[[], None] = lambda: None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="config-watch", daemon=True)

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
        """Check the file after each event in the directory, and regularly. Returns when the directory was replaced."""
        self._check()
        import watchfiles  # imported late, so that neither the start nor the first request waits for it

        watched = _fingerprint(self._directory)
        for _ in watchfiles.watch(
            self._directory,
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
            if not _is_same_place(_fingerprint(self._directory), watched):
                return

    def _check(self) -> None:
        found = _fingerprint(self._path)
        if found != self._seen:
            self._seen = found
            self._on_change()


def _fingerprint(path: str) -> Fingerprint | None:
    """Return the fingerprint of the file at *path*, through symlinks. Returns None for no file, or for a pipe."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    if stat.S_ISFIFO(found.st_mode):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _is_same_place(one: Fingerprint | None, other: Fingerprint | None) -> bool:
    return one is not None and other is not None and one[:2] == other[:2]
