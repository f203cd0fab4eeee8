"""Tests of the end of an admitted request."""

from __future__ import annotations

from proxy.state.limits.admission import Admission
from proxy.state.limits.claims import Change, Claims, Refusal, Settlement, Standing
from proxy.state.limits.limit_table import LimitTable
from proxy.state.limits.spend_book import AccountSpend
from tests.support.limited_keys import FOREVER, bucket, limited, money, place, rate


class Limiter:
    """Keeps what admissions hand on."""

    def __init__(self) -> None:
        self.ended: list[Settlement] = []
        self.raised: list[int] = []

    async def raise_claims(self, admission: Admission, nano_usd: int) -> Refusal | None:
        """Note the wish, and grant it."""
        self.raised.append(nano_usd)
        admission.reserved_nano = nano_usd
        return None

    def end(self, admission: Admission, settlement: Settlement) -> None:
        """Note the end."""
        self.ended.append(settlement)

    async def arrive(self, id_: str) -> None:
        """Return at once, since nothing is on its way."""


REQUESTS, TOKENS = bucket("key:a:requests", 60), bucket("key:a:tokens", 600)
CLAIMS = Claims(
    "id", (rate("key:a:requests", 1, 60), rate("key:a:tokens", 100, 600)), (place(),), (money(50),)
)


def admitted(limiter: Limiter, claims: Claims = CLAIMS) -> tuple[Admission, AccountSpend]:
    """Return an admission and the spend that it is charged to."""
    limits = LimitTable(limited({"name": "a", "rpm_limit": 60, "tpm_limit": 600})).limits_of("a")
    assert limits is not None
    spend = AccountSpend("key:a", FOREVER)
    return Admission(limiter, claims, limits.holders, [spend], Standing()), spend


def test_settlement_charges_and_corrects_the_tokens_alone() -> None:
    limiter = Limiter()
    admission, spend = admitted(limiter)
    admission.settle(nano_usd=30, estimated_nano=10, tokens=70)

    assert (spend.nano, spend.estimated, spend.tokens, spend.requests) == (30, 10, 70, 1)
    assert limiter.ended == [Settlement("id", (Change(TOKENS, 100, 70),), CLAIMS.parallel, CLAIMS.spends)]


def test_debt_of_one_request_is_at_most_a_day_of_the_limit() -> None:
    limiter = Limiter()
    admission, spend = admitted(limiter)
    admission.settle(nano_usd=0, estimated_nano=0, tokens=2**53)

    assert spend.tokens == 2**53 - 1
    assert limiter.ended[0].rates == (Change(TOKENS, 100, 100 + 24 * 60 * 600),)


def test_release_gives_back_the_request_too() -> None:
    limiter = Limiter()
    admission, spend = admitted(limiter)
    admission.release()

    assert (spend.nano, spend.requests) == (0, 0)
    [settlement] = limiter.ended
    assert settlement.rates == (Change(REQUESTS, 1, 0), Change(TOKENS, 100, 0))


def test_use_as_claimed_changes_no_bucket() -> None:
    limiter = Limiter()
    admitted(limiter)[0].settle(nano_usd=0, estimated_nano=0, tokens=100)

    assert [each.rates for each in limiter.ended] == [()]


async def test_only_a_higher_reservation_is_asked_for() -> None:
    limiter = Limiter()
    admission, _ = admitted(limiter)
    for nano in (10, 50, 51, 51, 60):
        assert await admission.raise_to(nano) is None

    assert limiter.raised == [51, 60]


async def test_ended_request_reserves_nothing_more() -> None:
    limiter = Limiter()
    admission, _ = admitted(limiter)
    admission.release()
    assert await admission.raise_to(1_000) is None

    assert limiter.raised == []
