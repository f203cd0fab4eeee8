"""Tests of the keywords that go into a description."""

from __future__ import annotations

from sanitizers.schemas import GEMINI_ON_LITELLM
from tests.sanitizers.schemas.cleaning import TEXT, WHOLE, of, reasons


def test_keywords_that_the_dialect_lacks_are_described() -> None:
    """Keywords that mean nothing to a model are dropped."""
    schema = {
        **TEXT,
        "minLength": 1,
        "contentEncoding": "base64",
        "not": {"const": "x"},
        "if": {"minLength": 3},
        "then": {"pattern": "^a"},
        "x-other": 1,
        "$comment": "c",
        "readOnly": True,
    }

    assert of(schema) == {
        **TEXT,
        "minLength": 1,
        "description": 'Rules: {"not":{"const":"x"},"if":{"minLength":3},"then":{"pattern":"^a"}} '
        'Notes: {"contentEncoding":"base64"}',
    }
    assert reasons(schema) == {"keyword_in_words": False, "annotation_dropped": True}


def test_descriptions_have_no_references() -> None:
    """The referenced schema replaces each reference, since a description has no definitions."""
    told = of({"not": {"$ref": "#/$defs/D"}, **TEXT}, beside={"$defs": {"D": {"const": "x"}}})

    assert told["description"] == 'Rules: {"not":{"const":"x"}}'


def test_a_description_has_a_bounded_length() -> None:
    """A description that is too long is cut, and ends with an ellipsis."""
    told = of({**TEXT, "description": "d", "not": {"enum": [f"value {n}" for n in range(2_000)]}})

    assert len(told["description"]) <= 1_502
    assert told["description"].startswith('d Rules: {"not":{"enum":["value 0"')
    assert told["description"].endswith("…")


def test_a_long_description_is_not_repeated_in_every_branch() -> None:
    """Repeating a long description would cost tokens."""
    branches = of({"anyOf": [TEXT, {**WHOLE, "description": "n"}], "description": "d" * 300})["anyOf"]

    assert [branch["description"] for branch in branches] == ["d" * 300, "n"]


def test_formats_and_values_that_litellm_spoils_are_described() -> None:
    """Litellm drops unknown formats and reads values as schemas."""
    assert of({**WHOLE, "format": "int64"}, GEMINI_ON_LITELLM) == {**WHOLE, "description": "Format: int64."}
    cleaned = of({"type": "object", "default": {"$ref": 1}}, GEMINI_ON_LITELLM)
    assert cleaned == {"type": "object", "description": 'Default: {"$ref":1}'}
