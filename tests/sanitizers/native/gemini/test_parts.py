"""Tests how the fields of Gemini's parts are read, in both spellings of proto JSON."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.native.gemini.parts import (
    as_json,
    canonical_base64,
    checked_value,
    data_of,
    is_sealed,
    nested_parts,
    parts_of,
    signature_of,
    without_other_data,
    without_signature,
)


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ({"text": ""}, "text"),
        ({"functionCall": {}}, "functionCall"),
        ({"function_call": {}}, "functionCall"),
        ({"thoughtSignature": "x", "inline_data": {}}, "inlineData"),
        ({"text": None, "fileData": {}}, "fileData"),
        ({"thought": True, "thoughtSignature": "x"}, ""),
        ({}, ""),
    ],
)
def test_data_is_found_in_both_spellings(part: dict[str, Any], kind: str) -> None:
    """A part's data is found under both spellings of its field. A null is no data."""
    assert data_of(part).kind == kind


def test_further_data_is_taken_out_and_other_fields_stay() -> None:
    """Further data fields of a part are taken out.

    The first field of the oneof counts, and other fields stay.
    """
    part = {"text": "a", "functionCall": {"name": "f"}, "thought": True}

    assert without_other_data(part, data_of(part)) == {"text": "a", "thought": True}


def test_part_with_one_kind_of_data_is_the_same_object() -> None:
    """A part with one kind of data is returned as the same object."""
    part = {"text": "a", "videoMetadata": {}}

    assert without_other_data(part, data_of(part)) is part


@pytest.mark.parametrize("name", ["thoughtSignature", "thought_signature"])
def test_signature_is_read_in_both_spellings(name: str) -> None:
    """A signature is read under both spellings of its field. An empty signature counts as none."""
    assert signature_of({name: "abc"}) == "abc"
    assert signature_of({name: ""}) is None


@pytest.mark.parametrize(
    ("content", "param"),
    [
        ("text", "contents[3]"),
        ({"parts": "text"}, "contents[3].parts"),
        ({"parts": ["text"]}, "contents[3].parts[0]"),
        ({"parts": [{}, {"text": 7}]}, "contents[3].parts[1].text"),
        ({"parts": [{"text": "a", "thoughtSignature": 7}]}, "contents[3].parts[0].thoughtSignature"),
        (
            {"parts": [{"text": "a", "thoughtSignature": "a", "thought_signature": "b"}]},
            "contents[3].parts[0].thoughtSignature",
        ),
    ],
)
def test_unreadable_content_is_refused_with_its_place(content: Any, param: str) -> None:
    """Unreadable content is refused with the path of the unreadable field."""
    with pytest.raises(Unrepairable) as refused:
        parts_of(content, 3)

    assert refused.value.param == param


@pytest.mark.parametrize("content", [{}, {"parts": None}, {"parts": []}])
def test_content_without_parts_is_read(content: dict[str, Any]) -> None:
    """Content without parts is read as an empty list. The rules report that it is empty."""
    assert parts_of(content, 0) == []


def test_bare_part_is_a_list_of_one() -> None:
    """A bare part is read as a list of one, as Google's parser and examples do."""
    assert parts_of({"parts": {"text": "a"}}, 0) == [{"text": "a"}]


@pytest.mark.parametrize("response", [None, "text", {"parts": 7}, {"parts": ["text"]}, {}])
def test_unreadable_nested_parts_are_left_out(response: Any) -> None:
    """Unreadable nested parts are left out. Only objects are read."""
    assert [*nested_parts(response)] == []


def test_nested_parts_have_their_own_index() -> None:
    """An error names the part that the client sent. A bare part is a list of one."""
    assert [*nested_parts({"parts": ["text", {"text": "a"}]})] == [(1, {"text": "a"})]
    assert [*nested_parts({"parts": {"text": "a"}})] == [(0, {"text": "a"})]


@pytest.mark.parametrize(
    ("part", "param"),
    [
        ({"functionCall": "f"}, "p.functionCall"),
        ({"functionCall": {"name": 7}}, "p.functionCall.name"),
        ({"function_response": {"id": 7}}, "p.function_response.id"),
        ({"inlineData": {"data": 7}}, "p.inlineData.data"),
        ({"fileData": {"fileUri": "https://a", "file_uri": "files/b"}}, "p.fileData.fileUri"),
        ({"inline_data": {"mimeType": "a/b", "mime_type": "c/d"}}, "p.inline_data.mimeType"),
    ],
)
def test_data_of_a_wrong_type_is_refused_with_its_place(part: dict[str, Any], param: str) -> None:
    """A file in both spellings could be another one for Google than for the proxy."""
    with pytest.raises(Unrepairable) as refused:
        checked_value(part, data_of(part), "p")

    assert refused.value.param == param


@pytest.mark.parametrize(
    ("text", "canonical"), [("", ""), ("AA==", "AA=="), ("AA", "AA=="), ("-_8", "+/8="), ("a", "a===")]
)
def test_base64_is_brought_into_the_standard_alphabet(text: str, canonical: str) -> None:
    """Other providers refuse that of URLs."""
    assert canonical_base64(text) == canonical


def test_json_that_is_nested_too_deep_is_refused() -> None:
    """The place is named."""
    value: Any = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(Unrepairable) as refused:
        as_json(value, "p")

    assert refused.value.param == "p"


def test_envelopes_are_seen_on_any_part() -> None:
    """A part of one field has no signature."""
    assert is_sealed({"text": "a", "thoughtSignature": "tr1_AAAA"})
    assert is_sealed({"text": "a", "thought_signature": "tr1/AAAA"})
    assert not is_sealed({"text": "a", "thoughtSignature": "c2ln"})
    assert without_signature({"text": "a", "thoughtSignature": "x"}) == {"text": "a"}
