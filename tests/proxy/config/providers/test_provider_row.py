"""Tests of a provider's row: what a row without further facts promises."""

from __future__ import annotations

from proxy.config.providers.provider_row import ProviderRow


def test_row_with_an_address_alone_has_chats_and_openai_s_forms() -> None:
    """Endpoints beside chats, and forms that differ from OpenAI's, must be named in the row."""
    row = ProviderRow("toy", "https://api.toy.test/v1")

    assert (row.embeddings, row.texts, row.keys) == (False, False, ())
    assert (row.text_lists, row.limit_as_max_tokens) == (True, False)
