"""Tests of the tokens and costs that ``make bench-cuts`` counts for a provider."""

from __future__ import annotations

import copy

import pytest

from benchmarks.cuts import provider
from benchmarks.cuts.provider import BLOCK, Spent, run
from benchmarks.cuts.summaries import CallTokens
from benchmarks.cuts.window import TOOLS, Sizes, Window
from benchmarks.sanitize import History

SYSTEM = {"role": "system", "content": "s" * 400}
FIRST = {"role": "user", "content": "f" * 4_000}
SECOND = {"role": "user", "content": "g" * 4_000}
WINDOW = Window(100_000, Sizes([SYSTEM, FIRST, SECOND]))


class Replay:
    """A way that sends what it is given."""

    def __init__(self, *calls: CallTokens) -> None:
        self.calls = list(calls)

    def send(self, history: History) -> History:
        """Return a copy of *history*, as a way does that makes its messages anew."""
        return copy.deepcopy(history)


def whole_blocks(tokens: int) -> int:
    """Return *tokens* rounded down to cached blocks."""
    return tokens - tokens % BLOCK


def test_common_beginning_is_cached_in_whole_blocks() -> None:
    """The tools and all common messages are cached. Equal messages count, not only the same objects."""
    spent = run([[SYSTEM, FIRST], [SYSTEM, FIRST, SECOND]], Replay(), WINDOW)

    assert spent.cached == whole_blocks(WINDOW.tokens([SYSTEM, FIRST]))
    assert spent.sent == WINDOW.tokens([SYSTEM, FIRST]) + WINDOW.tokens([SYSTEM, FIRST, SECOND])
    assert spent.largest == WINDOW.tokens([SYSTEM, FIRST, SECOND])
    assert (spent.requests, spent.breaks) == (2, 0)


def test_nothing_is_cached_behind_the_first_difference() -> None:
    """A changed message is a break. Messages behind it are not cached, although they are equal."""
    spent = run([[SYSTEM, FIRST, SECOND], [SYSTEM, SECOND, SECOND]], Replay(), WINDOW)

    assert spent.cached == whole_blocks(TOOLS + WINDOW.size(SYSTEM))
    assert spent.breaks == 1


def test_beginning_below_1024_tokens_is_not_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider caches nothing of less than 1,024 tokens."""
    monkeypatch.setattr(provider, "TOOLS", 500)

    assert run([[SYSTEM], [SYSTEM, FIRST]], Replay(), WINDOW).cached == 0


def test_request_shorter_than_the_one_before_is_a_break() -> None:
    """A request that leaves out the end of the one before does not continue it."""
    spent = run([[SYSTEM, FIRST, SECOND], [SYSTEM, FIRST]], Replay(), WINDOW)

    assert spent.breaks == 1


def test_cost_subtracts_the_saved_share_of_cached_tokens() -> None:
    """A cached token costs its share of the price, and every other token the whole price."""
    spent = Spent(requests=2, sent=10_000, cached=8_000)

    assert spent.cost(1.0) == 5.0
    assert spent.cost(0.25) == (2_000 + 8_000 * 0.25) / 2 / 1_000
    assert spent.cost(0.0) == 1.0


def test_written_token_of_a_summary_costs_five_read_ones() -> None:
    """The cost of summaries is that of all calls, spread over the requests, at the share of the price."""
    spent = Spent(requests=10, calls=[CallTokens(read=20_000, written=700), CallTokens(5_000, 1_300)])

    assert spent.summaries(1.0) == (25_000 + 5 * 2_000) / 10 / 1_000
    assert spent.summaries(0.2) == spent.summaries(1.0) / 5


def test_calls_of_the_summarizing_model_are_counted() -> None:
    """The sums of a session have the calls of its way."""
    call = CallTokens(20_000, 700)

    assert run([[SYSTEM, FIRST]], Replay(call), WINDOW).calls == [call]
