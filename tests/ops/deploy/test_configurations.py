"""Tests the configurations in ``deploy/``: each is valid, can be served as deployed, and has enough time to stop."""

from __future__ import annotations

import subprocess
from pathlib import Path

import httpx
import pytest
import yaml

from proxy.cli.check_warnings import find_warnings
from proxy.config import bind_fault, load_settings
from tests.ops.deploy.configurations import PLACES, Configured, configured
from tests.process.running import Running, command, environment

SECONDS_TO_EXIT = 4
"""Seconds that a process may take after the drain grace, for the last events and its exit."""

FILE = "/etc/turnright/turnright.yaml"


@pytest.fixture(params=PLACES)
def deployed(request: pytest.FixtureRequest) -> Configured:
    """Return each deployed configuration in turn."""
    return configured(request.param)


def value_of(deployed: Configured, name: str, default: str) -> str:
    """Return the value of an option in the arguments of ``turnright serve``."""
    arguments = deployed.arguments
    return arguments[arguments.index(name) + 1] if name in arguments else default


def test_check_has_nothing_to_say(deployed: Configured, tmp_path: Path) -> None:
    """``turnright check`` finds no fault and no warning when exactly the keys that the configuration names are set."""
    path = tmp_path / "turnright.yaml"
    path.write_text(deployed.text)
    done = subprocess.run(
        command("check", "--config", str(path)),
        capture_output=True,
        text=True,
        env=environment(**deployed.keys),
        check=False,
    )

    assert (0, "") == (done.returncode, done.stderr)
    assert load_settings(deployed.text.encode(), deployed.keys).warnings == ()


def test_its_bodies_fit_its_memory(deployed: Configured) -> None:
    """The limit of bodies causes no warning about the container's memory. A limit of one MiB more causes a warning."""
    general = deployed.settings.general_settings
    larger = general.model_copy(update={"max_body_mib": general.max_body_mib + 1})

    assert not find_warnings(deployed.settings, deployed.memory_bytes)
    assert find_warnings(
        deployed.settings.model_copy(update={"general_settings": larger}), deployed.memory_bytes
    )


def test_it_may_be_served_where_it_is(deployed: Configured) -> None:
    """A deployed configuration asks clients for keys if, and only if, the API does not listen on loopback."""
    host = value_of(deployed, "--host", "127.0.0.1")

    assert bind_fault(deployed.settings.general_settings, host) is None
    assert deployed.settings.general_settings.asks_for_keys is (host != "127.0.0.1")


def test_its_arguments_start_a_process_that_gets_ready(deployed: Configured, tmp_path: Path) -> None:
    """The command line accepts the arguments, and the admin listener answers the probes without a key.

    The test replaces the ports by free ports, and the host by loopback.
    """
    file = tmp_path / "turnright.yaml"
    raw = yaml.safe_load(deployed.text)
    raw["general_settings"]["admin"] = {"host": "127.0.0.1", "port": 0}
    raw["general_settings"]["drain_delay"] = 0
    file.write_text(yaml.safe_dump(raw))
    there = {
        FILE: str(file),
        value_of(deployed, "--port", ""): "0",
        value_of(deployed, "--host", ""): "127.0.0.1",
    }
    arguments = [there.get(argument, argument) for argument in deployed.arguments]
    arguments += [] if "--port" in arguments else ["--port", "0"]

    running = Running(tmp_path, *arguments, variables=deployed.keys)
    try:
        ready = running.wait_for(lambda: next(iter(running.events("ready")), None), "ready line")
        admin = f"http://127.0.0.1:{ready['admin_port']}"
        answers = {
            path: httpx.get(admin + path, trust_env=False) for path in ("/livez", "/readyz", "/metrics")
        }
        models = httpx.get(f"{ready['base_url']}/models", trust_env=False)
    finally:
        status = running.stop()

    assert FILE in deployed.arguments
    assert [200] * 3 == [answer.status_code for answer in answers.values()]
    assert "turnright_in_flight 0.0" in answers["/metrics"].text.splitlines()
    assert models.status_code == (401 if deployed.settings.general_settings.asks_for_keys else 200)
    assert (0, "") == (status, running.errors)


def test_the_process_is_given_the_time_it_takes_to_drain(deployed: Configured) -> None:
    """The process's time to stop covers the drain delay, the drain grace and four seconds for the exit."""
    general = deployed.settings.general_settings

    assert deployed.seconds_to_stop >= general.drain_delay + general.drain_grace + SECONDS_TO_EXIT
