"""``general_settings``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.general import Admin
from tests.proxy.config.samples import faults_of, settings_of


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
