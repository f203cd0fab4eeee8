"""Rules of every section."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from proxy.config.schema.section import Section
from proxy.config.schema.settings import SECTIONS
from tests.proxy.config.samples import settings_of

ALL = pytest.mark.parametrize("section", SECTIONS.values(), ids=lambda section: section.where or "top")


@ALL
def test_every_key_is_described(section: type[Section]) -> None:
    """Every section and every key of it says what it is."""
    assert section.__doc__
    assert [name for name, field in section.model_fields.items() if not field.description] == []


@ALL
def test_sections_are_frozen_and_closed(section: type[Section]) -> None:
    """No section can be changed or takes a key that it does not have."""
    assert section.model_config["frozen"] is True
    assert section.model_config["extra"] == "forbid"


def test_settings_cannot_be_changed() -> None:
    """An attribute cannot be set once the settings are there."""
    settings = settings_of()

    with pytest.raises(ValidationError, match="frozen"):
        settings.sanitize.mode = "off"  # type: ignore[misc]
    assert settings.sanitize.mode == "repair"
