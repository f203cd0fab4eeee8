"""Tests of deployments as keys of maps, and of their representation in logs."""

from __future__ import annotations

from dataclasses import replace

from pydantic import SecretStr

from proxy.core.deployment import Deployment

ONE = Deployment(
    name="gemini/*",
    model="gemini/gemini-2.5-pro",
    provider="gemini",
    model_id="gemini-2.5-pro",
    api_key=SecretStr("sk-secret"),
    api_base=None,
    timeout_s=600.0,
    allowed_openai_params=frozenset(),
    transport="auto",
    max_input_tokens=None,
    max_output_tokens=None,
    extra_headers={"authorization": SecretStr("sk-secret")},
    credentials={"aws_secret_access_key": SecretStr("sk-secret")},
    label="gemini/*",
    position=0,
)


def test_key_is_the_entry_and_the_model() -> None:
    """A deployment's key in a map is its entry's position and its model, since a wildcard has many models."""
    others = [replace(ONE, model="gemini/gemini-3-pro"), replace(ONE, position=1), replace(ONE, name="x")]

    assert [other.key == ONE.key for other in others] == [False, False, True]
    assert len({ONE, replace(ONE), *others}) == 4, "other settings make another deployment"
    assert hash(ONE) == hash(replace(ONE))


def test_representation_holds_no_secret() -> None:
    """The representation of a deployment holds no secret."""
    assert "sk-secret" not in repr(ONE)
