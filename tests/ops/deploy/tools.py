"""The commands that judge the files of ``deploy/``; ``make test-deploy`` installs them."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[3] / "deploy"
ENVIRONMENT = Path(sys.prefix, "ops-env")
"""What ``requirements-ops.lock`` says, and kubectl, see ``install_kubectl``."""


def find_tool(name: str) -> str:
    """Return the path of a command, the environment's own first.

    kubectl alone may be missing, where there is none for this machine: then the test is skipped and says so.
    """
    found = shutil.which(name, path=ENVIRONMENT / "bin") or shutil.which(name)
    packaged = (platform.system(), platform.machine()) == ("Linux", "x86_64")
    if found is None and name == "kubectl" and not packaged:
        pytest.skip("kubectl is not on the path, and none is packaged for this machine")
    assert found is not None, f"{name} is missing: make test-deploy installs it"
    return found


def run_tool(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command and return what it said, whatever its exit status."""
    return subprocess.run(
        [find_tool(name), *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False
    )
