"""Tests of the warnings about objects and conversations at the providers."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.check_warnings import find_warnings
from proxy.cli.provider_object_warnings import find_provider_object_warnings
from proxy.planning.preview import pools_of
from tests.proxy.config.samples import entry, settings_of

KEYS = {"keys": [{"name": name, "key": f"sk-{name}-0123456789abcdef"} for name in ("ann", "bob")]}


@pytest.mark.parametrize(
    ("model", "fields", "general", "begins"),
    [
        ("openai/gpt-4.1", {}, KEYS, []),
        ("openai/gpt-4.1", {"provider_objects": True, "provider_state": True}, {}, []),
        (
            "openai/gpt-4.1",
            {"provider_objects": True},
            KEYS,
            ["model_list[0].provider_objects: clients of all keys share"],
        ),
        ("openai/gpt-4.1", {"provider_state": True}, KEYS, ["model_list[0].provider_state: no client can"]),
        (
            "xai/grok-4",
            {"provider_objects": True, "provider_state": True},
            KEYS,
            ["model_list[0].provider_objects: clients of all keys share"],
        ),
        (
            "gemini/gemini-2.5-pro",
            {"provider_objects": True},
            KEYS,
            ["model_list[0].provider_objects: clients of all keys share"],
        ),
        (
            "mistral/mistral-large-latest",
            {"provider_objects": True, "provider_state": True},
            KEYS,
            ["model_list[0].provider_objects: has no effect", "model_list[0].provider_state: has no effect"],
        ),
        (
            "openai/gpt-4.1",
            {"provider_objects": True, "transport": "litellm"},
            {},
            ["model_list[0].provider_objects: has no effect"],
        ),
    ],
)
def test_what_clients_share_is_named(
    model: str, fields: dict[str, Any], general: dict[str, Any], begins: list[str]
) -> None:
    """A warning begins with the key of the setting."""
    settings = settings_of({**entry("m", model), **fields}, general_settings=general)
    found = list(find_provider_object_warnings(settings, pools_of(settings)))

    assert len(found) == len(begins)
    assert all(warning.startswith(begin) for warning, begin in zip(found, begins, strict=True))
    assert set(found) <= set(find_warnings(settings))
