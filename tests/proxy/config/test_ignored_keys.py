"""LiteLLM's keys that are known and not used."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import load_settings
from proxy.config.ignored_keys import IGNORED
from proxy.config.schema.settings import SECTIONS
from tests.proxy.config.samples import entry, faults_of, load, text_of

ROWS = [(where, key.replace("*", "x")) for where, rows in IGNORED.items() for key in rows]


def file_with(where: str, key: str, value: Any) -> bytes:
    """Return a good file that has *key* in the section *where*."""
    match where:
        case "":
            return text_of(**{key: value})
        case "model_list[]":
            return text_of({**entry(), key: value})
        case "model_list[].litellm_params":
            return text_of(entry(**{key: value}))
        case "model_list[].model_info":
            return text_of({**entry(), "model_info": {key: value}})
        case section:
            return text_of(**{section: {key: value}})


@pytest.mark.parametrize(("where", "key"), ROWS)
def test_each_ignored_key_warns_once(where: str, key: str) -> None:
    """A key of the table loads with one warning that names it, whatever it holds."""
    (warning,) = load_settings(file_with(where, key, "os.environ/ABSENT"), {}).warnings

    assert warning.startswith(f"{where}.{key}: ignored; " if where else f"{key}: ignored; ")
    assert "ABSENT" not in warning


def test_a_key_of_several_entries_warns_once() -> None:
    """The same key in several entries gives one warning."""
    assert len(load(entry("a", rpm=1), entry("b", rpm=2, tpm=3)).warnings) == 2


@pytest.mark.parametrize("where", IGNORED)
def test_keys_of_turnright_are_not_ignored(where: str) -> None:
    """The table never takes away a key that a section has."""
    section = SECTIONS.get(where)

    assert section is None or not set(section.model_fields) & set(IGNORED[where])


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ("general_settings", "custom_auth"),
        ("general_settings", "enable_jwt_auth"),
        ("litellm_settings", "guardrails"),
    ],
)
def test_keys_that_guard_something_are_refused(section: str, key: str) -> None:
    """A LiteLLM key whose absence would open something is not ignored but refused."""
    assert faults_of(**{section: {key: "x"}}) == [(f"{section}.{key}", "is not a key of turnright")]


def test_a_misspelled_fact_is_refused() -> None:
    """``model_info`` ignores LiteLLM's other facts, but no misspelled key of turnright."""
    (fault,) = faults_of({**entry(), "model_info": {"max_input_token": 1}})

    assert fault == (
        "model_list[0].model_info.max_input_token",
        "is not a key of turnright; did you mean max_input_tokens?",
    )
