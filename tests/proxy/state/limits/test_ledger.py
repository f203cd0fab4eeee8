"""Tests that each ledger has what the interface asks for. :mod:`tests.support.ledger_contract` tests what they do."""

from __future__ import annotations

import pytest

from proxy.state.limits.ledger import Ledger
from proxy.state.limits.memory_ledger import MemoryLedger
from proxy.state.redis.ledger import RedisLedger
from proxy.state.sqlite.ledger import SqliteLedger

MEMBERS = {name for name in vars(Ledger) if not name.startswith("_")}


@pytest.mark.parametrize("ledger", [MemoryLedger, RedisLedger, SqliteLedger])
def test_ledger_has_each_method_of_the_interface(ledger: type) -> None:
    assert {"admit", "settle", "exchange"} <= MEMBERS
    assert MEMBERS <= set(dir(ledger)) | {"is_shared", "replicas"}
