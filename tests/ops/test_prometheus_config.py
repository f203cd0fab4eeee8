"""Tests that the Prometheus of ``deploy/compose.yaml`` has a valid configuration and valid rules."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "prometheus" / "prometheus.yml"


def test_promtool_takes_the_configuration() -> None:
    """``promtool check config`` finds no fault in the configuration or its rules."""
    promtool = shutil.which("promtool")
    assert promtool is not None, "promtool is not installed (Debian package: prometheus)"
    done = subprocess.run(
        [promtool, "check", "config", CONFIGURATION], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "rules found" in done.stdout
