"""Tests of the stand-in for a summarizing model in ``make bench-cuts``."""

from __future__ import annotations

import pytest

from benchmarks.cuts.summaries import SummaryWriter, request_for
from benchmarks.sessions import measure
from proxy.planning.compact.accept_summary import Accepted, SummaryLimits, accept_summary
from sanitizers.messages import Message


@pytest.mark.parametrize("most", [256, 750, 1_500])
def test_proxy_accepts_the_summary_whole(most: int) -> None:
    """The summary has 80 to 100 % of the tokens it may have, so that the proxy does not shorten it."""
    writer = SummaryWriter()
    for _ in range(20):
        text = writer.answer((), most)
        answer = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
        accepted = accept_summary(answer, SummaryLimits(most, 100_000, measure))

        assert accepted == Accepted(text, writer.calls[-1].written)
        assert 0.78 * most <= accepted.tokens <= most


def test_runs_have_the_same_summaries() -> None:
    """Two writers begin with the same text. One writer never writes the same text twice."""
    one, other = (SummaryWriter().answer((), 750) for _ in range(2))
    writer = SummaryWriter()

    assert one == other
    assert writer.answer((), 750) != writer.answer((), 750)


def test_model_reads_capped_results_whole_words_and_earlier_summaries() -> None:
    """A tool result counts with about 2,000 characters. What the user says counts whole."""
    call: Message = {"role": "tool", "tool_call_id": "call_1", "content": "r" * 9_000}
    said: Message = {"role": "user", "content": "u" * 9_000}
    instructions = tokens_read([])

    assert 480 <= tokens_read([call]) - instructions <= 520
    assert 2_250 <= tokens_read([said]) - instructions <= 2_280
    assert 100 <= tokens_read([], "t" * 400) - instructions <= 105


def tokens_read(messages: list[Message], *texts: str) -> int:
    """Return the tokens of the request for a summary."""
    return sum(map(measure, request_for(messages, texts)))
