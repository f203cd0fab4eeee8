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
def test_timeout_that_is_not_positive_or_finite_is_refused(key: str, bad: Any) -> None:
    """The fault has the path of the timeout."""
    assert [path for path, _ in faults_of(router_settings={key: bad})] == [f"router_settings.{key}"]


@pytest.mark.parametrize(
    ("given", "word"), [("off", "off"), (False, "off"), ("whole", "whole"), ("always", "always")]
)
def test_self_correction_takes_off_whole_and_always(given: Any, word: str) -> None:
    """The bare word `off`, which YAML reads as false, is one of the three."""
    assert RouterSettings.model_validate({"self_correction": given}).self_correction == word


@pytest.mark.parametrize("bad", [True, "stream", 1, None])
def test_other_value_of_self_correction_is_refused(bad: Any) -> None:
    """The fault has the path of the key."""
    assert [path for path, _ in faults_of(router_settings={"self_correction": bad})] == [
        "router_settings.self_correction"
    ]
