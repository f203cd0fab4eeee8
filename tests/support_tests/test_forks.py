"""Tests the processes that are forks of one that has imported turnright: status, output, signals and audit events."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GUARD
from tests.process.running import Running, forking_process, serve
from tests.support.fast_run import NotFastError


def test_command_in_a_fork_ends_with_its_status_and_its_output(tmp_path: Path) -> None:
    """A fork has the command's own output and exit status, also where an earlier fork has ended."""
    for name in ("one.yaml", "two.yaml"):
        path = str(tmp_path / name)
        running = Running(tmp_path, "check", "--config", path, forking=forking_process())

        assert running.wait() == 2
        assert running.stop() == 2
        assert (running.output, running.errors) == ("", f"turnright: {path}: No such file or directory\n")


def test_fork_has_the_variables_that_are_given(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "model_list: [{model_name: m, litellm_params: {model: openai/m, api_key: os.environ/THE_KEY}}]"
    )
    given = ("check", "--config", str(path), "--json")

    with_it = Running(tmp_path, *given, variables={"THE_KEY": "sk-0123456789"}, forking=forking_process())
    without = Running(tmp_path, *given, forking=forking_process())

    assert (with_it.wait(), without.wait()) == (0, 2)
    assert "THE_KEY" in without.output + without.errors


def test_killed_fork_is_told_from_one_that_ended(tmp_path: Path) -> None:
    """While it runs there is no status, and a wait ends at its timeout. A signal is a negative status."""
    model: dict[str, Any] = {"model_name": "m", "litellm_params": {"model": "openai/m", "api_key": "k"}}
    with serve(tmp_path, {"model_list": [model]}) as served:
        process = served.running.process
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.05)

        process.kill()
        assert process.wait() == process.returncode == -9
        process.kill()  # nothing is left to kill


def test_fast_test_may_not_fork(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Audit hooks are told of a fork as of a new process, also where the process that forks was started before."""
    forking = forking_process()

    with pytest.raises(NotFastError), pytestconfig.stash[GUARD].watching():
        Running(tmp_path, "check", "--config", "none", forking=forking)
