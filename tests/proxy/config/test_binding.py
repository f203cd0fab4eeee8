"""Tests of which listening addresses need a key."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import bind_fault
from proxy.config.schema.general import GeneralSettings
from tests.proxy.config.samples import settings_of

LOOPBACK = ["127.0.0.1", "127.8.9.10", "::1", "[::1]", "localhost", "LOCALHOST"]
REACHABLE = [
    "0.0.0.0",
    "::",
    "[::]",
    "",
    "10.0.0.1",
    "fe80::1",
    "::ffff:127.0.0.1",
    "127.1",
    "example.org",
    "localhost.a",
]


def general(**given: Any) -> GeneralSettings:
    """Return the section ``general_settings`` with the values *given*."""
    return settings_of(general_settings=given).general_settings


@pytest.mark.parametrize("host", LOOPBACK)
def test_loopback_needs_no_key(host: str) -> None:
    """A loopback address may be served without a key."""
    assert bind_fault(general(), host) is None


@pytest.mark.parametrize("host", REACHABLE)
def test_reachable_address_needs_a_key_or_the_permission(host: str) -> None:
    """A reachable address needs a key or the permission for open access. Either is enough, and the fault names both."""
    fault = bind_fault(general(), host)

    assert fault is not None
    assert fault.path == "general_settings.master_key"
    assert "TURNRIGHT_MASTER_KEY" in fault.text
    assert "general_settings.allow_unauthenticated_access: true" in fault.text
    assert bind_fault(general(master_key="m"), host) is None
    assert bind_fault(general(allow_unauthenticated_access=True), host) is None


def test_the_admin_listener_is_exempt() -> None:
    """An open admin listener does not make the API's loopback address need a key."""
    assert bind_fault(general(admin={"host": "0.0.0.0"}), "127.0.0.1") is None
