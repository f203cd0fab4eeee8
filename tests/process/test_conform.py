"""Tests of ``turnright conform`` as a process, against turnright and against a gateway that repairs nothing."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from proxy.conformance.corpus import load_corpus
from sanitizers import find_violations
from sanitizers.profile_names import profile_for
from tests.process.commands import run
from tests.process.running import ROOT, Running, command, environment, reserved_port, serve

MODEL = "gemini-3.6-flash"
CASES = {case.id: case for case in load_corpus()}


@pytest.fixture
def emulator_port() -> Iterator[int]:
    """Yield a reserved port for the emulator."""
    with reserved_port() as port:
        yield port


def conform(base_url: str, emulator_port: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    port = str(emulator_port)
    given = ("--base-url", base_url, "--model", "measured", "--emulator-port", port, "--yes", *arguments)
    return run("conform", *given)


def figures(shown: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return the JSON of the command."""
    found: dict[str, Any] = json.loads(shown.stdout)
    return found


def config(port: int, model: str) -> dict[str, Any]:
    """Return the configuration of a turnright whose provider is the emulator."""
    params = {
        "model": f"gemini/{model}",
        "api_base": f"http://127.0.0.1:{port}/v1beta",
        "api_key": "emulated",
    }
    return {"model_list": [{"model_name": "measured", "litellm_params": params}]}


@pytest.mark.parametrize(
    ("model", "transport"), [(MODEL, "direct"), ("gemini-2.5-flash", "direct"), (MODEL, "litellm")]
)
def test_every_history_holds_through_turnright(
    directory: Path, emulator_port: int, model: str, transport: str
) -> None:
    """Each history reaches the emulator whole and is accepted, for each model and each transport."""
    settings = config(emulator_port, model)
    settings["model_list"][0]["transport"] = transport
    with serve(directory, settings) as served:
        shown = conform(served.base_url, emulator_port, "--json")

    found = figures(shown)
    assert [case for case in found["cases"] if case["verdict"] != "holds"] == []
    assert (shown.returncode, found["holds"], found["total"]) == (0, len(CASES), len(CASES))


def test_gateway_that_repairs_nothing_passes_the_legal_histories_and_few_others(
    directory: Path, emulator_port: int
) -> None:
    """A bare pass-through holds for all legal histories, and under a fifth of those that break a rule of the model."""
    profile = profile_for(f"gemini/{MODEL}")
    illegal = {name for name, case in CASES.items() if find_violations(list(case.messages), profile)}
    with ExitStack() as stack:
        port = stack.enter_context(reserved_port())
        running = Running(
            directory,
            str(port),
            f"http://127.0.0.1:{emulator_port}/v1beta",
            MODEL,
            program=(command()[0], "-m", "benchmarks.conformance.bare_gateway"),
        )
        stack.callback(running.stop)
        shown = conform(f"http://127.0.0.1:{port}/v1", emulator_port, "--json")
    found = figures(shown)
    held = {case["id"] for case in found["cases"] if case["verdict"] == "holds"}

    assert shown.returncode == 1
    assert {name for name in CASES if name.startswith("legal-")} <= held
    assert len(held & illegal) < len(illegal) / 5
    assert held.isdisjoint({"g01", "g16", "o07", "orphaned_result", "missing_result", "trailing_model_turn"})
    reasons = {case["id"]: case["detail"] for case in found["cases"]}
    assert reasons["trailing_model_turn"] == "Requests ending with a model turn are not supported."


def test_lines_that_the_command_prints_make_turnright_reach_the_emulator(
    directory: Path, emulator_port: int
) -> None:
    """A turnright that is configured with the lines that the command printed is measured, and all histories hold."""
    with reserved_port() as port:
        base_url = f"http://127.0.0.1:{port}/v1"
        asked = Running(
            directory,
            *("conform", "--base-url", base_url, "--model", "measured"),
            *("--emulator-port", str(emulator_port), "--yes"),
        )
        try:
            printed = asked.wait_for(
                lambda: asked.errors if "requests go to" in asked.errors else "", "the lines"
            )
            lines = printed.split("LiteLLM proxy:\n\n")[1].split("\n\n")[0]
            with serve(directory, yaml.safe_load(lines), "--port", str(port)):
                status = asked.wait(120)
        finally:
            asked.stop()

    assert (status, asked.output) == (0, f"{len(CASES)} of {len(CASES)} histories hold.\n")


def test_wrong_key_is_3_and_is_not_shown(
    directory: Path, emulator_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a wrong key the command prints the gateway's refusal and returns 3.

    With the right key it returns 0. No key is shown.
    """
    settings = {**config(emulator_port, MODEL), "general_settings": {"master_key": "sk-right-0123456789"}}
    port = str(emulator_port)
    with serve(directory, settings) as served:
        given = ("conform", "--base-url", served.base_url, "--model", "measured", "--emulator-port", port)
        wrong = run(*given, "--yes", TURNRIGHT_CONFORM_KEY="sk-wrong-0123456789")
        right = run(*given, "--yes", "--key-env", "MINE", MINE="sk-right-0123456789")

    assert (wrong.returncode, wrong.stdout) == (3, "")
    assert "nothing arrived at the emulator" in wrong.stderr
    assert "answered 401" in wrong.stderr
    assert "sk-wrong" not in wrong.stderr
    assert (right.returncode, "sk-right" in right.stderr) == (0, False)


def test_gateway_that_is_not_there_is_3(emulator_port: int) -> None:
    with reserved_port() as port:
        shown = conform(f"http://127.0.0.1:{port}/v1", emulator_port, "--wait", "0.5")

    assert (shown.returncode, shown.stdout) == (3, "")
    assert "does not answer" in shown.stderr.splitlines()[-1]


def test_at_a_terminal_the_command_waits_for_enter(emulator_port: int) -> None:
    """Without ``--yes``, the command waits for Enter at a terminal before it asks the gateway."""
    master, slave = os.openpty()
    with reserved_port() as port, open(master, "wb", buffering=0) as keyboard:
        asked = subprocess.Popen(
            command(
                *("conform", "--base-url", f"http://127.0.0.1:{port}/v1", "--model", "measured"),
                *("--emulator-port", str(emulator_port), "--wait", "0.5"),
            ),
            stdin=slave,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment(),
        )
        os.close(slave)
        assert asked.stderr is not None
        with asked, asked.stderr:
            printed = ""
            while "Press Enter" not in printed:
                line = asked.stderr.readline()
                assert line, printed
                printed += line
            assert asked.poll() is None
            keyboard.write(b"\n")
            last = asked.stderr.read()
            status = asked.wait(60)

    assert status == 3
    assert "does not answer" in last
