"""Tests of the parts of ``benchmarks/limits`` that start no process: the bucket, the bills, the wires and the goals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.limits.asking import Ask
from benchmarks.limits.bill import Account, Prices, Usage
from benchmarks.limits.bucket import ExactBucket, count_granted, most_granted
from benchmarks.limits.goals import at_least, at_most, exactly, missed, render, within
from benchmarks.limits.plans import LEAVE_SHARE, random_asks
from benchmarks.limits.provider import OPENAI, PRICES, BillingProvider
from benchmarks.limits.texts import MESSAGE_TOKENS, TAG_TOKENS, count_prompt, find_number, tagged
from benchmarks.limits.wires import Answer, AnthropicMessages, BillingWire, GeminiContents, OpenAIChat

ANSWER = Answer(["time year ", "life hand ", "part "], Usage(100, 5, cached=40, written=0))
STEP_S = 0.5


def test_full_bucket_gives_its_capacity_at_once_and_then_the_rate() -> None:
    bucket = ExactBucket(60, Fraction(1, 6))

    assert [bucket.take(0.0) for _ in range(11)] == [0.0] * 10 + [1.0]
    assert bucket.take(1.0) == 0.0
    assert bucket.take(1.0) == 1.0


def test_refusal_takes_nothing() -> None:
    bucket = ExactBucket(60, Fraction(1, 6))

    assert bucket.take(0.0, 11) == 1.0
    assert bucket.take(0.0, 10) == 0.0


def test_small_limit_lets_one_request_in() -> None:
    bucket = ExactBucket(1, Fraction(1, 10))

    assert (bucket.take(0.0), bucket.take(0.0)) == (0.0, 60.0)


@given(st.integers(1, 40), st.sampled_from(["0.1", "0.5", "1"]), st.integers(1, 20))
def test_constant_overload_is_granted_what_the_bucket_gives(per_minute: int, burst: str, steps: int) -> None:
    """A full bucket is asked for at each step, and the count is the whole part of what the bucket gives."""
    times = [step * STEP_S for step in range(steps)]
    arrivals = [at for at in times for _ in range(per_minute)]

    granted = count_granted(arrivals, per_minute, Fraction(burst))

    assert granted == int(most_granted(times[-1], per_minute, Fraction(burst)) + 1e-6)


@given(st.lists(st.floats(0, 100), max_size=30), st.integers(1, 300))
def test_no_order_of_arrivals_is_granted_more_than_the_bucket_gives(
    arrivals: list[float], limit: int
) -> None:
    granted = count_granted(arrivals, limit)

    assert granted <= most_granted(max(arrivals, default=0.0), limit) + 1e-6


@pytest.mark.parametrize(
    ("usage", "nano"),
    [
        (Usage(0, 0), 0),
        (Usage(1_000_000, 0), 2 * 10**9),
        (Usage(0, 1_000_000), 8 * 10**9),
        (Usage(10, 0, cached=10), 5_000),
        (Usage(10, 1, cached=4, written=1), 10_000 + 8_000 + 2_000 + 2_500),
        (Usage(1, 0, cached=1), 500),
    ],
)
def test_cached_tokens_are_billed_once(usage: Usage, nano: int) -> None:
    assert usage.nano_usd(Prices("2", "8", "0.5", "2.5")) == nano


@pytest.mark.parametrize(("cached", "nano"), [(1, 313), (2, 625), (3, 938)])
def test_each_bill_is_rounded_up(cached: int, nano: int) -> None:
    assert Usage(cached, 0, cached=cached).nano_usd(Prices("1.25", "10", "0.3125")) == nano


def test_account_tells_said_bills_from_others() -> None:
    account = Account(PRICES)
    for number, said in ((1, True), (2, False), (1, True)):
        account.add(number, OPENAI, Usage(number, 0), said=said)

    assert (account.exact_nano(), account.unsaid_nano()) == (4_000, 4_000)
    assert (account.exact_nano([1]), account.unsaid_nano([2])) == (0, 0)
    assert (account.tokens(), account.tokens([1])) == (4, 2)


def test_prompt_of_a_request_is_found_again() -> None:
    ask = Ask(70, "a", OPENAI, prompt_words=12)
    text = ask.body()["messages"][0]["content"]

    assert find_number(text) == 70
    assert count_prompt(text) == 12 + TAG_TOKENS + MESSAGE_TOKENS
    assert find_number("no tag") is None
    assert tagged(3, "x") == "[3] x"


def said_usages(events: Iterator[tuple[bytes, int]]) -> list[Any]:
    """Return all usages that the events of a stream say."""
    found = []
    for event, _ in events:
        data = event.decode().partition("data: ")[2].strip()
        value = {} if data == "[DONE]" else json.loads(data)
        value = value.get("message", value)
        found += [value[name] for name in ("usage", "usageMetadata") if name in value]
    return found


@pytest.mark.parametrize(
    ("wire", "says", "usages"),
    [
        (OpenAIChat(), False, []),
        (OpenAIChat(), True, [(100, 5)]),
        (AnthropicMessages(), True, [(60, 1), (None, 5)]),
        (GeminiContents(), True, [(100, 2), (100, 4), (100, 5)]),
    ],
)
def test_stream_says_its_usage_where_the_real_wire_does(
    wire: BillingWire, says: bool, usages: list[tuple[int | None, int]]
) -> None:
    names = (
        ("prompt_tokens", "completion_tokens"),
        ("input_tokens", "output_tokens"),
        ("promptTokenCount", "candidatesTokenCount"),
    )
    found = []
    for said in said_usages(wire.stream(ANSWER, says_usage=says)):
        first, last = next(pair for pair in names if pair[1] in said)
        found.append((said.get(first), said[last]))

    assert found == usages


@pytest.mark.parametrize("wire", [OpenAIChat(), AnthropicMessages(), GeminiContents()])
def test_stream_carries_each_piece_once(wire: BillingWire) -> None:
    events = list(wire.stream(ANSWER, says_usage=True))
    places = [place for _, place in events]

    assert places == sorted(places)
    assert places[-1] == 3
    assert b"".join(event for event, _ in events).count(b"life hand") == 1


def test_same_seed_gives_the_same_requests() -> None:
    found = []
    for _ in range(2):
        provider = BillingProvider()
        asks = list(random_asks(provider, ["a", "b"], 400, Random(7)))
        found.append((asks, provider.plans))

    assert found[0] == found[1]
    left = sum(ask.leave_after is not None for ask in found[0][0])
    assert 0.5 * LEAVE_SHARE * 400 < left < 1.5 * LEAVE_SHARE * 400


def test_goals_are_met_up_to_their_bounds() -> None:
    met = [exactly("a", 3, 3), within("b", 101, 100, 0.01), at_most("c", 3, 3), at_least("d", 3, 3)]
    not_met = [exactly("a", 4, 3), within("b", 102, 100, 0.01), at_most("c", 4, 3), at_least("d", 2, 3)]

    assert missed([*met, *not_met]) == not_met
    assert [one.goal for one in met] == ["3", "99 to 101", "≤ 3", "≥ 3"]
    assert render(not_met).count("**missed**") == 4
