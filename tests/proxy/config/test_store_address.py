"""Tests of addresses of stores: the forms that are read, and a fault in words for every other form."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.machinery import ModuleSpec

import pytest

from proxy.config import redis_address, store_address
from proxy.config.store_address import parse_store_address, usual_spelling


def test_memory_is_neither_shared_nor_kept() -> None:
    """Memory is lost at a restart, and replicas do not share it."""
    address = parse_store_address("memory://")

    assert (address.kind, address.is_shared, address.survives_restart) == ("memory", False, False)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///state.db", "state.db"),
        ("sqlite:///var/state.db", "var/state.db"),
        ("sqlite:////var/lib/turnright/state.db", "/var/lib/turnright/state.db"),
        ("sqlite:////with space/100%.db", "/with space/100%.db"),
    ],
)
def test_file_is_relative_after_three_slashes_and_absolute_after_four(url: str, path: str) -> None:
    """The path stands behind the third slash and is taken literally. The file survives a restart of one process."""
    address = parse_store_address(url)

    assert (address.kind, address.path) == ("sqlite", path)
    assert (address.is_shared, address.survives_restart) == (False, True)


@pytest.mark.parametrize(
    "url",
    ["redis://h", "redis://:p@h:1/2", "rediss://u:p@[::1]:1/0", "redis+sentinel://a:1,b:2/mymaster/3"],
)
def test_server_is_shared(url: str) -> None:
    """Replicas share a server."""
    address = parse_store_address(url)

    assert address.redis == redis_address.parse_redis_address(url)
    assert (address.kind, address.is_shared, address.survives_restart) == ("redis", True, True)


@pytest.mark.parametrize(
    ("url", "usual"),
    [
        ("valkey://h:1/0", "redis://h:1/0"),
        ("valkeys://u:p@h", "rediss://u:p@h"),
        ("redis://valkey://", "redis://valkey://"),
        ("memory://", "memory://"),
    ],
)
def test_valkey_is_another_spelling_of_redis(url: str, usual: str) -> None:
    """The schemes of Valkey are read as those of Redis, and nothing else is changed."""
    assert usual_spelling(url) == usual


FAULTS = {
    "memory": "must be memory://, sqlite:///FILE, redis://HOST:PORT/NUMBER",
    "mycluster:6379": "must be memory://, sqlite:///FILE, redis://HOST:PORT/NUMBER",
    "MEMORY://": "must be memory://, sqlite:///FILE, redis://HOST:PORT/NUMBER",
    "postgres://u:HIDDEN@h/db": "must be memory://, sqlite:///FILE, redis://HOST:PORT/NUMBER",
    "unix:///run/HIDDEN.sock": "must be memory://, sqlite:///FILE, redis://HOST:PORT/NUMBER",
    "redis:h:6379": "must be memory://, sqlite:///FILE, redis://HOST:PORT/NUMBER",
    "redis://h\n": "must be memory://, sqlite:///FILE, redis://HOST:PORT/NUMBER",
    "memory://HIDDEN": "must have nothing behind memory://",
    "sqlite://": "names no file: write sqlite:///state.db or, for an absolute path, sqlite:////",
    "sqlite:///": "names no file: write sqlite:///state.db or, for an absolute path, sqlite:////",
    "sqlite:///HIDDEN/": "names no file: write sqlite:///state.db or, for an absolute path, sqlite:////",
    "sqlite://HIDDEN.db": "must have three slashes before the file: write sqlite:///state.db",
    "sqlite://u:HIDDEN@h/state.db": "must have three slashes before the file: write sqlite:///state.db",
    "sqlite:///:memory:": "names no file: write memory://",
    "sqlite:///state.db?key=HIDDEN": "holds ? or #: a file takes no parameters",
    "sqlite:///state.db#HIDDEN": "holds ? or #: a file takes no parameters",
    "sqlite:///~/HIDDEN.db": "begins with ~, which is not expanded",
    "sqlite:///HIDDEN.db ": "holds white space at an end of the path",
    "redis+cluster://:HIDDEN@h": "a cluster is not supported: name one server with redis://",
    "rediss+cluster://u:HIDDEN@h:1": "a cluster is not supported: name one server with redis://",
    "valkey-cluster://HIDDEN@h:1": "a cluster is not supported: name one server with redis://",
    "redis://:HIDDEN@a:1,b:2": "for Sentinel write redis+sentinel://",
    "redis://u:HIDDEN@": "no host",
    "redis://h?password=HIDDEN": "unknown parameter",
    "redis://:HIDDEN@h?db=HIDDEN": "unknown parameter",
    "redis://HIDDEN@h": "user without a password",
    "redis://:HIDDEN@h/HIDDEN": "database that is no number",
    "redis://u:HIDDEN/HIDDEN@h": "database that is no number",
    "redis://:HIDDEN@h:HIDDEN": "port that is no number",
    "redis+sentinel://:HIDDEN@h:1": "does not name the master",
}
"""Addresses that cannot be used, each with words of its fault."""


@pytest.mark.parametrize(("url", "words"), FAULTS.items())
def test_other_addresses_are_faults_in_words(url: str, words: str) -> None:
    """The error says what is wrong or what to write instead, and holds no part of the address that may be secret."""
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        parse_store_address(url)

    assert "HIDDEN" not in str(caught.value)


@pytest.mark.parametrize("missing", ["redis", "hiredis"])
def test_missing_client_names_the_extra(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server needs both packages of the extra. Memory and a file need none."""
    monkeypatch.setattr(redis_address, "find_spec", _without(missing))

    with pytest.raises(ValueError, match=r"pip install 'turnright\[redis\]'"):
        parse_store_address("redis://h")
    assert parse_store_address("memory://").kind == "memory"
    assert parse_store_address("sqlite:///f").kind == "sqlite"


def test_file_needs_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is refused where the system's Python has no ``fcntl``, with the addresses to use instead."""
    monkeypatch.setattr(store_address, "find_spec", _without("fcntl"))

    with pytest.raises(ValueError, match=r"needs fcntl, .* use memory:// or redis://"):
        parse_store_address("sqlite:///f")
    assert parse_store_address("redis://h").kind == "redis"


def _without(missing: str) -> Callable[[str], ModuleSpec | None]:
    """Return a ``find_spec`` that finds every module but *missing*."""
    return lambda name: None if name == missing else ModuleSpec(name, None)
