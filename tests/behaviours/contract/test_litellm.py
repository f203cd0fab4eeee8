"""Tests that each known quirk keeps the contract through litellm, except for the rows in ``litellm_limits``."""

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
    """The provider sends each stream in random segments.

    On this transport httpx joins the bytes to lines, not the proxy.
    """
    await check(_ALL, litellm_limits.STREAMS, stream=True)


async def test_whole_answers_through_litellm_keep_the_contract_but_for_the_listed_rows() -> None:
    await check(_WHOLE, litellm_limits.ANSWERS, stream=False)


async def check(rows: list[Row], limits: dict[str, str], *, stream: bool) -> None:
    """Ask for *rows*, and check that exactly the rows in *limits* break the contract."""
    async with asking("litellm", at_random) as asked:
        found = await all_complaints(asked, rows, stream=stream, estimated=True)

    assert {name: wrong for name, wrong in found.items() if name not in limits} == {}
    assert found.keys() == limits.keys(), "litellm carries more than it did"
