"""Tests of the section ``store``: its values, its faults, and that no output holds its password or its secret."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from proxy.cli.check import run_check
from proxy.config import load_settings
from tests.proxy.config.samples import faults_in, faults_of, load, settings_of, text_of

SECRET = "hunter2-hunter2-hunter2"


def test_store_is_memory_by_default() -> None:
    """Without a section the state is in memory."""
    store = settings_of().store

    assert (store.url, store.memory_mib, store.max_mib, store.prefix, store.secret) == (
        "memory://",
        32,
        1024,
        "tr",
        None,
    )
    assert store.address.kind == "memory"


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        ("sqlite:///state.db", "sqlite:///state.db"),
        ("redis://:pw@h:6379/0", "redis://:pw@h:6379/0"),
        ("valkeys://u:pw@h", "rediss://u:pw@h"),
        ("os.environ/URL", "redis+sentinel://a:1,b:2/mymaster"),
    ],
)
def test_addresses_are_taken(url: str, taken: str) -> None:
    """An address is taken as it is, with the usual spelling of its scheme, also from a variable."""
    loaded = load(store={"url": url}, environ={"URL": "redis+sentinel://a:1,b:2/mymaster"})

    assert loaded.settings.store.url == taken


@pytest.mark.parametrize("prefix", ["a", "turnright:blue_1.2-x", "0" * 64])
def test_prefixes_are_taken(prefix: str) -> None:
    """A prefix has up to 64 letters, digits and a few marks."""
    assert settings_of(store={"prefix": prefix}).store.prefix == prefix


_PREFIX = "must have 1 to 64 letters, digits and - _ . : alone"
_NOT_SET = "the environment variable ABSENT is not set"

FAULTS: list[tuple[str, Any, str]] = [
    ("url", "os.environ/ABSENT", _NOT_SET),
    ("url", "${ABSENT}", _NOT_SET),
    ("url", "os.environ/EMPTY", "the environment variable EMPTY is empty"),
    ("url", "", "is empty"),
    ("url", 3, "must be text; put it in quotes"),
    ("url", f"redis://:{SECRET}@a,b", "the address has several hosts"),
    ("url", f"http://{SECRET}@h", "must be memory://, sqlite:///FILE, redis://HOST:PORT/NUMBER"),
    ("url", f"redis://h?password={SECRET}", "unknown parameter"),
    ("prefix", "", "is empty"),
    ("prefix", "0" * 65, _PREFIX),
    *(("prefix", each, _PREFIX) for each in ("a{b}", "a b", "ä", "a/b", "a*")),
    ("max_mib", 0, "must be at least 1"),
    ("max_mib", "much", "must be a whole number"),
    ("memory_mib", 0, "must be at least 1"),
    ("secret", "os.environ/ABSENT", _NOT_SET),
    ("secret", "os.environ/EMPTY", "the environment variable EMPTY is empty"),
    ("secret", "", "is empty"),
    (
        "secret",
        "hunter2-hunter2",
        "must have at least 16 characters; `openssl rand -hex 32` prints a good one",
    ),
    ("secret", f"{SECRET}\n", "holds white space or a character that no key has"),
    ("secret", f"sk-${{{SECRET}}}", "looks like a reference to a variable; write os.environ/NAME alone"),
    ("secret", 1234567890123456, "must be text; put it in quotes"),
    ("password", SECRET, "is not a key of turnright"),
]
"""Values that cannot be used, by key, each with words of its fault."""


@pytest.mark.parametrize(("key", "value", "words"), FAULTS)
def test_faults_have_words(key: str, value: Any, words: str) -> None:
    """A wrong value is one fault at its key, and the fault does not hold the value."""
    [(path, text)] = faults_of(store={key: value}, environ={"EMPTY": ""})

    assert path == f"store.{key}"
    assert words in text
    assert "hunter2" not in text


def test_address_of_an_unset_variable_is_a_fault_without_strict_too() -> None:
    """A store whose variable is not set is never taken for memory, with ``--strict`` or without."""
    text = text_of(store={"url": "os.environ/TURNRIGHT_STORE_URL"})

    for strict in (False, True):
        assert [path for path, _ in faults_in(text, strict=strict)] == ["store.url"]


def test_environment_decides_without_a_file() -> None:
    """Without a file, variables have the address and the secret of the store."""
    environ = {
        "OPENAI_API_KEY": "k",
        "TURNRIGHT_STORE_URL": "redis://:pw@h:6379/0",
        "TURNRIGHT_STORE_SECRET": SECRET,
    }
    loaded = load_settings(None, environ)

    assert loaded.settings.store.url == "redis://:pw@h:6379/0"
    assert loaded.settings.store.secret is not None
    assert loaded.settings.store.secret.get_secret_value() == SECRET
    assert loaded.warnings == ()


@pytest.mark.parametrize("variable", ["TURNRIGHT_STORE_URL", "TURNRIGHT_STORE_SECRET"])
def test_empty_variable_is_a_fault_without_a_file(variable: str) -> None:
    """An empty variable is a fault that names it, and not the default."""
    assert faults_in(None, {"OPENAI_API_KEY": "k", variable: ""}) == [
        (variable, f"the environment variable {variable} is empty")
    ]


ADDRESSES = [
    f"redis://:{SECRET}@redis.example.com:6379/0",
    f"redis://{SECRET}:{SECRET}@redis.example.com:6379/0",
    f"redis://user:{SECRET}%40{SECRET}@h",
    f"rediss://:p@h?ssl_ca_certs={SECRET}",
    f"redis+sentinel://:{SECRET}@a:1,b:2/mymaster/0",
    f"valkey://:{SECRET}@h",
    f"redis://{SECRET}@h",
    f"redis://:{SECRET}@h/{SECRET}",
    f"redis://h?password={SECRET}",
    f"redis://h#{SECRET}",
    f"redis+cluster://:{SECRET}@h",
    f"sqlite://:{SECRET}@h/f",
    f"sqlite:///f?key={SECRET}",
    f"sqlite:////{SECRET}@h/f",
    f"memory://{SECRET}",
    f"{SECRET}://h",
    SECRET,
]
"""Addresses that are taken or refused, with a password at each place."""


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("url", ADDRESSES)
def test_no_output_holds_the_password_or_the_secret(
    url: str, as_json: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the settings, nor the table, nor a warning or a fault of ``check`` holds the password or the secret."""
    file = tmp_path / "config.yaml"
    file.write_bytes(text_of(store={"url": url, "secret": SECRET, "prefix": "p"}))
    status = run_check(Namespace(config=str(file), json=as_json, strict=False))

    shown = capsys.readouterr()
    assert "hunter2" not in shown.out + shown.err
    assert "store" in shown.out + shown.err
    if as_json:
        assert bool(json.loads(shown.out)["faults"]) is (status == 2)


@pytest.mark.parametrize("url", ADDRESSES[:6])
def test_settings_show_no_password_in_a_repr(url: str) -> None:
    """The ``repr`` of the settings holds neither the address nor the secret."""
    settings = settings_of(store={"url": url, "secret": SECRET})

    assert "hunter2" not in f"{settings}{settings!r}{settings.store!r}{settings.store.address!r}".replace(
        f"username='{SECRET}'", ""
    ).replace(f"ca_certs='{SECRET}'", "")
