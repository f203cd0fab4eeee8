"""Tests of the URLs of responses."""

from __future__ import annotations

import pytest

from proxy.upstream.wires.openai_responses.addresses import responses_url


@pytest.mark.parametrize(
    ("chats", "responses"),
    [
        ("https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/responses"),
        ("https://us.api.openai.com/v1/chat/completions", "https://us.api.openai.com/v1/responses"),
        (
            "https://a.openai.azure.com/openai/v1/chat/completions",
            "https://a.openai.azure.com/openai/v1/responses",
        ),
        (
            "https://a.openai.azure.com/openai/deployments/gpt-5/chat/completions?api-version=2025-04-01-preview",
            "https://a.openai.azure.com/openai/responses?api-version=2025-04-01-preview",
        ),
        (
            "https://gate.test/team/openai/deployments/gpt-5/chat/completions?api-version=2025-04-01-preview",
            "https://gate.test/team/openai/responses?api-version=2025-04-01-preview",
        ),
    ],
)
def test_url_of_responses_stands_beside_that_of_chats(chats: str, responses: str) -> None:
    """Azure's dated addresses do not name the deployment for responses."""
    assert responses_url(chats) == responses
