"""Tests of the headers that go to Anthropic."""

from __future__ import annotations

import pytest
from multidict import CIMultiDict

from proxy.ingress.anthropic_messages.client_headers import NO_HEADERS, read_headers


def test_headers_of_the_api_go_on_in_lower_case() -> None:
    given = CIMultiDict(
        [
            ("Anthropic-Version", "2026-10-21"),
            ("anthropic-beta", "a,b"),
            ("Anthropic-Beta", "c"),
            ("User-Agent", "claude-cli/2"),
            ("X-Stainless-Lang", "js"),
            ("x-app", "cli"),
        ]
    )

    assert dict(read_headers(given, {}).fields) == {
        "anthropic-version": "2026-10-21",
        "anthropic-beta": "a,b,c",
        "user-agent": "claude-cli/2",
        "x-stainless-lang": "js",
        "x-app": "cli",
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-api-key", "sk-x"),
        ("Authorization", "Bearer sk-x"),
        ("Cookie", "a=b"),
        ("Host", "x"),
        ("x-forwarded-for", "x"),
        ("anthropic-dangerous", "x"),
        ("anthropic-beta", "é"),
        ("anthropic-beta", "a\tb"),
        ("anthropic-beta", ""),
        ("anthropic-beta", "x" * 5_000),
    ],
)
def test_other_headers_stay_here(name: str, value: str) -> None:
    """Neither credentials go on, nor a value that could break a head."""
    assert read_headers({name: value}, {}) == NO_HEADERS


def test_number_and_length_of_headers_are_bounded() -> None:
    many = {f"x-stainless-{at}": "v" for at in range(100)}
    long = CIMultiDict([("anthropic-beta", "x" * 3_000)] * 5)

    assert len(read_headers(many, {}).fields) == 32
    assert len(read_headers(long, {}).fields["anthropic-beta"]) == 3_000


@pytest.mark.parametrize(
    ("query", "expected"), [({"beta": "true"}, "beta=true"), ({"beta": "1", "key": "x"}, ""), ({}, "")]
)
def test_only_the_beta_of_a_query_goes_on(query: dict[str, str], expected: str) -> None:
    assert read_headers({}, query).query == expected
