"""Adds the toy wire to the table of wires."""

from __future__ import annotations

import pytest

from proxy.upstream.wires import table
from tests.proxy.upstream.wires.toy.wire import TOY


def plug_in_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the toy's row for the rest of the test."""
    monkeypatch.setattr(table, "WIRES", {**table.WIRES, "toy": TOY})
