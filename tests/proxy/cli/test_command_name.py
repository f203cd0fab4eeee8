"""Tests that printed texts name the command ``turnright`` as the user started it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from proxy.cli.command_name import command_name


@pytest.mark.parametrize(
    ("started", "python", "name"),
    [
        ("/usr/local/bin/turnright", "/usr/bin/python3", "turnright"),
        ("/src/proxy/__main__.py", "/usr/bin/python3", "/usr/bin/python3 -m proxy"),
        ("/src/proxy/__main__.py", "{here}/.venv/bin/python", ".venv/bin/python -m proxy"),
    ],
    ids=["installed", "as a module", "in a checkout"],
)
def test_command_can_be_copied(
    started: str, python: str, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The shown command can be copied; a path inside the working directory is relative."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [started, "demo"])
    monkeypatch.setattr(sys, "executable", python.format(here=tmp_path))

    assert command_name() == name
