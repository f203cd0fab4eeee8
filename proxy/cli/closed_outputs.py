"""Standard streams that were closed before the process began, as by ``>&- 2>&-`` or by some supervisors."""

from __future__ import annotations

import os
import sys


def open_closed_streams() -> bool:
    """Open closed standard streams on ``/dev/null``. Returns True if standard output was one of them.

    Python sets such a stream to ``None`` and leaves its descriptor free. The next socket would get that descriptor, and
    with it every line that a library writes there.
    """
    closed = sys.stdout is None
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor, which is this one
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - open until the process ends
    return closed
