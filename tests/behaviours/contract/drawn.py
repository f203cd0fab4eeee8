"""Generated rows (a provider's answers with their meaning) for tests that cannot run inside hypothesis."""

from __future__ import annotations

import random
import zlib
from dataclasses import replace

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.behaviours.contract.cutting import at_places
from tests.support.quirks.meaning import Row


def drawn(rows: st.SearchStrategy[Row], count: int) -> list[Row]:
    """Return *count* generated rows with unique names. A derandomized profile gives the same rows in every run."""
    found: list[Row] = []

    @settings(
        max_examples=count, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck)
    )
    @given(rows)
    def collect(row: Row) -> None:
        found.append(replace(row, name=f"{len(found)}: {row.model} {row.source}"))

    collect()
    return found[:count]


def at_random(body: bytes) -> list[bytes]:
    """Cut *body* at random positions, with the body's checksum as the seed."""
    chance = random.Random(zlib.crc32(body))
    return at_places(body, [chance.randrange(1000) for _ in range(chance.randrange(12))])
