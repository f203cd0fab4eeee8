"""Tests of rules that hold for every section of the settings."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from proxy.config.schema.model_list import ModelInfo
from proxy.config.schema.section import Section
from proxy.config.schema.settings import SECTIONS
from tests.proxy.config.samples import entry, faults_in, faults_of, settings_of

ALL = pytest.mark.parametrize("section", SECTIONS.values(), ids=lambda section: section.where or "top")


@ALL
def test_every_key_is_described(section: type[Section]) -> None:
    """Every section and every key has a docstring."""
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
    """Sections are immutable and refuse unknown keys. Only ``model_info`` allows unknown keys."""
    assert section.model_config["frozen"] is True
    assert section.model_config["extra"] == ("allow" if section is ModelInfo else "forbid")


def test_settings_cannot_be_changed() -> None:
    """An attribute of loaded settings cannot be set."""
    settings = settings_of()

    with pytest.raises(ValidationError, match="frozen"):
        settings.sanitize.mode = "off"  # type: ignore[misc]
    assert settings.sanitize.mode == "repair"


def test_unset_values_are_taken() -> None:
    """A key without a value, or with the bare word ``off``, loads."""
    names = ("margin", "reserve", "high", "low", "hard", "cap", "last_turns", "unknown_window")

    assert faults_of(budget={**dict.fromkeys(names), "preset": False}, turns={"mode": False}) == []


@pytest.mark.parametrize(
    ("sections", "entries"),
    [
        ({"credential_list": None}, {}),
        ({"general_settings": {"keys": None, "admin": None, "max_in_flight": None}}, {}),
        ({"router_settings": {"num_retries": None, "timeout": None, "self_correction": None}}, {}),
        ({"turns": {"mode": None, "per_key": None}}, {}),
        ({}, {"headers": None, "extra_headers": None, "extra_body": None, "allowed_openai_params": None}),
        ({}, {"stop": None, "timeout": None, "weight": None, "api_base": None}),
    ],
)
def test_a_key_without_a_value_has_its_default(sections: dict[str, Any], entries: dict[str, Any]) -> None:
    """A key without a value has its default, in each section."""
    assert settings_of(entry(**entries), **sections) == settings_of(entry())


def test_a_master_key_without_a_value_is_a_fault() -> None:
    """A master key without a value is a fault, since it would open the API unnoticed."""
    assert faults_of(general_settings={"master_key": None}) == [("general_settings.master_key", "is empty")]


@pytest.mark.parametrize("name", ["organization", "vertex_project", "aws_access_key_id", "api_version"])
def test_an_empty_credential_counts_as_none(name: str) -> None:
    """A credential that is an empty text counts as not set, like an empty ``api_key``."""
    assert settings_of(entry(**{name: ""})) == settings_of(entry())


@pytest.mark.parametrize(
    ("sections", "path"),
    [
        ({"store": {"url": ""}}, "store.url"),
        ({"model_list": [{**entry(), "model_name": ""}]}, "model_list[0].model_name"),
        ({"model_list": [entry(headers={"a": ""})]}, "model_list[0].litellm_params.headers.a"),
        ({"model_list": [entry(user="")]}, "model_list[0].litellm_params.user"),
        ({"general_settings": {"allowed_hosts": [""]}}, "general_settings.allowed_hosts[0]"),
    ],
)
def test_an_empty_text_is_said_to_be_empty(sections: dict[str, Any], path: str) -> None:
    """An empty text for a setting that is no credential is a fault with the text ``is empty``."""
    assert faults_in(yaml.safe_dump({"model_list": [entry()], **sections}).encode()) == [(path, "is empty")]
