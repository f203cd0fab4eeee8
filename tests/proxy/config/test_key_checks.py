"""Tests of the checks of client keys and teams."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from tests.proxy.config.samples import entry, faults_of, settings_of

MASTER = "tr-master"


def _hash(key: str) -> str:
    return f"sha256:{hashlib.sha256(key.encode()).hexdigest()}"


@pytest.mark.parametrize(
    ("keys", "faults"),
    [
        ([{"key": "a"}, {"key": "b"}], []),
        ([{"key": "a"}, {"key": "a"}], [("keys[1].key", "is the same as another key")]),
        ([{"key": "a"}, {"key_hash": _hash("a")}], [("keys[1].key_hash", "is the same as another key")]),
        (
            [{"key_hash": _hash("a").upper().replace("SHA", "sha")}, {"key": "a"}],
            [("keys[1].key", "is the same as another key")],
        ),
        ([{"key": MASTER}], [("keys[0].key", "is the same as another key")]),
        ([{"key_hash": _hash(MASTER)}], [("keys[0].key_hash", "is the same as another key")]),
        ([{}], [("keys[0].key", "is missing; give key, or key_hash in its place")]),
        (
            [{"key": "a", "key_hash": _hash("a")}],
            [("keys[0].key_hash", "stands beside key; give one of the two")],
        ),
        (
            [{"key": "a", "key_hash": _hash("b")}],
            [("keys[0].key_hash", "stands beside key; give one of the two")],
        ),
        ([{"key": "a", "team": "x"}], [("keys[0].team", "names no team of general_settings.teams")]),
        (
            [{"key": "a", "budget_duration": "1d"}],
            [("keys[0].budget_duration", "has no effect without max_budget")],
        ),
    ],
)
def test_each_key_has_one_secret_of_its_own(
    keys: list[dict[str, Any]], faults: list[tuple[str, str]]
) -> None:
    """Two keys with one digest, and a key without exactly one secret, are faults."""
    named = [{"name": f"k{position}", **key} for position, key in enumerate(keys)]
    found = faults_of(general_settings={"master_key": MASTER, "keys": named})

    assert found == [(f"general_settings.{path}", text) for path, text in faults]


def test_names_are_given_once() -> None:
    """Two keys, or two teams, of one name are a fault."""
    general = {
        "keys": [{"name": "a", "key": "1"}, {"name": "a", "key": "2"}],
        "teams": [{"name": "a"}, {"name": "a", "budget_duration": "1d"}],
    }

    assert faults_of(general_settings=general) == [
        ("general_settings.keys[1].name", "is the name of another key"),
        ("general_settings.teams[1].name", "is the name of another team"),
        ("general_settings.teams[1].budget_duration", "has no effect without max_budget"),
    ]


SERVED = (entry("gemini"), entry("claude-opus", "anthropic/claude-opus-4-1"), entry("openai/*", "openai/*"))


@pytest.mark.parametrize(
    "pattern", ["gemini", "claude-*", "cl*", "*", "openai/gpt-4o", "openai/gpt-*", "openai/*", "op*", "quick"]
)
@pytest.mark.parametrize("listed", ["keys", "teams"])
def test_models_that_are_served_may_be_listed(listed: str, pattern: str) -> None:
    """A list of models has names that are served, beginnings of such names, and what a wildcard serves."""
    general = {listed: [{"name": "a", **({"key": "k"} if listed == "keys" else {}), "models": [pattern]}]}
    router = {"model_group_alias": {"quick": "gemini"}}

    assert faults_of(*SERVED, general_settings=general, router_settings=router) == []


@pytest.mark.parametrize("pattern", ["gemni", "gemini-*", "claude", "grok/*", "all-proxy-models"])
def test_a_model_that_is_not_served_is_a_fault(pattern: str) -> None:
    """A name that nobody serves is probably a misspelling."""
    general = {"keys": [{"name": "a", "key": "k", "models": ["gemini", pattern]}]}

    assert faults_of(*SERVED, general_settings=general) == [
        ("general_settings.keys[0].models[1]", "names no model of model_list")
    ]


def test_a_model_that_was_left_out_may_be_listed() -> None:
    """A model whose variable is not set may stay in the lists."""
    general = {"keys": [{"name": "a", "key": "k", "models": ["later"]}]}
    left_out = entry("later", "openai/gpt-4o", api_key="os.environ/NOT_SET")

    assert settings_of(entry("gemini"), left_out, general_settings=general).unavailable.keys() == {"later"}
