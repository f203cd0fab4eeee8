"""Tests of the settings as a whole."""

from __future__ import annotations

from proxy.config.schema.settings import SECTIONS, Settings
from tests.proxy.config.samples import entry, settings_of


def test_every_section_is_known_by_its_place() -> None:
    """Every section of the top level is in ``SECTIONS`` under its key."""
    assert SECTIONS[""] is Settings
    lists = {"model_list", "credential_list"}
    assert {f"{name}[]" for name in lists} | set(Settings.model_fields) - lists <= set(SECTIONS)


def test_the_index_is_built_once() -> None:
    """The index of routes is built once, and does not change the equality of settings."""
    settings = settings_of()

    assert settings.routes is settings.routes
    assert settings == settings_of()


def test_a_copy_has_its_own_index() -> None:
    """A copy with another model list has its own index of routes."""
    settings = settings_of(entry("a"))
    assert settings.routes.names == ("a",)

    copy = settings.model_copy(update={"model_list": settings_of(entry("b")).model_list})

    assert copy.routes.names == ("b",)


def test_an_entry_has_its_place_in_the_file() -> None:
    """The index of an entry counts the entries of the file that were left out.

    A copy with another model list counts the entries of its own list.
    """
    settings = settings_of(entry("a", api_key="os.environ/ABSENT"), entry("b"), entry("c"))

    assert {place: each.model_name for place, each in settings.entries.items()} == {1: "b", 2: "c"}
    copy = settings.model_copy(update={"model_list": settings.model_list[:1]})
    assert list(copy.entries) == [0]
    assert list(settings.model_copy(update={"store": settings.store}).entries) == [1, 2]
