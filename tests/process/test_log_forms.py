"""Tests the log of a real process: JSON for machines, and columns with colours at a terminal."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.process.running import ROOT, command, environment
from tests.support.openai_emulator import OpenAIEmulator

LINE = re.compile(
    r"\d\d:\d\d:\d\d\.\d{3}  200  mine +chat/completions +[\d.]+ms +\+[\d.]+ms  1x +\d+>\d+  given-1 +deployment=\S+"
)
COLOUR = re.compile(r"\033\[\d+m")


@contextmanager
def at_a_terminal(
    directory: Path, config: Mapping[str, Any], **variables: str
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Serve *config* at its own terminal while the context lasts. Yields the process and the terminal's descriptor."""
    path = directory / f"config-{time.monotonic_ns()}.yaml"
    path.write_text(yaml.safe_dump(dict(config)))
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        command("serve", "--config", str(path), "--port", "0"),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        cwd=ROOT,
        env=environment(**variables),
    )
    os.close(theirs)
    try:
        yield process, ours
    finally:
        process.terminate()
        process.wait(20)
        os.close(ours)


def read_until(terminal: int, words: str, seconds: float = 30.0) -> str:
    """Return the terminal's output up to *words*."""
    limit, seen = time.monotonic() + seconds, ""
    while words not in seen:
        ready, _, _ = select.select([terminal], [], [], max(0.0, limit - time.monotonic()))
        assert ready, seen
        seen += os.read(terminal, 65_536).decode()
    return seen


def config_of(emulator: OpenAIEmulator, **logs: str) -> dict[str, Any]:
    """Return a configuration with one model and the log settings *logs*."""
    params = {"model": "openai/gpt-4.1", "api_key": "emulated", "api_base": emulator.base_url}
    general = {"logs": logs, "drain_delay": 0, "drain_grace": 1}
    return {
        "model_list": [{"model_name": "mine", "litellm_params": params}],
        "general_settings": general,
    }


def ask(http: httpx.Client, shown: str) -> None:
    """Send one request to the process, at the address that its first log lines *shown* name."""
    address = re.search(r"base_url=(http://\S+/v1)", COLOUR.sub("", shown))
    assert address is not None, shown
    body = {"model": "mine", "messages": [{"role": "user", "content": "x"}]}
    http.post(
        f"{address[1]}/chat/completions", json=body, headers={"x-request-id": "given-1"}
    ).raise_for_status()


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
    ids=["plain", "NO_COLOR", "NO_COLOR empty", "TERM dumb"],
)
def test_readable_at_a_terminal(
    directory: Path,
    http: httpx.Client,
    openai_emulator: OpenAIEmulator,
    variables: dict[str, str],
    coloured: bool,
) -> None:
    """A terminal gets one line of columns for a request, coloured unless ``NO_COLOR`` or ``TERM`` forbids colours."""
    config = config_of(openai_emulator)
    with at_a_terminal(directory, config, **variables) as (_, terminal):
        shown = read_until(terminal, "/v1")
        ask(http, shown)
        shown += read_until(terminal, "deployment=")

    plain = COLOUR.sub("", shown)
    assert (plain != shown) is coloured
    assert len(re.findall("given-1", shown)) == 1
    assert LINE.search(plain), shown


def test_terminal_is_greeted_with_addresses_models_and_keys(
    directory: Path, http: httpx.Client, openai_emulator: OpenAIEmulator
) -> None:
    """Once the process is ready, the banner shows the addresses, the models and the keys that were found.

    The banner names each key's variable, never its value.
    """
    config = config_of(openai_emulator, level="warning")
    config["model_list"][0]["litellm_params"]["api_key"] = "os.environ/MY_OWN_KEY"
    variables = {"MY_OWN_KEY": "sk-never-shown-0123456789", "NO_COLOR": "1"}
    with at_a_terminal(directory, config, **variables) as (_, terminal):
        shown = read_until(terminal, "Ctrl-C")
        [page] = re.findall(r"page +(http://\S+/ui)\r\n", shown)
        status = http.get(page).status_code

    assert status == 200
    assert f"for clients    {page.removesuffix('ui')}v1\r\n" in shown
    assert "models         mine\r\n" in shown
    assert "keys found     openai (MY_OWN_KEY)\r\n" in shown
    assert "sk-never" not in shown


def test_json_at_a_terminal_has_no_colours(
    directory: Path, http: httpx.Client, openai_emulator: OpenAIEmulator
) -> None:
    """With the format ``json``, a terminal gets JSON lines without colours, and no banner."""
    with at_a_terminal(directory, config_of(openai_emulator, format="json")) as (_, terminal):
        shown = read_until(terminal, '"ready"')

    assert "\033" not in shown
    assert '"event":"ready","level":"info"' in shown
    assert "/ui" not in shown


def test_readable_in_a_file_has_no_colours(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator
) -> None:
    """A file gets readable lines without colours.

    With the level ``warning``, the file gets no lines of the level ``info``.
    """
    for level, events in (("info", ["ready", "draining", "stopped"]), ("warning", [])):
        path, out = tmp_path / "c.yaml", tmp_path / f"{level}.log"
        path.write_text(yaml.safe_dump(config_of(openai_emulator, format="readable", level=level)))
        with out.open("wb") as written:
            process = subprocess.Popen(
                command("serve", "--config", str(path), "--port", "0"),
                stdin=subprocess.DEVNULL,
                stdout=written,
                cwd=ROOT,
                env=environment(),
            )
        limit = time.monotonic() + 30
        while (
            not (_is_serving(process.pid) and "".join(events[:1]) in out.read_text())
            and time.monotonic() < limit
        ):
            time.sleep(0.05)
        process.terminate()
        assert process.wait(20) == 0
        assert [line.split()[2] for line in out.read_text().splitlines()] == events
        assert "\033" not in out.read_text()


def _is_serving(pid: int) -> bool:
    """Tell whether a process handles SIGTERM, as every process does once it serves."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = int(re.search(r"SigCgt:\t(\w+)", status)[1], 16)  # type: ignore[index]  # every process has it
    return bool(caught & 1 << 14)
