"""Tests of the fields that only Anthropic can serve."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.anthropic_messages.server_fields import find_needs


@pytest.mark.parametrize(
    ("fields", "names_object", "can_be_left_out"),
    [
        ({"container": "container_1"}, True, False),
        ({"container": {"id": "container_1"}}, True, False),
        ({"container": {"skills": [{"type": "anthropic", "skill_id": "pptx"}]}}, False, False),
        ({"container": {"skills": [{"type": "custom", "skill_id": "skill_1"}]}}, True, False),
        ({"container": {"skills": ["skill_1"]}}, True, False),
        ({"container": {"skills": 5}}, False, False),
        ({"mcp_servers": [{"type": "url", "url": "https://a"}]}, False, False),
        ({"thread": {"id": "thread_1"}}, True, True),
        ({"fallbacks": [{"model": "claude-opus-4-8"}]}, True, True),
        ({"user_profile_id": "u"}, True, True),
        ({"workspace_id": "w"}, True, True),
    ],
)
def test_field_is_a_need(fields: dict[str, Any], names_object: bool, can_be_left_out: bool) -> None:
    [need] = find_needs(fields)

    assert need.param == next(iter(fields))
    assert need.message.startswith(need.param)
    assert (need.names_object, need.can_be_left_out) == (names_object, can_be_left_out)


@pytest.mark.parametrize("fields", [{}, {"container": None}, {"container": {}}, {"mcp_servers": []}])
def test_field_without_a_value_is_no_need(fields: dict[str, Any]) -> None:
    assert list(find_needs(fields)) == []
