"""Tests of the command line in a shell: exit status, standard output and standard error."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from proxy import __version__
from tests.process.commands import REQUEST, SECRET, config, run, write
from tests.process.running import ROOT, UVLOOP, Running, command, environment

COMMANDS = ("serve", "init", "demo", "emulate", "explain", "check", "models", "conform", "completion")


def test_version_of_both_commands() -> None:
    """Both ``turnright`` and ``python -m proxy`` print the same version and exit with 0."""
    script = Path(sys.executable).with_name("turnright")
    by_name = subprocess.run([script, "--version"], capture_output=True, text=True, check=True, timeout=60)
    by_module = run("--version")

    assert by_module.returncode == 0
    assert by_name.stdout == by_module.stdout == f"turnright {__version__}\n"


def test_help_names_every_command() -> None:
    shown = run("--help")

    assert shown.returncode == 0
    assert all(re.search(rf"^    {name}\s", shown.stdout, re.MULTILINE) for name in COMMANDS)


def test_demo_needs_no_key_and_exits_with_0() -> None:
    """Without a key, the demo shows each history refused directly and answered through turnright, and exits 0."""
    shown = run("demo")

    assert (shown.returncode, shown.stderr) == (0, "")
    heads = [line for line in shown.stdout.splitlines() if line.startswith(("ok  g", "NOT g"))]
    straight = [line.split()[1] for line in shown.stdout.splitlines() if line.startswith("  straight ")]
    through = [line.split()[1] for line in shown.stdout.splitlines() if line.startswith("  turnright ")]
    assert len(heads) >= 8
    assert all(head.startswith("ok  ") for head in heads)
    assert (straight, through) == (["400"] * len(heads), ["200"] * len(heads))
    assert "changes    none" not in shown.stdout
    assert shown.stdout.count("https://github.com/") == len(heads)
    verdict = f"{len(heads)} of {len(heads)} refused when sent straight and answered through turnright."
    assert shown.stdout.splitlines()[-6] == verdict
    assert "\033" not in shown.stdout


@pytest.mark.parametrize("variables", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["buffered", "unbuffered"])
def test_closed_pipe_ends_the_command_with_1_without_a_traceback(variables: dict[str, str]) -> None:
    """A reader that closes the pipe, as ``head`` does, ends the command with 1 and without a traceback."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command("explain", "--json"),
            input=json.dumps(REQUEST).encode(),
            stdout=writing,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env=environment(**variables),
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)

    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("name", ["check", "serve", "explain"])
def test_configuration_that_is_not_there(name: str, tmp_path: Path) -> None:
    """If the configuration file is missing, the command ends with 2 and prints the file's name and the reason."""
    path = str(tmp_path / "none.yaml")

    shown = run(name, "--config", path, stdin=json.dumps(REQUEST).encode())

    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr == f"turnright: {path}: No such file or directory\n"


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_serve_in_the_open_without_a_key(host: str, tmp_path: Path) -> None:
    """Without a master key, ``serve`` on a non-loopback address exits with 2 and prints what to set."""
    shown = run("serve", "--config", write(tmp_path / "c.yaml", config()), "--host", host, "--port", "0")

    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr == (
        f"turnright: general_settings.master_key is not set, and {host} is not loopback: set it "
        "(TURNRIGHT_MASTER_KEY where there is no file), or permit open access with "
        "general_settings.allow_unauthenticated_access: true\n"
    )


def test_serve_without_configuration_and_key_ends_with_2() -> None:
    """With no configuration and no key in the environment, ``serve`` exits with 2 and prints how to go on."""
    shown = run("serve", "--port", "0")

    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr.startswith(
        "turnright: there is no configuration: name a file with --config, or set one of GEMINI"
    )
    assert shown.stderr.endswith(
        "; `turnright init` writes a first file, and `turnright demo` needs no key\n"
    )
    assert len(shown.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["serve", "emulate"])
def test_port_in_use_ends_serve_with_1(name: str, tmp_path: Path) -> None:
    """If the port is in use, the command exits with 1 and prints the reason."""
    path = write(tmp_path / "c.yaml", config())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        shown = run(name, *(["--config", path] if name == "serve" else []), "--port", port)

    assert (shown.returncode, shown.stdout) == (1, "")
    assert shown.stderr.startswith("turnright: cannot listen: ")
    assert "in use" in shown.stderr


def test_serve_from_the_environment(directory: Path) -> None:
    """With a provider's key in the environment, ``serve`` needs no file.

    SIGINT makes the process drain. A second SIGINT ends the drain delay early.
    """
    running = Running(directory, "serve", "--port", "0", variables={"GEMINI_API_KEY": SECRET})
    try:
        ready = running.wait_for(lambda: running.events("ready"), "ready line")[0]
        running.signal(signal.SIGINT)
        running.wait_for(lambda: running.events("draining"), "draining")
        running.signal(signal.SIGINT)  # the default delay is 5 s
    finally:
        running.stop()

    assert ready["base_url"] == f"http://127.0.0.1:{ready['port']}/v1"
    assert ready["event_loop"] == ("uvloop" if UVLOOP else "asyncio")
    assert SECRET not in running.output + running.errors


def test_emulate_says_where_it_is(directory: Path) -> None:
    """``emulate`` prints its address and the ``api_base`` to configure, and exits with 0 when stopped."""
    running = Running(directory, "emulate", "--port", "0")
    try:
        line = running.wait_for(lambda: running.output.partition("\n")[0], "address")
    finally:
        status = running.stop()

    origin = line.split()[3]
    assert line == f"Gemini emulator on {origin} (api_base: {origin}/v1beta)"
    assert (status, running.errors) == (0, "")
