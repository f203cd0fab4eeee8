"""Tests of the plan target, which is a deployment with the rules for a request's plan."""

from __future__ import annotations

import pytest

from proxy.config.schema.policies import Sanitize
from proxy.planning.plan_target import plan_target, profile_of
from sanitizers import profile_for
from tests.proxy.planning.budgets.shapes import GEMINI, LOCAL, deployment_of


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
