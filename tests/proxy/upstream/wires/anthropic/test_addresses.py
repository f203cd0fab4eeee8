"""Tests of the addresses and headers of Anthropic's wire."""

from __future__ import annotations

import pytest

from proxy.upstream.wires.anthropic.addresses import VERSION, chat_headers, messages_url
from tests.proxy.upstream.wires.anthropic.calling import call_to


@pytest.mark.parametrize(
    ("base", "url"),
    [
        (None, "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/messages"),
        ("https://api.z.ai/api/anthropic", "https://api.z.ai/api/anthropic/v1/messages"),
        ("https://api.moonshot.ai/anthropic/", "https://api.moonshot.ai/anthropic/v1/messages"),
    ],
)
def test_address_is_taken_with_and_without_its_path(base: str | None, url: str) -> None:
    """It is taken as litellm takes it, and vendors name both in their documents."""
    assert messages_url(base) == url


def test_key_goes_under_its_own_name() -> None:
    """The version is the one that this wire is written for."""
    assert chat_headers(call_to().deployment) == {
        "Content-Type": "application/json",
        "anthropic-version": VERSION,
        "x-api-key": "sk-ours",
    }


def test_token_of_an_account_goes_as_a_bearer_token() -> None:
    """Anthropic refuses such a token as a key."""
    headers = chat_headers(call_to(api_key="sk-ant-oat01-x").deployment)
    assert headers["Authorization"] == "Bearer sk-ant-oat01-x"
    assert headers["anthropic-beta"].startswith("oauth-")
    assert "x-api-key" not in headers


def test_headers_of_the_operator_come_first() -> None:
    """An operator may ask for another version, or for a beta."""
    given = {"Anthropic-Version": "2026-10-21", "anthropic-beta": "context-1m-2025-08-07"}
    headers = chat_headers(call_to(extra_headers=given).deployment)
    assert headers == {"Content-Type": "application/json", "x-api-key": "sk-ours", **given}
