"""Describes the machine and the date of a measurement."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path


def describe() -> str:
    """Return the machine, the Python and the day, in a line."""
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    processor = names[0] if names else platform.machine()
    today = datetime.datetime.now(tz=datetime.UTC).date()
    return f"{processor}, {os.cpu_count()} cores; Python {platform.python_version()}; {today}"
