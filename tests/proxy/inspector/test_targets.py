"""Each profile has a deployment for inspections, which the inspector never calls."""

from __future__ import annotations

import pytest

from proxy.inspector.targets import MODELS, NO_ENTRY, deployments_by_profile, withheld_unasked
from sanitizers.profile_names import PROFILES, profile_for


def test_every_profile_has_a_target() -> None:
    """The page lists all profiles."""
    assert MODELS.keys() == PROFILES.keys()


@pytest.mark.parametrize("name", MODELS)
def test_target_has_its_profile_and_neither_key_nor_provider(name: str) -> None:
    """The address of the target is a closed port. No entry of a configuration has its position."""
    deployment = deployments_by_profile()[name]

    assert profile_for(deployment.model).name == deployment.profile == name
    assert (deployment.api_key, deployment.api_base) == (None, "http://127.0.0.1:9")
    assert deployment.position == NO_ENTRY < 0


@pytest.mark.parametrize(("name", "withheld"), [("mistral", True), ("openai", False)])
def test_parameters_are_withheld_without_a_transport(name: str, withheld: bool) -> None:
    """The withheld parameters are those that the provider is known to refuse."""
    found = withheld_unasked(deployments_by_profile()[name], {"logit_bias": {}, "temperature": 1})

    assert ("logit_bias" in found) is withheld
    assert "temperature" not in found
