"""``general_settings``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.general import Admin, Logs
from tests.proxy.config.samples import faults_of, load, settings_of


@pytest.mark.parametrize("key", ["", " ", None, "two words", "line\n", 3])
def test_a_master_key_that_is_none_is_refused(key: Any) -> None:
    """A key that was meant to be set and is empty must not open the gate."""
    ((path, _),) = faults_of(general_settings={"master_key": key})

    assert path == "general_settings.master_key"


def test_the_admin_listener_has_defaults() -> None:
    """An empty mapping switches it on at the usual port."""
    assert settings_of(general_settings={"admin": {}}).general_settings.admin == Admin(
        host="0.0.0.0", port=9464
    )


@pytest.mark.parametrize("port", [-1, 65536, 80.0, True, "80"])
def test_a_port_is_a_port(port: Any) -> None:
    """A number that is no port is refused."""
    ((path, _),) = faults_of(general_settings={"admin": {"port": port}})

    assert path == "general_settings.admin.port"


@pytest.mark.parametrize(
    ("key", "value"), [("fetch", "yes"), ("max_mib", 0), ("timeout", 0), ("timeout", "10s"), ("hosts", [])]
)
def test_fetching_is_set_with_care(key: str, value: Any) -> None:
    """A value that is none, or a key that is not there, is refused by its path."""
    ((path, _),) = faults_of(general_settings={"media": {key: value}})

    assert path == f"general_settings.media.{key}"


@pytest.mark.parametrize(
    ("key", "value"),
    [("format", "text"), ("format", True), ("level", "debug"), ("level", None), ("file", "x")],
)
def test_a_log_is_one_of_those_that_there_are(key: str, value: Any) -> None:
    """A form or a level that is none, or a key that is not there, is refused by its path."""
    ((path, _),) = faults_of(general_settings={"logs": {key: value}})

    assert path == f"general_settings.logs.{key}"


def test_a_log_may_be_set_from_outside() -> None:
    """One file serves the terminal and the cluster."""
    logs = load(
        general_settings={"logs": {"format": "os.environ/FORM", "level": "os.environ/LEVEL"}},
        environ={"FORM": "readable", "LEVEL": "warning"},
    ).settings.general_settings.logs

    assert (logs.format, logs.level) == ("readable", "warning")
    assert settings_of(general_settings={"logs": None}).general_settings.logs == Logs()
