"""Tests of the identity under which facts about a deployment are stored."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.state.deployment_identity import account_identity_of, identity_of
from tests.support.proxied import settings_of

BASE: dict[str, Any] = {"model": "gemini/gemini-3-pro", "api_key": "key-1", "api_base": "http://127.0.0.1:1"}


def deployment_of(*before: dict[str, Any], **changed: Any) -> Deployment:
    """Return the deployment of an entry with *changed* parameters, behind the entries *before*."""
    entries = {f"other-{number}": entry for number, entry in enumerate(before)}
    [deployment] = resolve(settings_of({**entries, "gemini": {**BASE, **changed}}), "gemini")
    return deployment


def test_position_does_not_count() -> None:
    """The same entry behind another one has the same identities."""
    first, second = deployment_of(), deployment_of({**BASE, "model": "gemini/other"})

    assert first.key != second.key
    assert identity_of(first) == identity_of(second)
    assert account_identity_of(first) == account_identity_of(second)


@pytest.mark.parametrize(
    ("changed", "same_deployment"),
    [
        ({"api_key": "key-2"}, True),
        ({"api_base": "http://127.0.0.1:2"}, False),
        ({"model": "gemini/gemini-3-flash"}, False),
        ({"timeout": 5}, True),
    ],
)
def test_identity_of_another_entry(changed: dict[str, Any], same_deployment: bool) -> None:
    """Another key is another account. Another address or model is another deployment."""
    first, second = deployment_of(), deployment_of(**changed)

    assert (identity_of(first) == identity_of(second)) is same_deployment
    assert (account_identity_of(first) == account_identity_of(second)) is ("timeout" in changed)
    assert "key-" not in identity_of(second) + account_identity_of(second)
