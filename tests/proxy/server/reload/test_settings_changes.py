"""Tests of the report on a new configuration, and of settings that need a restart."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.settings import SECTIONS
from proxy.server.reload.settings_changes import NEEDS_RESTART, Changes, find_changes, keep_restart_settings
from tests.proxy.config.samples import entry, settings_of

SECRET = "sk-secret-91c3"
ADMIN = {"host": "127.0.0.1", "port": 9464}


@pytest.mark.parametrize("path", NEEDS_RESTART)
def test_keys_that_need_a_restart_exist(path: str) -> None:
    """Every path in ``NEEDS_RESTART`` is a key of the configuration."""
    section, _, key = path.partition(".")
    assert key in SECTIONS[section].model_fields


def test_equal_settings_have_no_changes() -> None:
    """Settings of a file that is read twice have no changes."""
    assert find_changes(settings_of(entry(api_key=SECRET)), settings_of(entry(api_key=SECRET))) == Changes()


@pytest.mark.parametrize(
    ("sections", "keys"),
    [
        ({"router_settings": {"num_retries": 5}}, ("router_settings.num_retries",)),
        ({"litellm_settings": {"num_retries": 5}}, ("router_settings.num_retries",)),
        ({"general_settings": {"master_key": SECRET}}, ("general_settings.master_key",)),
        ({"general_settings": {"keys": [{"name": "a", "key": SECRET}]}}, ("general_settings.keys",)),
        ({"general_settings": {"instructions": SECRET}}, ("general_settings.instructions",)),
        (
            {"general_settings": {"teams": [{"name": "a", "instructions": SECRET}]}},
            ("general_settings.teams",),
        ),
        (
            {"sanitize": {"mode": "observe"}, "turns": {"mode": "off"}},
            ("sanitize.mode", "turns.mode"),
        ),
        ({"router_settings": {"num_retries": 2}}, ()),  # the default
    ],
)
def test_changed_keys_are_named_without_their_values(sections: dict[str, Any], keys: tuple[str, ...]) -> None:
    """A key that is set by an alias in another section is reported under its own name."""
    changes = find_changes(settings_of(), settings_of(**sections))

    assert changes == Changes(keys=keys)
    assert SECRET not in repr(changes)


def test_added_removed_and_changed_models_are_named() -> None:
    """A pool is changed when a member changes, or when the order of its members changes."""
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


def test_key_that_needs_a_restart_keeps_its_value() -> None:
    """Keys that need no restart get their new values."""
    running = settings_of(general_settings={"admin": ADMIN, "max_in_flight": 1})
    wanted = settings_of(general_settings={"admin": {**ADMIN, "port": 9999}, "max_in_flight": 2})

    settings, needs_restart = keep_restart_settings(running, wanted)

    assert needs_restart == ("general_settings.admin",)
    assert settings.general_settings.admin == running.general_settings.admin
    assert settings.general_settings.max_in_flight == 2
    assert find_changes(running, settings, needs_restart) == Changes(
        keys=("general_settings.max_in_flight",), needs_restart=needs_restart
    )


def test_section_that_needs_a_restart_keeps_its_values() -> None:
    """The section ``general_settings.logs`` needs a restart as a whole."""
    wanted = settings_of(general_settings={"logs": {"level": "warning"}})

    settings, needs_restart = keep_restart_settings(settings_of(), wanted)

    assert (settings, needs_restart) == (settings_of(), ("general_settings.logs",))


def test_needed_restart_is_named_at_each_reload() -> None:
    """A needed restart is named until the change is taken back."""
    running = settings_of(general_settings={"admin": ADMIN})
    wanted = settings_of()

    first, named = keep_restart_settings(running, wanted)
    again, named_again = keep_restart_settings(first, wanted)

    assert named == named_again == ("general_settings.admin",)
    assert keep_restart_settings(again, running) == (running, ())


def test_settings_are_the_same_object_where_no_restart_is_needed() -> None:
    wanted = settings_of(entry("other"))
    assert keep_restart_settings(settings_of(), wanted) == (wanted, ())
    assert keep_restart_settings(settings_of(), wanted)[0] is wanted


def test_store_keeps_its_place_and_its_names_until_a_restart() -> None:
    """A new address, prefix, secret or size of a file waits for a restart. The limit in memory changes at once."""
    running = settings_of(store={"url": "sqlite:///a", "secret": f"{SECRET}-{SECRET}"})
    wanted = settings_of(
        store={"url": f"redis://:{SECRET}@h", "max_mib": 9, "prefix": "b", "secret": f"{SECRET}_{SECRET}"}
        | {"memory_mib": 64}
    )

    settings, needs_restart = keep_restart_settings(running, wanted)

    assert needs_restart == ("store.url", "store.max_mib", "store.prefix", "store.secret")
    assert settings.store == running.store.model_copy(update={"memory_mib": 64})
    assert SECRET not in repr(find_changes(running, settings, needs_restart))


def test_model_with_other_instructions_is_changed() -> None:
    """The model is named, and its text is not shown."""
    before, after = (settings_of({**entry("m"), "instructions": text}) for text in ("a", SECRET))
    changes = find_changes(before, after)

    assert changes == Changes(keys=("model_list",), models_changed=("m",))
    assert SECRET not in repr((changes, before, after))
