"""Rules of every section."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise

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
    (definition,) = ast.parse(inspect.getsource(section)).body
    assert isinstance(definition, ast.ClassDef)
    described = {
        key.target.id
        for key, text in pairwise(definition.body)
        if isinstance(key, ast.AnnAssign)
        and isinstance(key.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }
    own = section.model_fields.keys() & section.__annotations__.keys()
    assert own - described == set()


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
