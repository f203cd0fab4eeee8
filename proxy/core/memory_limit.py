"""The memory that this process may take: its cgroup's limit, or the machine's memory.

A container's limit is a cgroup's (``docs.kernel.org/admin-guide/cgroup-v2.html``, ``memory.max``; in version 1
``memory.limit_in_bytes``). Any cgroup above may set a lower one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_MOUNTED = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


def read_memory_limit(mounted: Path = _MOUNTED, own: Path = _OWN) -> int:
    """Return the bytes that the process may take, the lowest of its cgroups' limits and the machine's memory.

    *mounted* is where cgroups are, *own* the file that names those of the process. What cannot be read sets no limit.
    """
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min((machine, *_limits(mounted, own)))


def _limits(mounted: Path, own: Path) -> Iterator[int]:
    for line in _read(own).splitlines():
        number, controllers, path = (*line.split(":", 2), "", "")[:3]
        if number == "0" and not controllers:
            folder, name = mounted, "memory.max"
        elif "memory" in controllers.split(","):
            folder, name = mounted / "memory", "memory.limit_in_bytes"
        else:
            continue
        within = PurePosixPath(path.lstrip("/"))
        for above in (
            within,
            *within.parents,
        ):  # in a container the path may be the host's, and the root its own
            text = _read(folder / above / name).strip()
            if text.isdecimal():  # "max" where there is none
                yield int(text)


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
