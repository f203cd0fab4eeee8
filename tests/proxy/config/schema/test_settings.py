"""The whole."""

from __future__ import annotations

from proxy.config.schema.settings import SECTIONS, Settings
from tests.proxy.config.samples import entry, settings_of


def test_every_section_is_known_by_its_place() -> None:
    """The sections of the top level are in the table under their keys."""
    assert SECTIONS[""] is Settings
    lists = {"model_list", "credential_list"}
    assert {f"{name}[]" for name in lists} | set(Settings.model_fields) - lists <= set(SECTIONS)


def test_the_index_is_built_once() -> None:
    """Looking twice gives the same index, and the settings stay equal to others of the same file."""
    settings = settings_of()

    assert settings.routes is settings.routes
    assert settings == settings_of()


def test_a_copy_has_its_own_index() -> None:
    """A copy with another model list does not answer for the old one."""
    settings = settings_of(entry("a"))
    assert settings.routes.names == ("a",)

    copy = settings.model_copy(update={"model_list": settings_of(entry("b")).model_list})

    assert copy.routes.names == ("b",)
