"""``router_settings``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.router import RouterSettings
from tests.proxy.config.samples import faults_of


def test_fallbacks_keep_their_order() -> None:
    """LiteLLM's shape arrives as it is."""
    router = RouterSettings.model_validate({"fallbacks": [{"a": ["b", "c"]}, {"b": ["c"]}]})

    assert router.fallbacks == ({"a": ("b", "c")}, {"b": ("c",)})


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), True, "5"])
@pytest.mark.parametrize("key", ["timeout", "connect_timeout", "first_byte_timeout", "idle_timeout"])
def test_timeouts_are_positive_and_finite(key: str, bad: Any) -> None:
    """A timeout that is no time is refused under its own path."""
    assert [path for path, _ in faults_of(router_settings={key: bad})] == [f"router_settings.{key}"]


@pytest.mark.parametrize(
    ("given", "word"), [("off", "off"), (False, "off"), ("whole", "whole"), ("always", "always")]
)
def test_self_correction_is_a_word(given: Any, word: str) -> None:
    """The bare word `off`, which YAML reads as false, is one of the three."""
    assert RouterSettings.model_validate({"self_correction": given}).self_correction == word


@pytest.mark.parametrize("bad", [True, "stream", 1, None])
def test_self_correction_is_no_other_word(bad: Any) -> None:
    """Anything else is refused under its path."""
    assert [path for path, _ in faults_of(router_settings={"self_correction": bad})] == [
        "router_settings.self_correction"
    ]
