"""Runs ``promtool``, Prometheus' own tool."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run ``promtool`` and return its result, whatever its exit status."""
    tool = shutil.which("promtool")
    assert tool is not None, "promtool is not installed (Debian package: prometheus)"
    return subprocess.run([tool, *arguments], capture_output=True, text=True, check=False, timeout=300)
