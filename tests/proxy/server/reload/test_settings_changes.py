"""What the operator is told of a new configuration, and what has to wait."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.settings import SECTIONS
from proxy.server.reload.settings_changes import NEEDS_RESTART, Changes, find_changes, keep_restart_settings
from tests.proxy.config.samples import entry, settings_of

SECRET = "sk-secret-91c3"
ADMIN = {"host": "127.0.0.1", "port": 9464}


@pytest.mark.parametrize("path", NEEDS_RESTART)
def test_fixed_keys_exist(path: str) -> None:
    """A key that is named here is one of the configuration's."""
    section, _, key = path.partition(".")
    assert key in SECTIONS[section].model_fields


def test_equal_settings_have_no_changes() -> None:
    """Two readings of one file differ in nothing."""
    assert find_changes(settings_of(entry(api_key=SECRET)), settings_of(entry(api_key=SECRET))) == Changes()


@pytest.mark.parametrize(
    ("sections", "keys"),
    [
        ({"router_settings": {"num_retries": 5}}, ("router_settings.num_retries",)),
        ({"litellm_settings": {"num_retries": 5}}, ("router_settings.num_retries",)),
        ({"general_settings": {"master_key": SECRET}}, ("general_settings.master_key",)),
        ({"general_settings": {"keys": [{"name": "a", "key": SECRET}]}}, ("general_settings.keys",)),
        (
            {"sanitize": {"mode": "observe"}, "turns": {"mode": "off"}},
            ("sanitize.mode", "turns.mode"),
        ),
        ({"router_settings": {"num_retries": 2}}, ()),  # the default, written down
    ],
)
def test_keys_are_named(sections: dict[str, Any], keys: tuple[str, ...]) -> None:
    """By their names in the sections, whichever way they were written, and without their values."""
    changes = find_changes(settings_of(), settings_of(**sections))

    assert changes == Changes(keys=keys)
    assert SECRET not in repr(changes)


def test_models_are_named() -> None:
    """Added, removed, changed: by the names that clients send; each of a pool counts, and so does their order."""
    before = settings_of(
        entry("stays"), entry("goes"), entry("pool"), entry("pool", api_key="a"), entry("edited")
    )
    after = settings_of(
        entry("new"),
        entry("stays"),
        entry("pool", api_key="a"),
        entry("pool"),
        entry("edited", api_key=SECRET),
    )

    changes = find_changes(before, after)

    assert changes == Changes(
        keys=("model_list",),
        models_added=("new",),
        models_removed=("goes",),
        models_changed=("pool", "edited"),
    )
    assert SECRET not in repr(changes)


def test_what_is_fixed_stays() -> None:
    """A new address of the admin listener is named, and not in what is taken up; all else is."""
    running = settings_of(general_settings={"admin": ADMIN, "max_in_flight": 1})
    wanted = settings_of(general_settings={"admin": {**ADMIN, "port": 9999}, "max_in_flight": 2})

    settings, needs_restart = keep_restart_settings(running, wanted)

    assert needs_restart == ("general_settings.admin",)
    assert settings.general_settings.admin == running.general_settings.admin
    assert settings.general_settings.max_in_flight == 2
    assert find_changes(running, settings, needs_restart) == Changes(
        keys=("general_settings.max_in_flight",), needs_restart=needs_restart
    )


def test_sections_are_fixed_as_a_whole() -> None:
    """How the log is written is settled at the start."""
    wanted = settings_of(general_settings={"logs": {"level": "warning"}})

    settings, needs_restart = keep_restart_settings(settings_of(), wanted)

    assert (settings, needs_restart) == (settings_of(), ("general_settings.logs",))


def test_fixed_is_told_until_it_is_done() -> None:
    """Each reload says what waits for a restart, since what runs is what it is held against; taken back, it is over."""
    running = settings_of(general_settings={"admin": ADMIN})
    wanted = settings_of()

    first, told = keep_restart_settings(running, wanted)
    again, told_again = keep_restart_settings(first, wanted)

    assert told == told_again == ("general_settings.admin",)
    assert keep_restart_settings(again, running) == (running, ())


def test_nothing_fixed_is_the_very_settings() -> None:
    """Where nothing has to stay, what was loaded is what is taken up."""
    wanted = settings_of(entry("other"))
    assert keep_restart_settings(settings_of(), wanted) == (wanted, ())
    assert keep_restart_settings(settings_of(), wanted)[0] is wanted
