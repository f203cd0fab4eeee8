"""Tests of a backend's failures."""

from __future__ import annotations

from proxy.state.external.backend import FaultKind, StoreFault


def test_fault_is_named_by_its_kind() -> None:
    """A fault without words has its kind as its message. The kind is a metric's label."""
    assert str(StoreFault(FaultKind.TIMEOUT)) == "timeout"
    assert str(StoreFault(FaultKind.FULL, "no room")) == "no room"
