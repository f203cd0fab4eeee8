"""Tests of what the addresses of files name."""

from __future__ import annotations

import pytest

from sanitizers.native.gemini.addresses import kind_of_address


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("https://example.org/a.png", "web"),
        ("http://example.org/a.png", "web"),
        ("HTTPS://[::1]/a", "web"),
        ("https://storage.googleapis.com/public/a.png", "web"),
        ("https://youtu.be/x", "video"),
        ("https://www.YouTube.com/watch?v=x", "video"),
        ("https://notyoutube.com/x", "web"),
        ("data:image/png;base64,AAAA", "inline"),
        ("files/a", "object"),
        ("gs://bucket/a", "object"),
        ("", "object"),
        ("https://", "object"),
        ("https://generativelanguage.googleapis.com/v1beta/files/a", "object"),
        ("https://GenerativeLanguage.GoogleAPIs.com.:443/v1beta/files/a", "object"),
        ("https://us-generativelanguage.googleapis.com/files/a", "object"),
        ("https://a@example.org/a", "object"),
        ("https://example.org\\@generativelanguage.googleapis.com/a", "object"),
        ("https://gener\nativelanguage.googleapis.com/a", "object"),
        ("https://generativelanguage%2Egoogleapis.com/a", "object"),
        ("https://\uff47enerativelanguage.googleapis.com/a", "object"),
        ("https://[::1/a", "object"),
        ("https://example.org/a b", "object"),
        ("https://example.org/a\\b", "object"),
        ("https://example.org/a\n", "object"),
        (" https://example.org/a", "object"),
        ("file:///etc/passwd", "object"),
    ],
)
def test_whatever_is_no_plain_page_is_an_object_of_an_account(address: str, kind: str) -> None:
    """An unusual spelling of Google's own hosts must not hide another client's file."""
    assert kind_of_address(address) == kind
