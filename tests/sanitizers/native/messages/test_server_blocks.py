"""Tests of calls that Anthropic ran, as texts for other models."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.messages.server_blocks import call_text, held_files, result_text


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"query": "cats"}, "[web_search: cats]"),
        ({"url": "https://e.org"}, "[web_search: https://e.org]"),
        ({"query": "cats", "n": 1}, '[web_search: {"query":"cats","n":1}]'),
        ({}, "[web_search: ]"),
        (None, "[web_search: ]"),
    ],
)
def test_call_is_one_line(given: Any, text: str) -> None:
    """The line says what was asked."""
    assert call_text({"name": "web_search", "input": given}, "p") == text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (
            [
                {"title": "T", "url": "https://e.org", "encrypted_content": "SECRET"},
                {"url": "https://f.org"},
                {"title": "U"},
            ],
            "- T (https://e.org)\n- https://f.org\n- U",
        ),
        ({"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}, "max_uses_exceeded"),
        (
            {
                "type": "web_fetch_result",
                "url": "https://e.org",
                "content": {"source": {"type": "text", "data": "d"}},
            },
            "- https://e.org\nd",
        ),
        ({"content": {"source": {"type": "base64", "data": "SECRET"}}}, ""),
        ({"stdout": "o", "stderr": "e", "return_code": 2, "content": []}, "o\ne\nexit code 2"),
        ({"stdout": "o", "return_code": 0}, "o"),
        ({"tool_references": [{"tool_name": "a"}, {"tool_name": "b"}]}, "a\nb"),
        ({"lines": ["a", "b"]}, "a\nb"),
        ([{"type": "text", "text": "a"}], "a"),
        ("a", "a"),
        (None, ""),
    ],
)
def test_result_has_its_readable_texts(content: Any, text: str) -> None:
    """Titles, links and printed texts stay in their order. What only Anthropic reads is left out."""
    assert result_text({"content": content}) == text


def test_deep_result_is_read_without_recursion() -> None:
    """A client may nest objects as deep as it likes."""
    deep: Any = "end"
    for _ in range(50_000):
        deep = {"content": deep}

    assert result_text(deep) in ("end", "")


@pytest.mark.parametrize(
    ("content", "places"),
    [
        ({"file_id": "f"}, ["content.file_id"]),
        ({"content": [{"x": 1}, {"file_id": "f"}]}, ["content.content.1.file_id"]),
        ([{"file_id": "f"}], ["content.0.file_id"]),
        ([{"file_id": None}], []),
        ("file_id", []),
    ],
)
def test_files_of_the_provider_are_found(content: Any, places: list[str]) -> None:
    """The output of a program may name files in the provider's account."""
    assert [*held_files({"content": content})] == places
