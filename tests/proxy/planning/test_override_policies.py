"""Tests of the choice of overrides for a model and a key."""

from __future__ import annotations

import pytest
from typing_extensions import override

from proxy.planning.override_policies import OverridePolicies


class Chosen(OverridePolicies[tuple[str, str]]):
    """Policies that are the names of the chosen overrides. ``off`` has no policy."""

    made = 0

    @override
    def _make(self, model: str, key: str) -> tuple[str, str] | None:
        self.made += 1
        return None if key == "off" else (model, key)


def chosen() -> Chosen:
    """Return policies with overrides for a model, an alias, a wildcard and two keys."""
    return Chosen(["m", "own", "gemini/*"], ["a", "off"], {"second": "m", "own": "m", "g": "gemini/x"})


@pytest.mark.parametrize(
    ("model", "label", "key", "found"),
    [
        ("m", "m", "a", ("m", "a")),
        ("m", "m", "b", ("m", "")),
        ("m", "gemini/*", "", ("m", "")),
        ("gemini/x", "gemini/*", "", ("gemini/*", "")),
        ("g", "gemini/*", "", ("gemini/*", "")),
        ("second", "unknown", "", ("m", "")),
        ("own", "unknown", "", ("own", "")),
        ("n", "n", "c", ("", "")),
        ("m", "m", "off", None),
    ],
)
def test_exact_name_then_wildcard_then_none(
    model: str, label: str, key: str, found: tuple[str, str] | None
) -> None:
    """An alias has overrides of its own, or those of its model."""
    assert chosen().find(model, label, key) == found


def test_each_policy_is_made_once() -> None:
    """A policy that is None is not made again either."""
    policies = chosen()

    for key in ("", "made-up", "off", "off"):
        policies.find("n", "n", key)
        policies.find("m", "m", key)

    assert policies.made == 4
