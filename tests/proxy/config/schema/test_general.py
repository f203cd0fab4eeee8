"""Tests of ``general_settings``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.general import Admin
from tests.proxy.config.samples import faults_of, load, settings_of


@pytest.mark.parametrize("key", ["", " ", None, "two words", "line\n", 3])
def test_empty_or_malformed_master_key_is_refused(key: Any) -> None:
    """An empty or malformed master key is a fault, since an empty key would open the API."""
    ((path, _),) = faults_of(general_settings={"master_key": key})

    assert path == "general_settings.master_key"


def test_the_admin_listener_has_defaults() -> None:
    """An empty ``admin`` mapping opens the admin listener on port 9464."""
    assert settings_of(general_settings={"admin": {}}).general_settings.admin == Admin(
        host="0.0.0.0", port=9464
    )


@pytest.mark.parametrize("port", [-1, 65536, 80.0, True, "http"])
def test_admin_port_out_of_range_is_refused(port: Any) -> None:
    """An admin port that is not a whole number from 0 to 65,535 is a fault."""
    ((path, _),) = faults_of(general_settings={"admin": {"port": port}})

    assert path == "general_settings.admin.port"


@pytest.mark.parametrize(
    ("key", "value"), [("fetch", "yes"), ("max_mib", 0), ("timeout", 0), ("timeout", "10s"), ("hosts", [])]
)
def test_bad_media_setting_is_refused_by_its_path(key: str, value: Any) -> None:
    """A wrong value or an unknown key is one fault with its path."""
    ((path, _),) = faults_of(general_settings={"media": {key: value}})

    assert path == f"general_settings.media.{key}"


@pytest.mark.parametrize(
    "name", ["", "a b", "http://nas", "nas:4000", "*.example", "nas/", "[::1]", "näs", "a..b", ".", 3, None]
)
def test_allowed_host_with_more_than_a_name_is_refused(name: Any) -> None:
    """An allowed host that is not a bare name is a fault, since no `Host` header could match."""
    ((path, _),) = faults_of(general_settings={"allowed_hosts": ["nas", name]})

    assert path == "general_settings.allowed_hosts[1]"


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "*",
        "null",
        "app.example",
        "https://",
        "https://app.example/",
        "https://*.example",
        "https://a:b",
        "//a",
        3,
    ],
)
def test_allowed_origin_that_no_page_has_is_refused(origin: Any) -> None:
    """An allowed origin is a fault if no browser sends it or every page may send it."""
    ((path, _),) = faults_of(general_settings={"allowed_origins": ["https://app.example", origin]})

    assert path == "general_settings.allowed_origins[1]"


def test_faults_of_hosts_and_origins_come_together() -> None:
    """All faults of hosts and origins are reported in one run."""
    faults = faults_of(general_settings={"allowed_hosts": ["a:1", "b/"], "allowed_origins": "https://a"})

    assert [path for path, _ in faults] == [
        "general_settings.allowed_hosts[0]",
        "general_settings.allowed_hosts[1]",
        "general_settings.allowed_origins",
    ]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("https://App.Example:443", "https://app.example"),
        ("http://localhost:80", "http://localhost"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("https://a:80", "https://a:80"),
        ("http://[::1]:3000", "http://[::1]:3000"),
        ("chrome-extension://abcdef", "chrome-extension://abcdef"),
        ("os.environ/PAGE", "https://page.example"),
    ],
)
def test_origins_are_kept_as_browsers_write_them(written: str, kept: str) -> None:
    """Allowed origins are kept in lower case and without the default port, as browsers write them."""
    loaded = load(general_settings={"allowed_origins": [written]}, environ={"PAGE": "https://page.example"})

    assert loaded.settings.general_settings.allowed_origins == (kept,)


@pytest.mark.parametrize(
    ("section", "operators", "clients"),
    [
        ({}, [""], []),
        ({"master_key": "sk-master"}, [""], []),
        ({"master_key": "sk-master", "keys": [{"name": "ci", "key": "sk-client"}]}, [""], ["ci"]),
        ({"keys": [{"name": "ci", "key": "sk-client"}]}, [], ["", "ci"]),
    ],
)
def test_operator_is_the_master_key_or_everyone_without_keys(
    section: dict[str, Any], operators: list[str], clients: list[str]
) -> None:
    """Nobody is the operator if there are only clients' keys."""
    general = settings_of(general_settings=section).general_settings

    assert [general.is_operator(name) for name in operators] == [True] * len(operators)
    assert [general.is_operator(name) for name in clients] == [False] * len(clients)
