"""Tests of LiteLLM's keys that are known but ignored."""

from __future__ import annotations

import pytest

from proxy.config import load_settings
from proxy.config.ignored_keys import IGNORED
from proxy.config.refused_keys import GUARDS, MISSING, find_row
from proxy.config.schema.settings import SECTIONS
from tests.proxy.config.samples import entry, file_with, load

ROWS = [(where, key.replace("*", "x")) for where, rows in IGNORED.items() for key in rows]


@pytest.mark.parametrize(("where", "key"), ROWS)
def test_each_ignored_key_warns_once(where: str, key: str) -> None:
    """Each ignored key loads with one warning that names the key."""
    (warning,) = load_settings(file_with(where, key, 3), {}).warnings

    assert warning.startswith(f"{where}.{key}: ignored; " if where else f"{key}: ignored; ")


def test_the_value_is_not_shown() -> None:
    """The warning does not show the key's value, which may be a secret."""
    (warning,) = load(general_settings={"database_url": "postgres://u:hidden@h"}).warnings

    assert "hidden" not in warning


def test_a_key_of_several_entries_warns_once() -> None:
    """The same key in several entries gives one warning."""
    assert len(load(entry("a", itpm=1), entry("b", itpm=2, otpm=3)).warnings) == 2


@pytest.mark.parametrize("where", IGNORED)
def test_keys_of_turnright_are_not_ignored(where: str) -> None:
    """No key of turnright's own sections is in the table of ignored keys."""
    section = SECTIONS.get(where)

    assert section is None or not set(section.model_fields) & set(IGNORED[where])


@pytest.mark.parametrize(("where", "key"), ROWS)
def test_no_key_is_refused_and_ignored(where: str, key: str) -> None:
    """No key is in the tables of both refused and ignored keys."""
    assert [find_row(table, where, key) for table in (GUARDS, MISSING)] == [None, None]
