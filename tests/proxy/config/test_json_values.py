"""Tests of the types of settings whose values are JSON of any shape."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from proxy.config import render_settings
from proxy.config.json_values import FilledMapping, JsonMapping, JsonValue, SecretMapping
from proxy.config.pools import resolve
from proxy.config.references import Context
from proxy.core.hidden_text import HiddenText
from proxy.upstream.masking import keys_of
from tests.proxy.config.samples import entry, load

WRITTEN = {
    "a": "os.environ/X",
    "b": [{"c": "${X}"}, 1, None, 1.5, True],
    "d": datetime.date(2024, 6, 1),
    "e": "t",
}


def parse(kind: Any, value: object) -> Any:
    """Return *value* validated as *kind*, where the variable ``X`` is ``from-x``."""
    return TypeAdapter(kind).validate_python(value, context=Context({"X": "from-x"}))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (JsonValue, "os.environ/X"),
        (JsonMapping, "os.environ/X"),
        (FilledMapping, "from-x"),
        (SecretMapping, "from-x"),
    ],
)
def test_references_are_resolved_at_any_depth_or_not_at_all(kind: Any, expected: str) -> None:
    """A type either resolves references at any depth, or keeps them. Dates become texts."""
    found = parse(kind, WRITTEN)

    assert (found["a"], found["d"], found["e"]) == (expected, "2024-06-01", "t")
    assert found["b"] == [{"c": "${X}" if expected != "from-x" else "from-x"}, 1, None, 1.5, True]


def test_only_values_of_variables_are_hidden() -> None:
    """A value that came from a variable is hidden, and a text of the file is not."""
    found = parse(SecretMapping, WRITTEN)

    assert isinstance(found["a"], HiddenText)
    assert isinstance(found["b"][0]["c"], HiddenText)
    assert not isinstance(found["e"], HiddenText)


@pytest.mark.parametrize("kind", [JsonMapping, FilledMapping, SecretMapping])
@pytest.mark.parametrize("value", [{1: 2}, {"a": float("nan")}, {"a": {1, 2}}, "text", ["list"], None])
def test_what_json_has_not_is_refused(kind: Any, value: object) -> None:
    """A key that is no text, a value that JSON has not, and anything but an object are refused."""
    with pytest.raises(ValidationError):
        parse(kind, value)


def test_a_secret_in_extra_body_is_sent_and_shown_nowhere() -> None:
    """A secret of ``extra_body`` from a variable reaches the deployment.

    ``check`` and the settings' representation do not show the secret.
    """
    body = {"provider": {"token": "os.environ/X", "order": ["a"]}}
    loaded = load(entry("a", extra_body=body), environ={"X": "secret-of-the-body"})
    (found,) = resolve(loaded.settings, "a")

    assert found.extra_body == {"provider": {"token": "secret-of-the-body", "order": ["a"]}}
    assert "secret-of-the-body" not in render_settings(loaded)
    assert "secret-of-the-body" not in repr(loaded)
    assert "secret-of-the-body" in keys_of(found)


def test_a_parameter_s_mapping_is_resolved() -> None:
    """A reference within a default parameter is resolved, as LiteLLM resolves it."""
    settings = load(
        entry("a", thinking={"type": "${X}", "budget_tokens": 2048}), environ={"X": "enabled"}
    ).settings

    assert resolve(settings, "a")[0].defaults == {"thinking": {"type": "enabled", "budget_tokens": 2048}}
