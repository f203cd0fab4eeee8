"""Tests of needs as those of a chat request."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.provider_needs import provider_need
from sanitizers.native.protocol import Need

FLAGS = ("can_be_left_out", "holds_history", "names_object", "served_elsewhere")


@pytest.mark.parametrize("flag", FLAGS)
def test_each_flag_is_kept(flag: str) -> None:
    """A need keeps its words and its place, and is a fault of the request."""
    flags: dict[str, Any] = {flag: True}
    made = provider_need(Need("words", "rule", "place", **flags))

    assert (made.message, made.param, made.error) == ("words", "place", InvalidRequest)
    assert [name for name in FLAGS if getattr(made, name)] == [flag]
