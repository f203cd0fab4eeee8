"""Tests of warnings about models that are asked through the Responses API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.cli.test_check_warnings import warnings_of
from tests.proxy.config.samples import entry

AZURE = {"api_key": "k", "api_base": "https://r.test", "api_version": "2024-10-21"}
NEW = {**AZURE, "api_version": "2025-03-01-preview"}
OLD = "model_list[0].litellm_params.api_version: is too old: "
SINCE = ", which Azure has from 2025-03-01-preview on"
NO_EFFECT = (
    "model_list[0].model_info.mode: has no effect: only the direct transport, on OpenAI's wire, asks {model} through "
    "the Responses API"
)


@pytest.mark.parametrize(
    ("model", "params", "more", "warned"),
    [
        (
            "azure/gpt-5.1-codex",
            AZURE,
            {},
            [f"{OLD}azure/gpt-5.1-codex is asked through the Responses API{SINCE}"],
        ),
        (
            "azure/gpt-5.5",
            AZURE,
            {},
            [
                f"{OLD}azure/gpt-5.5 refuses functions in chats while it reasons, and takes them in the Responses API"
                f"{SINCE}"
            ],
        ),
        ("azure/gpt-5.5", AZURE, {"model_info": {"mode": "chat"}}, []),
        ("azure/gpt-5.5", NEW, {}, []),
        ("azure/gpt-5.1-codex", {**AZURE, "api_version": "v1"}, {}, []),
        ("azure/gpt-4.1", AZURE, {}, []),
        ("azure/gpt-5.5", AZURE, {"transport": "litellm"}, []),
        ("openai/gpt-5.3-codex", {"api_key": "k"}, {}, []),
        ("groq/x", {"api_key": "k"}, {"model_info": {"mode": "responses"}}, []),
        (
            "openai/x",
            {"api_key": "k"},
            {"model_info": {"mode": "responses"}, "transport": "litellm"},
            [NO_EFFECT.format(model="openai/x")],
        ),
        (
            "anthropic/claude-sonnet-4-5",
            {"api_key": "k"},
            {"model_info": {"mode": "responses"}},
            [NO_EFFECT.format(model="anthropic/claude-sonnet-4-5")],
        ),
    ],
)
def test_what_keeps_a_model_from_the_api_is_warned_of(
    model: str, params: dict[str, Any], more: dict[str, Any], warned: list[str]
) -> None:
    """Azure's older versions lack the API, and a mode has no effect on litellm's transport."""
    given = entry("m", model, **params) | more
    found = [text for text in warnings_of(given) if "api_version" in text or "info.mode:" in text]

    assert found == warned
