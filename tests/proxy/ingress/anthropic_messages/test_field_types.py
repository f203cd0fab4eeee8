"""Tests of the types of a Messages request's fields."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.anthropic_messages.field_types import KNOWN_FIELDS, check_field

GOOD: dict[str, tuple[Any, ...]] = {
    "cache_control": ({"type": "ephemeral"},),
    "container": ("c", {"id": "c"}),
    "context_management": ({"edits": []},),
    "max_tokens": (0, 1, 64_000),
    "mcp_servers": ([], [{}]),
    "metadata": ({"user_id": "u"}, {"user_id": None}, {}),
    "output_config": (
        {"effort": "high"},
        {"effort": "a new one"},
        {"format": {"type": "json_schema", "schema": {}}},
    ),
    "output_format": ({"type": "json_schema", "schema": {}},),
    "service_tier": ("auto", "standard_only"),
    "stop_sequences": ([], ["a"]),
    "stream": (True, False),
    "system": ("", "a", []),
    "temperature": (0, 0.5, 1.0),
    "thinking": ({"type": "adaptive"}, {"type": "enabled", "budget_tokens": 1024}, {"type": "a new one"}),
    "tool_choice": ({"type": "auto"},),
    "tools": ([], [1]),
    "top_k": (0, 40),
    "top_p": (0.9, 1),
}
BAD: dict[str, tuple[tuple[Any, str], ...]] = {
    "cache_control": (("x", "cache_control"),),
    "container": ((1, "container"),),
    "context_management": (([], "context_management"),),
    "max_tokens": ((-1, "max_tokens"), (True, "max_tokens"), (1.5, "max_tokens"), (2**60, "max_tokens")),
    "mcp_servers": (({}, "mcp_servers"),),
    "metadata": (("x", "metadata"), ({"user_id": 1}, "metadata.user_id")),
    "output_config": (
        ("high", "output_config"),
        ({"effort": 1}, "output_config.effort"),
        ({"format": "json"}, "output_config.format"),
        ({"format": {"type": "json"}}, "output_config.format.type"),
        ({"format": {"type": "json_schema"}}, "output_config.format.schema"),
    ),
    "output_format": (({"type": "json_schema", "schema": 1}, "output_format.schema"),),
    "service_tier": (("priority", "service_tier"), ([], "service_tier")),
    "stop_sequences": (
        ("a", "stop_sequences"),
        (["a", 1], "stop_sequences.1"),
        (["a"] * 1025, "stop_sequences"),
    ),
    "stream": (("true", "stream"), (1, "stream")),
    "system": (({}, "system"),),
    "temperature": (("0", "temperature"), (True, "temperature"), (float("inf"), "temperature")),
    "thinking": (
        ({}, "thinking.type"),
        ({"type": "enabled", "budget_tokens": "9"}, "thinking.budget_tokens"),
    ),
    "tool_choice": (("auto", "tool_choice"),),
    "tools": (({}, "tools"), ([1] * 3000, "tools")),
    "top_k": ((1.5, "top_k"),),
    "top_p": (("x", "top_p"),),
}


def test_every_field_has_cases() -> None:
    assert GOOD.keys() == BAD.keys() == KNOWN_FIELDS


@pytest.mark.parametrize("name", sorted(KNOWN_FIELDS))
def test_value_of_the_fields_type_is_taken(name: str) -> None:
    for value in GOOD[name]:
        check_field(name, value)


@pytest.mark.parametrize(
    ("name", "value", "param"), [(name, *case) for name, cases in BAD.items() for case in cases]
)
def test_value_of_another_type_is_refused_by_its_path(name: str, value: Any, param: str) -> None:
    """The error has the path in Anthropic's spelling, and nothing of the value."""
    with pytest.raises(InvalidRequest) as caught:
        check_field(name, value)

    assert caught.value.param == param
