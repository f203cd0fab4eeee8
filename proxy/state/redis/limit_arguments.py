"""The keys and the arguments of the ledger's scripts, and the reading of their replies."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from math import inf

from proxy.state.external.sealed_entries import EntrySealer
from proxy.state.limits import gcra
from proxy.state.limits.claims import Claims, Settlement, SpendClaim, Verdict
from proxy.state.limits.periods import kept_s
from proxy.state.limits.spend_book import AccountSpend
from proxy.state.redis.connection import Command, Reply
from proxy.state.redis.limit_scripts import ADMIT, SETTLE
from proxy.state.redis.scripts import Call
from sanitizers.record import record

_MICRO = 1_000_000
"""Microseconds in a second."""


@record
class Sender:
    """A process that writes its numbers: its random name, the number of its batch, steady time and Unix time."""

    process: str
    version: int
    now: float
    wall: float


def spend_name(sealer: EntrySealer, spend: AccountSpend | SpendClaim) -> str:
    """Return the server's name for the spend of an account in a period."""
    return sealer.spend_names[spend.account, spend.period.name]


def admit_call(claims: Claims, spends: Sequence[AccountSpend], sealer: EntrySealer, sender: Sender) -> Call:
    """Return the call that asks for *claims*, with this process's numbers for each of their *spends*."""
    keys, numbers = list[str](), list[int]()
    for rate in claims.rates:
        keys.append(sealer.rate_names[rate.bucket.name])
        numbers += (gcra.cost_us(rate.bucket, rate.amount), rate.bucket.window_us)
    for place in claims.parallel:
        keys.append(sealer.place_names[place.name])
        numbers += (place.most, int(place.lifetime_s * _MICRO))
    for claim, spend in zip(claims.spends, spends, strict=True):
        keys.append(sealer.spend_names[spend.account, spend.period.name])
        limit = -1 if claim.limit_nano is None else claim.limit_nano
        numbers += (limit, claim.reserve_nano, int(claim.lifetime_s * _MICRO), spend.others_nano)
        numbers += own_arguments(spend, sender)
    kinds = len(claims.rates), len(claims.parallel), len(claims.spends)
    return ADMIT, _join(keys, claims.id, sender, (*kinds, *numbers))


def settle_call(
    settlement: Settlement, spends: Sequence[AccountSpend], sealer: EntrySealer, sender: Sender
) -> Call:
    """Return the call that ends a request, with this process's numbers for each of its *spends*."""
    rates, places = settlement.rates, settlement.parallel
    keys, numbers = list[str](), list[int]()
    for change in rates:
        keys.append(sealer.rate_names[change.bucket.name])
        numbers += (gcra.cost_us(change.bucket, change.claimed), gcra.cost_us(change.bucket, change.used))
    for place in places:
        keys.append(sealer.place_names[place.name])
    for spend in spends:
        keys.append(sealer.spend_names[spend.account, spend.period.name])
        numbers += own_arguments(spend, sender)
    kinds = len(rates), len(places), len(spends)
    return SETTLE, _join(keys, settlement.id, sender, (*kinds, *numbers))


def write_call(spends: Iterable[AccountSpend], sealer: EntrySealer, sender: Sender) -> Call:
    """Return the call that writes this process's numbers of *spends*."""
    written = list(spends)
    keys, numbers = list[str](), list[int]()
    for spend in written:
        keys.append(spend_name(sealer, spend))
        numbers += own_arguments(spend, sender)
    return SETTLE, _join(keys, "", sender, (0, 0, len(written), *numbers))


def own_arguments(spend: AccountSpend, sender: Sender) -> tuple[int, ...]:
    """Return this process's numbers of *spend*, as the scripts read them."""
    left_s = spend.reserved_until - sender.now
    return (
        spend.nano,
        spend.estimated,
        spend.tokens,
        spend.requests,
        spend.reserved,
        int(left_s * _MICRO) if left_s > 0 else 0,
        int(1_000 * kept_s(spend.period, sender.wall)),
    )


def kept_ms(spend: AccountSpend, wall: float) -> int:
    """Return the milliseconds for which the server keeps *spend*."""
    return int(1_000 * kept_s(spend.period, wall))


def read_verdict(reply: Reply, claims: Claims) -> Verdict | None:
    """Return the verdict in *reply*. None for an error, and for a batch that a frozen server read too late."""
    rates, spends = len(claims.rates), len(claims.spends)
    waits = 1 + rates + len(claims.parallel) + spends
    if reply.__class__ is not list or len(reply) != waits + rates + spends:
        return None
    numbers = tuple(map(int, reply))
    waits_s = tuple([wait and (inf if wait < 0 else wait / _MICRO) for wait in numbers[1:waits]])
    return Verdict(numbers[0] == 1, waits_s, numbers[waits : waits + rates], numbers[waits + rates :])


def _join(keys: list[str], id_: str, sender: Sender, numbers: tuple[int, ...]) -> Command:
    """Return the keys with their number, and the arguments. The numbers are doubles, as Lua has them."""
    packed = struct.pack(f">{len(numbers) + 1}d", sender.version, *numbers)
    return (len(keys), *keys, id_, sender.process, packed)
