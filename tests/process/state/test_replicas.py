"""Tests with three replicas and one Valkey server: small runs of ``make soak-state``."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.state import cooldowns, faults
from benchmarks.state.crossing import find_crossings
from benchmarks.state.provider import Came, providing
from benchmarks.state.replicas import Replicas, config_for
from benchmarks.state.rounds import kill_after_each, switch
from benchmarks.state.store_faults import FAULTS
from tests.support.store_servers import valkey_server

ROUNDS, KILLS = 60, 2
FROZEN = next(fault for fault in FAULTS if fault.name == "frozen")


async def test_each_turn_at_another_replica_finds_its_signature(directory: Path) -> None:
    """Each signature comes back at another replica, also where the replica that got it was killed after its answer."""
    with valkey_server() as server:
        async with providing() as provider:
            replicas = Replicas(directory, config_for(provider, {"url": server.url}))
            async with replicas:
                switched = await switch(replicas, provider, ROUNDS, concurrency=3)
                killed = await kill_after_each(replicas, provider, server, KILLS)

    assert (switched.violations, killed.violations, replicas.faults) == ([], [], [])
    assert switched.came == {Came.REAL: ROUNDS}
    assert killed.came[Came.REAL] == KILLS - killed.late


@pytest.mark.parametrize("backend", ["sqlite", "redis"])
async def test_nothing_crosses_between_keys(backend: str, directory: Path) -> None:
    """A key that sends the call id of another key gets no signature, though both have sent the same texts."""
    crossings = await find_crossings(directory, backend, pairs=4)

    assert crossings.violations == []
    assert crossings.came == {Came.REAL: 8, Came.STAND_IN: 8}


async def test_no_request_fails_while_the_store_is_frozen(directory: Path) -> None:
    """With the store frozen, all requests are answered, and soon nothing asks it. Afterwards it is used again."""
    rows, load, ends = await faults.run(
        directory, rate=15, fault_s=2.0, well_s=2.3, faults=[FROZEN], warm_s=0.3
    )

    (row,) = rows
    assert (row.violations, ends) == ([], [])
    assert (row.failed, row.requests > 20, row.stand_ins > 0) == (0, True, True)
    assert all(not one.failure for one in load.outcomes)


async def test_a_cooldown_holds_for_all_replicas(directory: Path) -> None:
    """After one replica was refused with a delay, no replica calls the deployment, until one probe at a time does."""
    (trial,), violations = await cooldowns.run(directory, trials=1, rate=20, times=cooldowns.Times(2.2, 0.6))

    assert violations == []
    assert trial.at_once == 1
