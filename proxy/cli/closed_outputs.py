"""Standard streams that were closed before the process began, as by ``>&- 2>&-`` or by some supervisors."""

from __future__ import annotations

import os
import sys


def open_closed_streams() -> bool:
    """Let closed standard streams lead to ``/dev/null``; tell whether standard output was one of them.

    Python leaves ``None`` in the place of such a stream. Its descriptor is free then, and the next socket would get it,
    with every line that a library writes there.
    """
    closed = sys.stdout is None
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free, which is this one
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - for as long as the process lives
    return closed
