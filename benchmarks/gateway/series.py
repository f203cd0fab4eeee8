"""Find leaks in a series of samples of a process under steady load."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """The state of a process after a period of load, when no request should be in flight."""

    seconds: float
    requests: int
    errors: int
    resident: float
    files: int
    threads: int
    in_flight: int


MEMORY_SHARE, MEMORY_MIB = 0.03, 2.0
"""Growth of memory that is no leak, as a share and in MiB. Caches fill up, and the allocator keeps freed memory."""

_SPARE = 8
"""The number of open files and threads by which samples may differ, depending on the last requests."""


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which *share* of the sorted *values* lie, or 0 where there are no values."""
    return values[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def judge(series: Sequence[Sample]) -> list[str]:
    """Return the faults of a series. A flat series has none.

    The first half is for warming up. The memory of the last quarter is compared with the third quarter. Files and
    threads at the end are compared with their maximum in the first half.
    """
    if len(series) < 4:
        return ["too few samples to tell"]
    faults = []
    if errors := sum(sample.errors for sample in series):
        faults.append(f"{errors} errors")
    if any(sample.requests == 0 for sample in series):
        faults.append("a stretch without any answer")
    half, quarter = len(series) // 2, len(series) * 3 // 4
    before = statistics.mean(sample.resident for sample in series[half:quarter])
    after = statistics.mean(sample.resident for sample in series[quarter:])
    if after - before > max(MEMORY_MIB, before * MEMORY_SHARE):
        faults.append(f"memory grew from {before:.1f} to {after:.1f} MiB")
    last = series[-1]
    for name, most, now in (
        ("open files", max(sample.files for sample in series[:half]), last.files),
        ("threads", max(sample.threads for sample in series[:half]), last.threads),
    ):
        if now > most + _SPARE:
            faults.append(f"{name} grew from {most} to {now}")
    if last.in_flight:
        faults.append(f"{last.in_flight} requests still in flight at the end")
    return faults
