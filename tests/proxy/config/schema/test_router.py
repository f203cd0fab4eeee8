"""``router_settings``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.not_built import NOT_BUILT
from proxy.config.schema import section
from proxy.config.schema.router import RouterSettings
from tests.proxy.config.samples import faults_of


def test_fallbacks_keep_their_order_once_they_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the row of the table gone, LiteLLM's shape arrives as it is."""
    assert "router_settings.fallbacks" in NOT_BUILT
    monkeypatch.setattr(section, "not_built_text", lambda key, value: None)

    router = RouterSettings.model_validate({"fallbacks": [{"a": ["b", "c"]}, {"b": ["c"]}]})

    assert router.fallbacks == ({"a": ("b", "c")}, {"b": ("c",)})


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), True, "5"])
@pytest.mark.parametrize("key", ["timeout", "connect_timeout", "first_byte_timeout", "idle_timeout"])
def test_timeouts_are_positive_and_finite(key: str, bad: Any) -> None:
    """A timeout that is no time is refused under its own path."""
    assert [path for path, _ in faults_of(router_settings={key: bad})] == [f"router_settings.{key}"]
