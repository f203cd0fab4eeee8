"""Tests of warnings about the store, each with its key."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.check_warnings import find_warnings
from tests.proxy.config.samples import entry, settings_of


def warned(**store: Any) -> list[str]:
    """Return the keys of the warnings about a store."""
    found = find_warnings(settings_of(entry(api_key="k"), store=store))
    assert not any("hunter2" in each for each in found)
    return [each.partition(": ")[0] for each in found]


@pytest.mark.parametrize(
    "store",
    [
        {},
        {"url": "memory://", "memory_mib": 64},
        {"url": "sqlite:////var/lib/state.db", "max_mib": 1, "prefix": "p", "secret": "hunter2-hunter2-"},
        {"url": "redis://h", "prefix": "p", "secret": "hunter2-hunter2-"},
    ],
)
def test_good_store_has_no_warning(store: dict[str, Any]) -> None:
    """A setting that has an effect gives no warning."""
    assert warned(**store) == []


@pytest.mark.parametrize(
    ("store", "keys"),
    [
        ({"max_mib": 1024}, ["store.max_mib"]),
        ({"prefix": "tr"}, ["store.prefix"]),
        ({"secret": "hunter2-hunter2-"}, ["store.secret"]),
        ({"url": "redis://h", "max_mib": 1}, ["store.max_mib"]),
    ],
)
def test_setting_without_an_effect_is_a_warning(store: dict[str, Any], keys: list[str]) -> None:
    """A setting that the kind of store does not use gives a warning where the file sets it."""
    assert warned(**store) == keys


def test_relative_file_is_a_warning_with_its_directory() -> None:
    """A relative path gives a warning that names the directory where it starts."""
    [text] = find_warnings(settings_of(entry(api_key="k"), store={"url": "sqlite:///state.db"}))

    assert text.startswith("store.url: the file's path is relative to the working directory of the process")


@pytest.mark.parametrize(
    ("url", "is_warned"),
    [
        ("redis://:hunter2@redis.example.com", True),
        ("redis://:hunter2@8.8.8.8", True),
        ("redis://:hunter2@[2001:4860:4860::8888]", True),
        ("redis+sentinel://:hunter2@valkey,redis.example.com/name", True),
        ("rediss://:hunter2@redis.example.com", False),
        ("redis://redis.example.com", False),
        ("redis://:hunter2@127.0.0.1", False),
        ("redis://:hunter2@[::1]:1", False),
        ("redis://:hunter2@10.1.2.3", False),
        ("redis://:hunter2@localhost", False),
        ("redis://:hunter2@valkey", False),
        ("redis://:hunter2@valkey.turnright.svc", False),
        ("redis://:hunter2@valkey.turnright.svc.cluster.local.", False),
        ("redis://:hunter2@CACHE.internal", False),
        ("redis+sentinel://:hunter2@a,b/name", False),
    ],
)
def test_password_in_the_open_is_a_warning(url: str, is_warned: bool) -> None:
    """A password without TLS gives a warning, unless the host is private by its address or its name."""
    assert warned(url=url) == ["store.url"] * is_warned
