"""The memory that this process may use: its cgroup's limit, or the machine's memory.

A container's limit is a cgroup's: ``memory.max``, or in version 1 ``memory.limit_in_bytes``
(``docs.kernel.org/admin-guide/cgroup-v2.html``). Any parent cgroup may set a lower limit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUPS = Path("/proc/self/cgroup")


def read_memory_limit(cgroups: Path = _CGROUPS, own_cgroups: Path = _OWN_CGROUPS) -> int:
    """Return the memory limit in bytes: the lowest of the machine's memory and the limits of the process's cgroups.

    *cgroups* is the folder of the cgroups. *own_cgroups* is the file that names the cgroups of the process. A file that
    cannot be read sets no limit.
    """
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min((machine, *_limits(cgroups, own_cgroups)))


def _limits(cgroups: Path, own_cgroups: Path) -> Iterator[int]:
    for line in _read(own_cgroups).splitlines():
        number, controllers, path = (*line.split(":", 2), "", "")[:3]
        if number == "0" and not controllers:
            folder, name = cgroups, "memory.max"
        elif "memory" in controllers.split(","):
            folder, name = cgroups / "memory", "memory.limit_in_bytes"
        else:
            continue
        within = PurePosixPath(path.lstrip("/"))
        # In a container the path may be the host's, while the root is the container's cgroup.
        for above in (within, *within.parents):
            text = _read(folder / above / name).strip()
            if text.isdecimal():  # "max" means that there is no limit
                yield int(text)


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
