"""Runs turnright commands in a shell or in the test's process, and holds the input that tests give to commands."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from proxy.cli import main
from tests.process.running import ROOT, command, environment
from tests.support.builders import assistant, call, tool, user

BROKEN: list[Any] = [
    user("go"),
    assistant(None, [call("c1", "f"), call("c2", "g")]),
    tool("c1"),
    user("and?"),
]
REQUEST: dict[str, Any] = {"model": "gemini-3.6-flash", "messages": BROKEN, "frobnicate": 1}
SECRET = "sk-never-shown-0123456789"


def run(*arguments: str, stdin: bytes = b"", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a turnright command to its end. Fails if the command prints a traceback."""
    return run_in_shell('exec "$@"', *arguments, stdin=stdin, **variables)


def run_in_shell(
    line: str, *arguments: str, stdin: bytes = b"", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a shell line in which ``"$@"`` is a turnright command. Fails if the line prints a traceback."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line, "bash", *command(*arguments)],
        input=stdin,
        capture_output=True,
        cwd=ROOT,
        env=environment(**variables),
        timeout=60,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err, err
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def run_in_process(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run a turnright command in the test's process, which saves the second that a new process takes to start.

    The output is no terminal.
    """
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name, stream in (
            ("stdin", io.TextIOWrapper(io.BytesIO(stdin))),
            ("stdout", out),
            ("stderr", err),
        ):
            patch.setattr(sys, name, stream)
        status = main(list(arguments))
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return subprocess.CompletedProcess(arguments, status, *texts)


def write(path: Path, value: Any) -> str:
    """Write *value* to a file, as YAML unless *value* is a text, and return the file's path."""
    path.write_text(value if isinstance(value, str) else yaml.safe_dump(value))
    return str(path)


def deep(levels: int) -> bytes:
    """Return the JSON of *levels* nested lists."""
    return b"[" * levels + b"]" * levels


def config(**general: Any) -> dict[str, Any]:
    """Return a configuration of one model, with *general* as ``general_settings``."""
    parameters = {
        "model": "gemini/gemini-3.6-flash",
        "api_key": SECRET,
        "api_base": "http://127.0.0.1:9/v1beta",
    }
    return {
        "model_list": [{"model_name": "mine", "litellm_params": parameters}],
        "general_settings": general,
    }
