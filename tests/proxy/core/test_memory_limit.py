"""Tests that the memory limit is the lowest of all cgroups and of the machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from proxy.core.memory_limit import read_memory_limit

MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
SMALL, LOWER = 512 * 2**20, 256 * 2**20
NO_LIMIT_V1 = 0x7FFFFFFFFFFFF000


@pytest.mark.parametrize(
    ("own", "files", "expected"),
    [
        ("0::/\n", {"memory.max": SMALL}, SMALL),
        ("0::/pod/container\n", {"pod/container/memory.max": SMALL}, SMALL),
        ("0::/pod/container\n", {"pod/container/memory.max": SMALL, "pod/memory.max": LOWER}, LOWER),
        ("0::/pod/container\n", {"pod/container/memory.max": "max", "pod/memory.max": LOWER}, LOWER),
        ("0::/of/the/host\n", {"memory.max": SMALL}, SMALL),
        ("0::/\n", {"memory.max": "max"}, MACHINE),
        ("0::/\n", {"memory.max": 2**60}, MACHINE),
        ("4:memory:/docker/x\n", {"memory/docker/x/memory.limit_in_bytes": SMALL}, SMALL),
        ("4:memory:/docker/x\n", {"memory/memory.limit_in_bytes": SMALL}, SMALL),
        ("5:cpu,memory:/\n0::/x\n", {"memory/memory.limit_in_bytes": LOWER, "x/memory.max": SMALL}, LOWER),
        ("4:memory:/\n", {"memory/memory.limit_in_bytes": NO_LIMIT_V1}, MACHINE),
        ("3:cpu:/\nnonsense\n", {"memory.max": "nonsense"}, MACHINE),
        (None, {"memory.max": SMALL}, MACHINE),
    ],
)
def test_limit_is_read_from_either_version_of_cgroups(
    tmp_path: Path, own: str | None, files: dict[str, object], expected: int
) -> None:
    """The limit is read from cgroups of version 2 and version 1, or is the machine's memory."""
    for name, value in files.items():
        file = tmp_path / "cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{value}\n")
    names = tmp_path / "own"
    if own is not None:
        names.write_text(own)

    assert read_memory_limit(tmp_path / "cgroup", names) == expected


def test_this_process_has_a_limit() -> None:
    """The limit of this process can be read and is at most the machine's memory."""
    assert 0 < read_memory_limit() <= MACHINE
