"""LiteLLM's keys that guard something or ask for a missing feature: each of them is refused, in words."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import load_settings
from proxy.config.ignored_keys import IGNORED
from proxy.config.refused_keys import GUARD_WORDS, GUARDS, MISSING, hints_at_guard, is_nothing, refused_reason
from proxy.config.schema.settings import SECTIONS
from tests.proxy.config.samples import faults_in, file_with, path_in


def rows_of(table: Any) -> list[tuple[str, str, str]]:
    """Return the rows of *table*: the section, a key, and the reason."""
    return [
        (where, key.replace("*", "x"), reason)
        for where, rows in table.items()
        for key, reason in rows.items()
    ]


ROWS = [
    *((*row, "remove it only if nothing depends on it") for row in rows_of(GUARDS)),
    *((*row, "remove it, and what needs it") for row in rows_of(MISSING)),
]


@pytest.mark.parametrize(("where", "key", "reason", "instead"), ROWS)
@pytest.mark.parametrize("value", [True, "x", 1, ["x"], {"x": "y"}])
def test_each_row_is_refused_in_its_words(
    where: str, key: str, reason: str, instead: str, value: object
) -> None:
    """A guard is never passed over, whatever the value is. The words say so, and are not those of a typo."""
    assert faults_in(file_with(where, key, value)) == [(path_in(where, key), f"{reason}: {instead}")]


@pytest.mark.parametrize(("where", "key", "reason", "instead"), ROWS)
def test_each_row_that_is_set_to_nothing_is_ignored(where: str, key: str, reason: str, instead: str) -> None:
    """``null`` guards nothing, and asks for nothing."""
    [warning] = load_settings(file_with(where, key, None), {}).warnings

    assert warning == f"{where}.{key}: ignored; it is set to nothing".lstrip(".")
    assert reason not in warning
    assert instead not in warning


@pytest.mark.parametrize("where", [*GUARDS, *MISSING])
def test_keys_of_turnright_are_not_refused(where: str) -> None:
    """A row would never be reached."""
    section = SECTIONS.get(where)
    keys = () if section is None else section.model_fields

    assert [key for key in keys if refused_reason(where, key)] == []


@pytest.mark.parametrize(
    ("key", "value", "nothing"),
    [
        ("guardrails", None, True),
        ("guardrails", [], True),
        ("guardrails", {}, True),
        ("enable_jwt_auth", False, True),
        ("custom_auth", "", True),
        ("block_robots", 0, True),
        ("enable_public_routes", False, True),
        ("allowed_ips", None, True),
        ("allowed_ips", [], False),
        ("public_routes", [], False),
        ("allow_everybody", False, False),
        ("fallback_limit", 0, False),
        ("custom_auth", "x", False),
        ("enable_jwt_auth", True, False),
        ("enable_jwt_auth", "false", False),
    ],
)
def test_a_guard_may_be_set_to_nothing(key: str, value: object, nothing: bool) -> None:
    """An empty list of what is allowed allows nothing, so that it is a guard."""
    assert is_nothing(key, value) is nothing


@pytest.mark.parametrize("word", GUARD_WORDS)
@pytest.mark.parametrize(
    "where", ["model_list[]", *(where for where in IGNORED if where and where != "model_list[]")]
)
def test_an_unlisted_key_with_a_guard_word_is_refused(where: str, word: str) -> None:
    """Nobody has looked at it. It may guard something."""
    key = f"zz_{word}_zz"

    assert hints_at_guard(key.upper())
    assert faults_in(file_with(where, key, True)) == [
        (
            path_in(where, key),
            "may guard something, and turnright does not know it: remove it only if nothing depends on it",
        )
    ]
