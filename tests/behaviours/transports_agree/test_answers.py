"""Tests of what a client gets of a provider's odd answers and errors through each transport."""

from __future__ import annotations

import pytest

from tests.behaviours.transports_agree.answering import Recorded, answered, facts_of
from tests.behaviours.transports_agree.odd_answers import ANSWERS
from tests.behaviours.transports_agree.refusals import REFUSALS, SHOWN
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = [*LITELLM_NOISE, pytest.mark.usefixtures("litellm")]


@pytest.mark.parametrize("name", ANSWERS)
async def test_odd_answer_is_read(name: str) -> None:
    """The direct transport reads each answer, and litellm reads the same unless the table has a reason."""
    odd = ANSWERS[name]
    streamed = odd.answer.kind == "text/event-stream"
    async with answered(odd.model, odd.answer) as proxy:
        direct, litellm = [
            await facts_of(proxy, transport, streamed=streamed) for transport in ("direct", "litellm")
        ]

    assert direct == odd.facts
    assert litellm == (odd.litellm or odd.facts)
    assert (odd.litellm in (None, odd.facts)) is (odd.why == "")


@pytest.mark.parametrize(
    ("model", "status", "body", "source", "message"),
    REFUSALS,
    ids=[f"{model.partition('/')[0]}-{source}" for model, _, _, source, _ in REFUSALS],
)
async def test_refusal_keeps_its_status_and_words(
    model: str, status: int, body: str, source: str, message: str
) -> None:
    """Both transports give the client the provider's status and words, for a whole answer and a stream."""
    async with answered(model, Recorded(body, status)) as proxy:
        told = [
            await facts_of(proxy, transport, streamed=streamed)
            for transport in ("direct", "litellm")
            for streamed in (False, True)
        ]

    assert told == [{"status": SHOWN.get(source, status), "message": message}] * 4
