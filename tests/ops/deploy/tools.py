"""Runs the commands that check the files of ``deploy/``. ``make test-deploy`` installs these commands."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[3] / "deploy"
ENVIRONMENT = Path(sys.prefix, "ops-env")
"""An environment with the packages of ``requirements-ops.lock``, and kubectl (see ``install_kubectl``)."""


def find_tool(name: str) -> str:
    """Return the path of a command. The environment's own commands come first.

    Only kubectl may be missing, and only on a machine for which no kubectl is packaged. The test is then skipped.
    """
    found = shutil.which(name, path=ENVIRONMENT / "bin") or shutil.which(name)
    packaged = (platform.system(), platform.machine()) == ("Linux", "x86_64")
    if found is None and name == "kubectl" and not packaged:
        pytest.skip("kubectl is not on the path, and none is packaged for this machine")
    assert found is not None, f"{name} is missing: make test-deploy installs it"
    return found


def run_tool(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command and return its result, whatever its exit status."""
    return subprocess.run(
        [find_tool(name), *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False
    )
