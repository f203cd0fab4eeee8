"""Tests of the plan target, which is a deployment with the rules for a request's plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.config.schema.policies import Sanitize
from proxy.core.chat_request import ChatRequest
from proxy.planning.plan_target import plan_target, profile_of, target_for_request
from sanitizers import profile_for
from tests.proxy.planning.budgets.shapes import GEMINI, LOCAL, deployment_of
from tests.proxy.upstream.deployments import deployment_of as deployed
from tests.support.builders import user


@pytest.mark.parametrize("model", [LOCAL, GEMINI])
def test_a_target_has_the_profile_of_its_model(model: str) -> None:
    """By default, a target has its model's own profile."""
    deployment, sanitize = deployment_of(model), Sanitize()
    target = plan_target(deployment, sanitize, lambda *_: frozenset({"n"}))

    assert target.profile == profile_for(model)
    assert (target.deployment, target.sanitize) == (deployment, sanitize)
    assert target.unsupported(deployment, {}) == {"n"}


def test_merge_same_role_changes_the_profile() -> None:
    """With ``merge_same_role``, the profile merges neighbours of one role."""
    deployment = deployment_of(LOCAL)
    merged = profile_of(deployment, Sanitize(merge_same_role=True))

    assert merged == profile_for(LOCAL).merging() != profile_of(deployment, Sanitize())


def test_history_of_a_model_without_chats_has_the_profile_of_items() -> None:
    """Litellm gets a chat, and writes the request itself."""
    codex = deployed("openai/gpt-5.3-codex")

    assert profile_of(codex, Sanitize()).name == "openai-responses"
    assert not profile_of(replace(codex, transport="litellm"), Sanitize()).items


@pytest.mark.parametrize(
    ("parameters", "defaults", "transport", "items"),
    [
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, {}, "auto", True),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, {}, "litellm", False),
        (
            {"tools": [{"type": "function", "function": {"name": "f"}}]},
            {"reasoning_effort": "none"},
            "auto",
            False,
        ),
        ({}, {}, "auto", False),
    ],
)
def test_tools_of_a_newer_model_decide_for_one_request(
    parameters: dict[str, Any], defaults: dict[str, Any], transport: Any, items: bool
) -> None:
    """The operator's defaults count as well."""
    deployment = replace(deployed("openai/gpt-5.5", **defaults), transport=transport)
    target = plan_target(deployment, Sanitize(), lambda *_: frozenset())
    request = ChatRequest("m", [user("hi")], False, False, parameters, {}, weight=0)
    taken = target_for_request(target, request)

    assert taken.profile.items is items
    assert items or taken is target
