"""Tests of texts that look like references to variables."""

from __future__ import annotations

import random
import string

import pytest

from proxy.config.like_references import looks_like_place, looks_like_reference
from tests.proxy.config.samples import faults_of, load

REFERENCES = [
    "$MK",
    "$mk",
    "$$MK",
    "${MK",
    "sk-${MK}",
    "$${MK}",
    "${MK:-x}",
    "${MK?needed}",
    "sk-${mk}-x",
    "prefix$MK",
    "sk-$MASTER_KEY",
    "a1$MASTER_KEY-x",
    "$(MK)",
    "sk-$(MK)",
    "$(pass",
    "env/MK",
    "ENV/MK",
    "env.MK",
    "environ/MK",
    "Environment:MK",
    "ENV['MK']",
    "os.environ['MK']",
    "OS.ENVIRON/MK",
    "sk-os.environ/MK",
    "process.env.MK",
    "{env:MK}",
    "{env.MK}",
    "sk-{env:MK}",
    "{$MK}",
    "{{MK}}",
    "sk-{{MK}}",
    "%MK%",
    "%mk%",
    "sk-%MK%",
    "<MK>",
    "<your-key>",
    "vault:secret/mk",
]

KEYS = [
    "sk-1234",
    "sk-proj-abcDEF123_-xyz",
    "pa$$word!",
    "a$b$c$d",
    "x9$K2m%Qw{7}z",
    "$",
    "$9xk",
    "tok$",
    "100%real%deal",
    "env-prod-7f3a",
    "environment7f3a",
    "pass$word",
    "Zk3$QZ7",
    "a{b}c",
    "eyJhbGciOiJIUzI1NiJ9.e30.x-y_z==",
]


@pytest.mark.parametrize("text", REFERENCES)
def test_a_reference_is_never_a_key_of_clients(text: str) -> None:
    """A text that looks like a reference is a fault as a key of clients, and as the store's address or secret."""
    assert looks_like_reference(text, {})
    for sections, path in (
        ({"general_settings": {"master_key": text}}, "general_settings.master_key"),
        ({"general_settings": {"keys": [{"name": "n", "key": text}]}}, "general_settings.keys[0].key"),
        ({"store": {"url": text}}, "store.url"),
        ({"store": {"secret": text}}, "store.secret"),
    ):
        assert (path, "looks like a reference to a variable; write os.environ/NAME alone") in faults_of(
            **sections
        )


def test_a_reference_in_a_variable_s_value_is_a_fault() -> None:
    """A variable whose value is itself a reference is a fault. The second reference is not resolved."""
    [(path, _)] = faults_of(general_settings={"master_key": "os.environ/MK"}, environ={"MK": "sk-${REAL}"})

    assert path == "general_settings.master_key"


@pytest.mark.parametrize("url", ["redis://:${PW}@h:1/0", "redis://:$REDIS_PASSWORD@h", "memory://${X}"])
def test_a_store_s_address_with_a_reference_in_it_is_a_fault(url: str) -> None:
    """A store's address that holds a reference to a variable is a fault."""
    assert ("store.url", "looks like a reference to a variable; write os.environ/NAME alone") in faults_of(
        store={"url": url}
    )


@pytest.mark.parametrize("text", ["op://vault/item", "secret://x", "ref+vault://x", "file:///run/secrets/mk"])
def test_the_place_of_a_secret_is_never_a_key_of_clients(text: str) -> None:
    """A URL that names where a secret is stored is a fault as a client's key."""
    assert looks_like_place(text)
    assert [path for path, _ in faults_of(general_settings={"master_key": text})] == [
        "general_settings.master_key"
    ]


def test_a_shell_s_reference_counts_anywhere_where_its_variable_is_set() -> None:
    """A key with ``$`` and a name in it looks like a reference if the environment has a variable of that name."""
    assert looks_like_reference("a1$mk", {"mk": "x"})
    assert not looks_like_reference("a1$mk", {})


@pytest.mark.parametrize("text", KEYS)
def test_a_key_with_a_lone_mark_is_a_key(text: str) -> None:
    """A key that holds a single ``$``, ``%`` or brace does not look like a reference, and is loaded unchanged."""
    assert not looks_like_reference(text, {"PATH": "/bin"})
    found = load(general_settings={"master_key": text}).settings.general_settings.master_key

    assert found is not None
    assert found.get_secret_value() == text


def test_hardly_any_random_key_looks_like_a_reference() -> None:
    """Of random keys of 32 printable characters, fewer than 1 in 100 is taken for a reference."""
    pick = random.Random(7)
    letters = string.ascii_letters + string.digits + string.punctuation
    keys = ["".join(pick.choices(letters, k=32)) for _ in range(5_000)]

    assert sum(looks_like_reference(key, {}) for key in keys) < 50
