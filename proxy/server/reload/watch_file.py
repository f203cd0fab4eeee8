"""Notice that the configuration's file may have changed: by its directory, and by a look every few seconds.

The directory is watched, not the file: editors and deployments put another file in its place, and a ConfigMap swaps the
symlink ``..data`` beside it, of which a watch on the file hears nothing. The look finds what no event tells: a change
behind a symlink that leads elsewhere, a directory that was itself replaced, a file system without events.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable

from proxy.observability.logs import get_log

Fingerprint = tuple[int, int, int, int]
"""What tells one state of a file from another: device, inode, size, time of its last change in ns."""

_QUIET_MS = 200
"""Milliseconds without a further event before it is looked at: an editor takes several steps to save a file."""

_LONGEST_MS = 2_000
"""Milliseconds after which it is looked at all the same, in a directory that is never quiet."""

LOOK_EVERY_S = 10.0
"""Seconds between two looks where no event comes."""


class FileWatch:
    """Watches the file at *path* from :meth:`start` to :meth:`stop`, compared with how it was when this was made."""

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(path)
        self._directory = os.path.dirname(self._path)
        self._seen = _fingerprint(self._path)
        self._tell: Callable[[], None] = lambda: None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="config-watch", daemon=True)

    def start(self, tell: Callable[[], None]) -> None:
        """Begin; *tell* is called from a thread each time that the file is another, gone or back."""
        self._tell = tell
        self._thread.start()

    def stop(self) -> None:
        """End; returns when *tell* will not be called any more, some 0.2 s later. It blocks: not for the event loop."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        told = False
        while not self._stopping.is_set():
            try:
                self._watch()
            except Exception as error:  # noqa: BLE001 - no events here, or no watches left: the looks go on
                if not told:
                    get_log().warning(
                        "config_watch_failed", error=type(error).__name__, look_every_s=LOOK_EVERY_S
                    )
                told = True
                self._stopping.wait(LOOK_EVERY_S)

    def _watch(self) -> None:
        """Look whenever something happens in the directory, or nothing for a while, as long as it is the same one."""
        self._look()
        import watchfiles  # late: no start and no first request waits for it

        watched = _fingerprint(self._directory)
        for _ in watchfiles.watch(
            self._directory,
            watch_filter=None,
            recursive=False,
            step=_QUIET_MS,
            debounce=_LONGEST_MS,
            rust_timeout=int(LOOK_EVERY_S * 1000),
            yield_on_timeout=True,
            stop_event=self._stopping,
            raise_interrupt=False,
        ):
            self._look()
            if not _is_same_place(_fingerprint(self._directory), watched):
                return

    def _look(self) -> None:
        found = _fingerprint(self._path)
        if found != self._seen:
            self._seen = found
            self._tell()


def _fingerprint(path: str) -> Fingerprint | None:
    """Return the fingerprint of what *path* leads to, through symlinks; None where it leads nowhere, or to a pipe."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    if stat.S_ISFIFO(found.st_mode):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _is_same_place(one: Fingerprint | None, other: Fingerprint | None) -> bool:
    return one is not None and other is not None and one[:2] == other[:2]
