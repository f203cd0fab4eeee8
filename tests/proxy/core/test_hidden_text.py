"""Tests of hidden texts: secrets that are sent to a provider but masked wherever a value is shown."""

from __future__ import annotations

import json

import orjson

from proxy.core.hidden_text import MASK, HiddenText, hidden_in, hide

VALUE = {"a": HiddenText("hidden-1"), "b": [1, {"c": HiddenText("hidden-2")}], "d": "shown"}


def test_a_hidden_text_is_written_as_json_like_any_other() -> None:
    """Both JSON encoders write a hidden text in full."""
    expected = {"a": "hidden-1", "b": [1, {"c": "hidden-2"}], "d": "shown"}

    assert orjson.loads(orjson.dumps(VALUE)) == json.loads(json.dumps(VALUE)) == expected


def test_a_hidden_text_is_not_shown() -> None:
    """``hide`` replaces hidden texts by a mask, and a representation does not show hidden texts."""
    assert hide(VALUE) == {"a": MASK, "b": [1, {"c": MASK}], "d": "shown"}
    assert "hidden" not in repr(VALUE)


def test_hidden_texts_are_found_at_any_depth() -> None:
    """Each hidden text of a value is found."""
    assert [str(text) for text in hidden_in(VALUE)] == ["hidden-1", "hidden-2"]
