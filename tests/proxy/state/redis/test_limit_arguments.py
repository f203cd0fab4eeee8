"""Tests of the arguments of the ledger's scripts, and of their replies."""

from __future__ import annotations

import struct
from math import inf

import pytest

from proxy.state.external.sealed_entries import EntrySealer
from proxy.state.limits.claims import Claims, Verdict
from proxy.state.limits.periods import Period
from proxy.state.limits.spend_book import AccountSpend, SpendBook
from proxy.state.redis.connection import Reply, ReplyError
from proxy.state.redis.limit_arguments import (
    Sender,
    admit_call,
    kept_ms,
    own_arguments,
    read_verdict,
    settle_call,
    spend_name,
)
from proxy.state.redis.limit_scripts import ADMIT, SETTLE
from tests.support.limited_keys import FOREVER, money, place, rate, settled

SEALER = EntrySealer("tr", b"s" * 32)
SENDER = Sender("p", 7, now=100.0, wall=1_000.0)
CLAIMS = Claims("id", (rate(amount=2), rate("c")), (place(most=3, lifetime_s=1.5),), (money(5, limit=None),))


def unpack(numbers: str | bytes | int) -> list[int]:
    """Return the numbers that a script reads out of one argument."""
    assert isinstance(numbers, bytes)
    return [int(number) for (number,) in struct.iter_unpack(">d", numbers)]


def test_claims_are_keys_and_numbers_in_their_order() -> None:
    book = SpendBook()
    spend = book.spend_of("key:a", FOREVER)
    spend.add(9, 4, 3, 2)
    spend.reserve(8, 102.5)
    spend.others_nano = 6
    script, arguments = admit_call(CLAIMS, [spend], SEALER, SENDER)
    keys = arguments[1:5]

    assert script is ADMIT
    assert keys == (
        SEALER.limit_name("rate", "b"),
        SEALER.limit_name("rate", "c"),
        SEALER.limit_name("places", "p"),
        spend_name(SEALER, spend),
    )
    assert arguments[0] == 4
    assert arguments[5:7] == ("id", "p")
    numbers = unpack(arguments[7])
    assert numbers[:4] == [7, 2, 1, 1]
    assert numbers[4:10] == [20_000_000, 60_000_000, 10_000_000, 60_000_000, 3, 1_500_000]
    assert numbers[10:] == [-1, 5, 60_000_000, 6, *own_arguments(spend, SENDER)]
    assert own_arguments(spend, SENDER)[:6] == (9, 4, 3, 2, 8, 2_500_000)


def test_settlement_has_what_was_claimed_and_used() -> None:
    script, arguments = settle_call(
        settled(CLAIMS, {"b": 1}), [SpendBook().spend_of("key:a", FOREVER)], SEALER, SENDER
    )

    assert script is SETTLE
    numbers = unpack(arguments[7])
    assert numbers[:8] == [7, 2, 1, 1, 20_000_000, 10_000_000, 10_000_000, 10_000_000]
    assert len(numbers) == 8 + 7


def test_period_has_a_name_of_its_own() -> None:
    names = {
        spend_name(SEALER, AccountSpend(account, Period(period, None)))
        for account in ("key:a", "team:a")
        for period in ("2026-11", "2026-12")
    }
    assert len(names) == 4


def test_spend_is_kept_for_35_days_after_its_period() -> None:
    assert kept_ms(AccountSpend("key:a", Period("p", 1_060.0)), 1_000.0) == 60_000 + 35 * 86_400_000


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ([1, 0, 0, 0, 0, 7, 8, 9], Verdict(True, (0.0, 0.0, 0.0, 0.0), (7, 8), (9,))),
        (
            [0, 1_500_000, 0, 1_000_000, -1, 7, 8, 10**15],
            Verdict(False, (1.5, 0.0, 1.0, inf), (7, 8), (10**15,)),
        ),
        ([], None),
        (ReplyError("OOM"), None),
        (None, None),
    ],
    ids=["granted", "refused", "too late", "error", "nothing"],
)
def test_reply_is_read(reply: Reply, verdict: Verdict | None) -> None:
    assert read_verdict(reply, CLAIMS) == verdict
