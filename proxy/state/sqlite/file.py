"""The files of an SQLite store: opened for their owner alone, locked, and set aside when they are damaged.

Two connections that write or checkpoint at the same moment can corrupt a file with a write-ahead log. SQLite 3.51.3
mended that, and Debian 12 has 3.40.1 (sqlite.org/wal.html, 2026-03). So one process at a time uses a file.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import sys
from time import gmtime, strftime

from proxy.state.external.backend import FaultKind, StoreFault, StoreInUse

if sys.platform != "win32":
    import fcntl

_MODE = 0o600
_SIDES = ("", "-wal", "-shm", "-journal")
"""The endings of the files that make up one SQLite database."""

_PRIMARY_CODE = 0xFF
"""The bits of an SQLite error code that name the kind of failure. The other bits name its detail."""

_KINDS = {
    sqlite3.SQLITE_FULL: FaultKind.FULL,
    sqlite3.SQLITE_READONLY: FaultKind.READ_ONLY,
    sqlite3.SQLITE_CORRUPT: FaultKind.CORRUPT,
    sqlite3.SQLITE_NOTADB: FaultKind.CORRUPT,
    sqlite3.SQLITE_BUSY: FaultKind.CONNECTION,
    sqlite3.SQLITE_CANTOPEN: FaultKind.CONNECTION,
    sqlite3.SQLITE_IOERR: FaultKind.CONNECTION,
    sqlite3.SQLITE_LOCKED: FaultKind.CONNECTION,
    sqlite3.SQLITE_PROTOCOL: FaultKind.CONNECTION,
}
_SYSTEM_KINDS = {
    errno.ENOSPC: FaultKind.FULL,
    errno.EDQUOT: FaultKind.FULL,
    errno.EROFS: FaultKind.READ_ONLY,
    errno.EACCES: FaultKind.READ_ONLY,
    errno.EPERM: FaultKind.READ_ONLY,
}


class DamagedFile(Exception):
    """The file is not one that this version can use. The message says why, without the file's name."""


def read_fault(error: Exception) -> StoreFault:
    """Return the failure that *error* means. *error* was raised by SQLite or by the operating system.

    An error about text that cannot be decoded has no SQLite code. Such text comes from a damaged page.
    """
    if isinstance(error, StoreFault):
        return error
    if isinstance(error, DamagedFile):
        return StoreFault(FaultKind.CORRUPT, f"the file of `store.url` is of no use: {error}")
    if isinstance(error, sqlite3.DatabaseError):
        code = getattr(error, "sqlite_errorcode", None)
        words = f"SQLite says: {error}"
        if code is None:
            decoding = isinstance(error, sqlite3.OperationalError)
            return StoreFault(FaultKind.CORRUPT if decoding else FaultKind.REFUSED, words)
        return StoreFault(_KINDS.get(code & _PRIMARY_CODE, FaultKind.REFUSED), words)
    if isinstance(error, OSError):
        kind = _SYSTEM_KINDS.get(error.errno or 0, FaultKind.CONNECTION)
        return StoreFault(kind, f"the file of `store.url` cannot be opened for writing: {error.strerror}")
    return StoreFault(FaultKind.REFUSED, type(error).__name__)


def create_file(path: str) -> tuple[int, int]:
    """Create the file *path* unless it exists, and make its files readable for the owner alone. Return its identity.

    SQLite gives its other files the mode of this file, whatever the process's umask is. The identity is the device and
    the inode. Raises :class:`OSError` or :class:`StoreFault`.

    No connection may be open meanwhile: closing a descriptor of the file frees the connection's locks (POSIX).
    """
    if os.path.isdir(path):
        raise StoreFault(FaultKind.CONNECTION, "the path of `store.url` is a directory. Name a file in it.")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _MODE)
    except FileNotFoundError:
        words = "the directory of the file of `store.url` does not exist. Create the directory."
        raise StoreFault(FaultKind.CONNECTION, words) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise StoreFault(FaultKind.CONNECTION, "the path of `store.url` is not a regular file.")
        os.fchmod(descriptor, _MODE)
    finally:
        os.close(descriptor)
    for side in _SIDES[1:]:
        if os.path.exists(path + side):
            os.chmod(path + side, _MODE)
    return status.st_dev, status.st_ino


def identify_file(path: str) -> tuple[int, int] | None:
    """Return the identity of the file that stands under *path* now, or None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def lock_file(path: str) -> int:
    """Lock ``path.lock`` for this process, and return the descriptor that holds the lock.

    The lock file stays where it is: a process that removed it could remove another's lock. Raises :class:`StoreInUse`,
    :class:`StoreFault` or :class:`OSError`.
    """
    if sys.platform == "win32":
        raise StoreFault(FaultKind.CONNECTION, "`store.url` needs file locks, which this platform lacks.")
    descriptor = _open_lock(path + ".lock")
    try:
        os.fchmod(descriptor, _MODE)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise StoreInUse(
            f"another process uses the file {path} of `store.url`. "
            "Stop the other process, or give this process a file of its own."
        ) from None
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _open_lock(path: str) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _MODE)
    except FileNotFoundError:
        words = "the directory of the file of `store.url` does not exist. Create the directory."
        raise StoreFault(FaultKind.CONNECTION, words) from None


def set_aside(path: str, now: float) -> str:
    """Rename the files of *path* to ``path.corrupt-<UTC time>``, and return the new path.

    *now* is the wall clock's time in seconds. A number is added where the name is taken.
    """
    wanted = f"{path}.corrupt-{strftime('%Y%m%dT%H%M%SZ', gmtime(now))}"
    name, number = wanted, 1
    while any(os.path.lexists(name + side) for side in _SIDES):
        number += 1
        name = f"{wanted}-{number}"
    for side in _SIDES:
        if os.path.lexists(path + side):
            os.rename(path + side, name + side)
    return name
