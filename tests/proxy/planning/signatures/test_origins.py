"""Tests of a signature's origin, which is the endpoint and the model family."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.planning.signatures.origins import origin_of, tag_of
from sanitizers import profile_for
from tests.support.proxied import settings_of


def origin(model: str, **params: Any) -> str:
    """Return the origin of a deployment."""
    entry = {"model_name": "m", "litellm_params": {"model": model, **params}}
    [deployment] = resolve(settings_of(model_list=[entry]), "m")
    assert isinstance(deployment, Deployment)
    return origin_of(deployment, profile_for(deployment.model))


PRO = "gemini/gemini-3-pro-preview"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((PRO, {"api_key": "a"}), (PRO, {"api_key": "b"})),
        ((PRO, {}), ("gemini/gemini-3.6-flash", {})),
        ((PRO, {}), ("gemini/gemini-flash-latest", {})),
        ((PRO, {}), (PRO, {"api_base": "https://generativelanguage.googleapis.com/v1beta"})),
        (
            (PRO, {}),
            ("openai/gemini-3-pro", {"api_base": "https://generativelanguage.googleapis.com/v1beta/openai"}),
        ),
    ],
)
def test_one_endpoint_and_family_is_one_origin(
    one: tuple[str, dict[str, Any]], other: tuple[str, dict[str, Any]]
) -> None:
    """Keys, spellings and models of one family do not change the origin at one endpoint."""
    assert origin(one[0], **one[1]) == origin(other[0], **other[1])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((PRO, {}), ("gemini/gemini-2.5-pro", {})),
        ((PRO, {}), ("vertex_ai/gemini-3-pro", {})),
        ((PRO, {}), (PRO, {"api_base": "http://127.0.0.1:9090/v1beta"})),
        (
            ("vertex_ai/gemini-3-pro", {"vertex_project": "a"}),
            ("vertex_ai/gemini-3-pro", {"vertex_project": "b"}),
        ),
    ],
)
def test_another_endpoint_or_family_is_another_origin(
    one: tuple[str, dict[str, Any]], other: tuple[str, dict[str, Any]]
) -> None:
    """Another family, surface, address or project changes the origin."""
    assert origin(one[0], **one[1]) != origin(other[0], **other[1])


def test_a_tag_is_five_letters() -> None:
    """The same origin has the same tag."""
    assert tag_of("a") == tag_of("a") != tag_of("b")
    assert len(tag_of("a")) == 5
