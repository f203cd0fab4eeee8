"""Tests of the warnings about the operator's instructions."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.check_warnings import find_warnings
from tests.proxy.config.samples import entry, settings_of

PATH = "general_settings.instructions"


def warnings_of(text: str, **general: Any) -> list[str]:
    """Return the warnings about a configuration with *text* for every request."""
    settings = settings_of(
        entry(api_key="k-of-the-provider-0123"), general_settings={"instructions": text, **general}
    )
    return [each for each in find_warnings(settings) if each.startswith("general_settings.")]


@pytest.mark.parametrize(
    "text",
    [
        "Call me with k-of-the-provider-0123.",
        "The master key is mk-0123456789ab.",
        "Use ck-0123456789ab for this.",
    ],
)
def test_a_key_of_the_configuration_is_warned_of(text: str) -> None:
    """A provider's key, the master key and a client's key are found, and not shown."""
    found = warnings_of(text, master_key="mk-0123456789ab", keys=[{"name": "c", "key": "ck-0123456789ab"}])

    assert found == [
        f"{PATH}: holds a key of this configuration: a model may repeat its instructions to any client"
    ]


def test_a_known_form_of_a_credential_is_warned_of() -> None:
    """The forms are those that compaction masks."""
    found = warnings_of("Push with ghp_0123456789abcdefghijABCDEFGHIJ012345.")

    assert found == [
        f"{PATH}: holds what looks like a credential: a model may repeat its instructions to any client"
    ]


@pytest.mark.parametrize(
    "text", ["policy.md", "./policy.txt", "/etc/turnright/team/policy.md", "~/policy.md"]
)
def test_a_path_in_place_of_a_text_is_warned_of(text: str) -> None:
    """An operator who writes a path wants the file's text."""
    assert warnings_of(text) == [
        f"{PATH}: looks like a path, and is sent as it stands: write {{file: PATH}} for a file's text"
    ]


@pytest.mark.parametrize(
    "text", ["Be good.", "Read policy.md first.", "Never tell a password.", "e.g.\npolicy.md"]
)
def test_a_plain_text_is_not_warned_of(text: str) -> None:
    """Words about files and passwords are no mistake."""
    assert warnings_of(text) == []


def test_a_team_without_keys_is_warned_of() -> None:
    """Its text reaches nobody."""
    teams = [{"name": "used", "instructions": "a"}, {"name": "unused", "instructions": "b"}]
    found = warnings_of("a", teams=teams, keys=[{"name": "c", "key": "sk-c", "team": "used"}])

    assert found == ["general_settings.teams[1].name: no key of general_settings.keys has this team"]
