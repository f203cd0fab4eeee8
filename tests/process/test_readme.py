"""Tests every code block of the README: the block runs or loads as printed, except for ports, addresses and docker."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from proxy import __version__
from proxy.config import load_settings
from proxy.config.environment import MASTER_KEY_VARIABLE, PROVIDERS
from tests.process.emulators import Gemini
from tests.process.running import ROOT, Running, environment, serve

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
CONFIGURATION = "deploy/turnright.yaml"
KEYS = ("GEMINI_API_KEY", "OPENAI_API_KEY", "NIGHT_SHIFT_KEY")

RUN = (
    "make demo",
    "ok  g16",
    "uv tool install",
    "docker build",
    "export",
    "from openai",
    "model_list",
    "turnright check",
    "echo",
)
"""The beginning of each block.

The tests below run every block except docker's, which is compared with the Dockerfile.
"""

UNREACHABLE = re.compile(
    r"dns error|error sending request|Failed to fetch|operation timed out", re.IGNORECASE
)
"""The errors of uv when it cannot reach its index."""


def block(beginning: str) -> str:
    """Return the one block that begins with *beginning*."""
    [found] = [text for _, text in BLOCKS if text.startswith(beginning)]
    return found


def script(text: str) -> str:
    """Return a block of shell that runs with this Python.

    ``make`` is told that its virtual environment exists. ``turnright`` runs the code of this checkout. ``make`` and
    ``turnright serve`` replace the shell with ``exec``, so that signals reach them.
    """
    python = Path(sys.executable)
    make = f'make() {{ exec make --silent BIN={python.parent} -o .venv/runtime "$@"; }}\n'
    replaced = f'[ "$1" != serve ] || exec {python} -m proxy "$@"'
    return f'{make}turnright() {{ {replaced}; {python} -m proxy "$@"; }}\n{text}'


def run_block(beginning: str) -> subprocess.CompletedProcess[str]:
    """Run a block of shell to its end."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", script(block(beginning))],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(),
        timeout=120,
        check=False,
    )


def models_of(directory: Path, text: str, http: httpx.Client, variables: Mapping[str, str]) -> list[str]:
    """Run a block of shell that serves, and return the names of the models that it serves."""
    program = ("bash", "-o", "pipefail", "-ec", script(text))
    running = Running(directory, "readme", program=program, variables=variables)
    try:
        address = running.wait_for(lambda: ready_address(running.output), "ready line")
        return [model["id"] for model in http.get(f"{address}/models").json()["data"]]
    finally:
        running.stop()


def ready_address(output: str) -> str | None:
    """Return the address in the log's line ``ready``, or None while that line is missing."""
    lines = [
        line for line in output.splitlines(keepends=True) if '"event":"ready"' in line and line[-1] == "\n"
    ]
    return json.loads(lines[0])["base_url"] if lines else None


def test_every_block_is_run() -> None:
    """Every block of the README is listed in ``RUN``, so a new block needs a test below."""
    assert [next((start for start in RUN if text.startswith(start)), text) for _, text in BLOCKS] == list(RUN)


def test_demo_prints_what_the_readme_shows() -> None:
    """The demo prints the history that the README shows, apart from line breaks and links."""
    done = run_block("make demo")
    shown = block("ok  g16")
    part = done.stdout[done.stdout.index(shown.split(":")[0]) :].split("\n─")[0]
    link = re.compile(r"https://\S+")

    assert done.returncode == 0, done.stderr
    assert link.sub("", part).split() == shown.split()


def test_one_key_serves_every_model_of_its_provider(tmp_path: Path, http: httpx.Client) -> None:
    """With one provider's key, the process lists models of that provider alone."""
    text = block("export").replace("turnright serve", "turnright serve --port 0")

    listed = models_of(tmp_path, text, http, {})

    assert "gemini/gemini-2.5-pro" in listed
    assert {name.partition("/")[0] for name in listed} == {"gemini"}


def test_client_is_told_of_the_change(tmp_path: Path, gemini_process: Gemini) -> None:
    """The Python block prints what its comment says."""
    text = block("from openai")
    [expected] = re.findall(r"print\(.*#  ?(.+)$", text, re.MULTILINE)
    params = {"model": "gemini/*", "api_key": "x", "api_base": gemini_process.api_base}
    with serve(tmp_path, {"model_list": [{"model_name": "gemini/*", "litellm_params": params}]}) as served:
        done = subprocess.run(
            [sys.executable, "-c", text.replace("http://127.0.0.1:4000/v1", served.base_url)],
            capture_output=True,
            text=True,
            env=environment(),
            timeout=120,
            check=False,
        )

    assert (done.returncode, done.stdout.strip()) == (0, expected), done.stderr


def test_configuration_is_valid() -> None:
    """The README's configuration loads without a fault or a warning."""
    loaded = load_settings(block("model_list").encode(), dict.fromkeys(KEYS, "sk-0123456789"))

    assert loaded.warnings == ()
    assert {entry.model_name for entry in loaded.settings.model_list} == {"fast", "spare"}


def test_file_to_start_from_is_checked_and_served(tmp_path: Path, http: httpx.Client) -> None:
    """``turnright check`` accepts the shipped configuration, and ``turnright serve`` serves it."""
    copy = tmp_path / "turnright.yaml"
    copy.write_text((ROOT / CONFIGURATION).read_text("utf-8").replace("port: 9464", "port: 0"), "utf-8")
    text = block("turnright check").replace(CONFIGURATION, str(copy))
    text = text.replace(f"serve --config {copy}", f"serve --config {copy} --port 0")

    assert models_of(tmp_path, text, http, {"GEMINI_API_KEY": "x"}) == ["gemini"]


def test_explain_names_the_changes() -> None:
    """``turnright explain`` names the change and exits with status 1."""
    done = run_block("echo")

    assert done.returncode == 1, done.stderr
    assert "user_prepend" in done.stdout


def test_command_is_installed_by_one_line(tmp_path: Path) -> None:
    """The command ``uv tool install`` of the README installs ``turnright``."""
    [line] = block("uv tool install").splitlines()
    tools = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}
    uv, *arguments = line.split()
    done = subprocess.run(
        [Path(sys.executable).with_name(uv), *arguments, "--python", sys.executable],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **tools},
        timeout=300,
        check=False,
    )
    if UNREACHABLE.search(done.stderr):
        pytest.skip("the package index could not be reached")
    assert done.returncode == 0, done.stderr

    version = subprocess.run(
        [tmp_path / "bin" / "turnright", "--version"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )

    assert version.stdout == f"turnright {__version__}\n"


def test_container_has_what_its_lines_name() -> None:
    """The Dockerfile, the port and the variables in the docker block agree with the code."""
    build, run = block("docker build").splitlines()
    words = build.split()
    dockerfile = (ROOT / words[words.index("--file") + 1]).read_text(encoding="utf-8")
    variables = set(re.findall(r"--env (\w+)", run))

    assert words[words.index("--tag") + 1] == run.split()[-1]
    assert "--publish 127.0.0.1:4000:4000 " in run
    assert re.search(r'^CMD .*"--host", "0.0.0.0", "--port", "4000"', dockerfile, re.MULTILINE)
    assert variables == {MASTER_KEY_VARIABLE, PROVIDERS[0].keys[0]}
