"""Reads the files that a configuration names, such as those of the operator's instructions."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable


def _ignore(path: str) -> None:
    """Take no note of *path*."""


class NamedFiles:
    """The files that the configuration at *config* names.

    A relative path begins at the configuration's folder. It begins at the working folder where *config* is None, or is
    no file but a pipe. *note* is called with the whole path of each file before the file is read.
    """

    def __init__(self, config: str | None, note: Callable[[str], None] = _ignore) -> None:
        is_file = config is not None and os.path.isfile(config)
        self._folder = (
            os.path.dirname(os.path.abspath(config)) if config is not None and is_file else os.getcwd()
        )
        self._note = note
        self.paths: list[str] = []
        """The whole paths of the files that were asked for."""

    def read(self, path: str, most: int) -> bytes:
        """Return the first *most* bytes of the file at *path*.

        Raises :class:`OSError` where there is no file, and for a folder or a pipe, which could block for ever.
        """
        place = os.path.join(self._folder, path)
        self.paths.append(place)
        self._note(place)
        mode = os.stat(place).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise OSError(errno.EINVAL, "it is not a file")
        with open(place, "rb") as file:
            return file.read(most)
