"""Tests that pydantic's errors become texts for operators."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from proxy.config.places import Places
from proxy.config.references import Context
from proxy.config.schema.settings import SECTIONS
from proxy.config.validation import _WORDS, validate
from tests.proxy.config.samples import ENTRY, entry, faults_in, faults_of


@pytest.mark.parametrize(
    ("sections", "fault"),
    [
        ({"general_settings": {"ui": "yes"}}, ("general_settings.ui", "must be true or false")),
        (
            {"general_settings": {"max_in_flight": 1.5}},
            ("general_settings.max_in_flight", "must be a whole number"),
        ),
        (
            {"general_settings": {"max_in_flight": True}},
            ("general_settings.max_in_flight", "must be a whole number"),
        ),
        (
            {"general_settings": {"max_in_flight": 0}},
            ("general_settings.max_in_flight", "must be at least 1"),
        ),
        ({"general_settings": {"max_nesting": 251}}, ("general_settings.max_nesting", "must be at most 250")),
        (
            {"general_settings": {"admin": 3}},
            ("general_settings.admin", "must be a mapping of keys to values"),
        ),
        (
            {"general_settings": {"admin": {"prot": 3}}},
            ("general_settings.admin.prot", "is not a key of turnright; did you mean port?"),
        ),
        ({"sanitize": {"mode": "fix"}}, ("sanitize.mode", "must be repair, observe, strict or off")),
        ({"sanitize": {3: 4}}, ("sanitize[3]", "a key must be text; put it in quotes")),
        ({"router_settings": {"timeout": "5s"}}, ("router_settings.timeout", "must be a number")),
        ({"router_settings": {"fallbacks": 3}}, ("router_settings.fallbacks", "must be a list")),
        ({"turns": []}, ("turns", "must be a mapping of keys to values")),
    ],
)
def test_error_has_a_text_and_the_path_of_its_key(sections: dict[str, Any], fault: tuple[str, str]) -> None:
    """Each kind of error has its own text and the path of its key."""
    assert faults_of(**sections) == [fault]


def test_every_known_kind_of_error_has_a_text() -> None:
    """Known kinds of errors never get the general text for unknown kinds."""
    faults = faults_of(
        {"model_name": "m", "litellm_params": {"model": 3}},
        entry("x" * 201),
        entry("", "gemini/" + "x" * 300),
        {"model_name": "a"},
    )

    assert "is not a value that this key takes" not in [text for _, text in faults]
    assert len(faults) == 5
    assert "missing" in _WORDS


def test_good_settings_have_no_faults() -> None:
    """A good file gives settings and an empty tuple."""
    settings, faults = validate({"model_list": [ENTRY]}, Context({}), Places())

    assert settings is not None
    assert faults == ()


@pytest.mark.parametrize("where", [where for where in SECTIONS if where and "*" not in where])
@pytest.mark.parametrize("value", [3, "x", [3], [[]], {"a": []}, {3: 4}, True])
def test_a_fault_s_path_has_only_keys_and_positions_of_the_file(where: str, value: Any) -> None:
    """A fault's path contains no name of a pydantic validator, whatever a key's value is."""
    for name in SECTIONS[where].model_fields:
        found = _filled(where, name, value)
        for path, _ in faults_in(yaml.safe_dump(found).encode()):
            assert not re.search(r"[ ()]|function|lambda|tuple|json-or", path.replace(name, "")), path


def _filled(where: str, name: str, value: Any) -> dict[str, Any]:
    """Return a file with *value* under *name* in the section *where*."""
    root: dict[str, Any] = {}
    place: Any = root
    for part in where.split("."):
        key = part.removesuffix("[]")
        if part.endswith("[]"):
            place[key] = [{}]
            place = place[key][0]
        else:
            place[key] = {}
            place = place[key]
    place[name] = value
    return {"model_list": [entry()], **root}
