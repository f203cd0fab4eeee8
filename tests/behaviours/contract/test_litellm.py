"""Every known quirk through litellm: what it does not hide keeps the contract, and what it hides is written down."""

from __future__ import annotations

import pytest

from tests.behaviours.contract import litellm_limits
from tests.behaviours.contract.drawn import at_random
from tests.behaviours.contract.serving import all_complaints, asking
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.quirks.meaning import Row
from tests.support.quirks.table import ROWS

pytestmark = [*LITELLM_NOISE, pytest.mark.usefixtures("log_text")]

_ALL = list(ROWS.values())
_WHOLE = [row for row in _ALL if row.whole is not None]


async def test_streams_through_litellm_keep_the_contract_but_for_the_listed_rows() -> None:
    """The provider sends each stream in random segments: how bytes become lines is httpx's work here, not ours."""
    await check(_ALL, litellm_limits.STREAMS, stream=True)


async def test_whole_answers_through_litellm_keep_the_contract_but_for_the_listed_rows() -> None:
    """The same answers, not streamed."""
    await check(_WHOLE, litellm_limits.ANSWERS, stream=False)


async def check(rows: list[Row], limits: dict[str, str], *, stream: bool) -> None:
    """Ask for all rows: wrong are those of which it is known that litellm hides what they say, and no others."""
    async with asking("litellm", at_random) as asked:
        found = await all_complaints(asked, rows, stream=stream, estimated=True)

    assert {name: wrong for name, wrong in found.items() if name not in limits} == {}
    assert found.keys() == limits.keys(), "litellm carries more than it did"
