"""Tests of fields that an error of Google's names by their paths."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.repairs.proto_paths import read_path, without_proto_field

BODY: dict[str, Any] = {
    "contents": [{"parts": [{"functionCall": {"id": "a", "name": "f"}}]}],
    "tools": {
        "function_declarations": [{"parameters": {"properties": {"b": 1, "a": {"default": 2, "type": 3}}}}]
    },
}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("contents[1].parts[0].function_call", ["contents", 1, "parts", 0, "function_call"]),
        ("a", ["a"]),
        ("a[1][2]", ["a", 1, 2]),
        ("", None),
        ("a..b", None),
        ("a[x]", None),
        (".".join("a" * 25), None),
    ],
)
def test_path_is_read_as_names_and_numbers(text: str, path: list[str | int] | None) -> None:
    """Anything else is no path, and so is one that is deeper than any request."""
    assert read_path(text) == path


@pytest.mark.parametrize(
    ("path", "left"),
    [
        (["contents", 0, "parts", 0, "function_call", "id"], {"functionCall": {"name": "f"}}),
        (["contents", 0, "parts", 0, "functioncall", "id"], {"functionCall": {"name": "f"}}),
        (["contents", 0, "parts", 0, "function_call"], {}),
    ],
)
def test_named_field_is_left_out_in_either_spelling(path: list[str | int], left: dict[str, Any]) -> None:
    """Nothing else changes."""
    made = without_proto_field(BODY, path)

    assert made["contents"] == [{"parts": [left]}]
    assert made["tools"] is BODY["tools"]


def test_entry_of_a_map_stands_by_its_number() -> None:
    """A list of one may be written without the list."""
    path: list[str | int] = ["tools", 0, "function_declarations", 0, "parameters", "properties", 1]
    made = without_proto_field(BODY, [*path, "value", "default"])

    [declared] = made["tools"]["function_declarations"]
    assert declared == {"parameters": {"properties": {"b": 1, "a": {"type": 3}}}}


@pytest.mark.parametrize(
    "path",
    [
        [],
        ["contents", 7, "parts"],
        ["contents", 0, "parts", 0, "text"],
        ["contents", 0, "parts", 0, "function_call", "name", "x"],
        ["tools", 1, "function_declarations"],
        ["tools", 0, "function_declarations", 0, "parameters", "properties", 1, "default"],
        ["tools", 0, "function_declarations", 0, "parameters", "properties", 9, "value", "default"],
    ],
)
def test_missing_field_changes_nothing(path: list[str | int]) -> None:
    """The same object comes back."""
    assert without_proto_field(BODY, path) is BODY
