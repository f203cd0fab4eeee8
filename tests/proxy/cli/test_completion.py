"""Tests of the completion script for each shell."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import shtab

from proxy.cli import main
from tests.support import public_surface

SHELLS = ("bash", "zsh", "fish", "tcsh")


@pytest.mark.parametrize("shell", SHELLS)
def test_script_knows_every_command_and_option(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each shell's script contains every command and option."""
    assert main(["completion", shell]) == 0

    script = capsys.readouterr().out
    words = {word for row in public_surface.commands() for word in row.split()[1:] if word.islower()}
    assert {word for word in words - {"action", "shell"} if word.lstrip("-") not in script} == set()
    assert shell in shtab.SUPPORTED_SHELLS


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        (["turnright", "mo"], {"models"}),
        (["turnright", "serve", "--c"], {"--config"}),
        (["turnright", "completion", "z"], {"zsh"}),
        (["turnright", "check", "--config", "conf"], {"config.yaml"}),
    ],
)
def test_bash_completes(
    line: list[str], offered: set[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Bash completes commands, options, choices and files."""
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    words = " ".join(line)
    asked = (
        f"touch config.yaml; COMP_WORDS=({words}); COMP_CWORD={len(line) - 1}; COMP_LINE='{words}'; "
        f"COMP_POINT={len(words)}; _shtab_turnright turnright {line[-1]} {line[-2]}; "
        "printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\n{asked}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=30,
        check=False,
    )

    assert {word.strip() for word in done.stdout.splitlines()} == offered, done.stderr
