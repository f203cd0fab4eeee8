"""A request that was admitted. It ends once: by being settled with what it used, or by being released."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from proxy.state.limits.claims import Change, Claims, Refusal, Settlement, Standing, correct
from proxy.state.limits.ledger import FEW_PLACES
from proxy.state.limits.limit_table import HolderLimits
from proxy.state.limits.spend_book import AccountSpend


class Admitting(Protocol):
    """The limiter, as an admission needs it."""

    async def raise_claims(self, admission: Admission, nano_usd: int) -> Refusal | None:
        """Raise the reserved money of *admission* to *nano_usd*."""

    def end(self, admission: Admission, settlement: Settlement) -> None:
        """Hand on the *settlement* of *admission*, which has ended."""

    async def arrive(self, id_: str) -> None:
        """Wait until other processes can see that the place of the request *id_* is free."""


class Admission:
    """The place of one request within the limits of its key and team.

    *claims* were granted. *charged* are the accounts of the key and its team, which pay for the request.
    """

    __slots__ = (
        "_limiter",
        "charged",
        "claims",
        "has_ended",
        "holders",
        "is_in_ledger",
        "reserved_nano",
        "standing",
        "until",
    )

    def __init__(
        self,
        limiter: Admitting,
        claims: Claims,
        holders: Sequence[HolderLimits],
        charged: Sequence[AccountSpend],
        standing: Standing,
    ) -> None:
        self._limiter = limiter
        self.claims = claims
        self.holders = holders
        self.charged = charged
        self.standing = standing
        self.reserved_nano = claims.spends[0].reserve_nano if claims.spends else 0
        """The money that the request has reserved. 0 without a spend limit."""

        self.until = 0.0
        """The steady clock's time at which the request has surely ended."""

        self.is_in_ledger = True
        """False where this process admitted the request alone, since the store could not be reached."""

        self.has_ended = False

    async def raise_to(self, nano_usd: int) -> Refusal | None:
        """Reserve *nano_usd* in all, where that is more than what is reserved. Return the refusal if it does not fit.

        What was reserved before stays reserved then.
        """
        if not self.claims.spends or nano_usd <= self.reserved_nano or self.has_ended:
            return None
        return await self._limiter.raise_claims(self, nano_usd)

    def settle(self, *, nano_usd: int, estimated_nano: int, tokens: int) -> None:
        """Charge what the request used, and give back the rest. Never raises, and does not wait.

        *nano_usd* is all that the request cost, *estimated_nano* the part of it that is estimated. A second call does
        nothing, nor does a call after :meth:`release`.
        """
        if not self.has_ended:
            for spend in self.charged:
                spend.add(nano_usd, estimated_nano, tokens, 1)
            self._end(tokens, requests=1)

    def release(self) -> None:
        """Give everything back, since no call was made. Never raises, and does not wait."""
        if not self.has_ended:
            self._end(0, requests=0)

    async def free_place(self) -> None:
        """Wait until other processes can see that the place of this request is free, for a moment at most.

        The request has ended before. Only requests with few places wait, as
        :meth:`proxy.state.limits.ledger.Ledger.arrive` says.
        """
        if self.is_in_ledger:
            for place in self.claims.parallel:
                if place.most <= FEW_PLACES:
                    await self._limiter.arrive(self.claims.id)
                    return

    def _end(self, tokens: int, requests: int) -> None:
        self.has_ended = True
        claims = self.claims
        changes: tuple[Change, ...] = ()
        for rate in claims.rates:
            used, name = requests, rate.bucket.name
            for holder in self.holders:
                if holder.tokens is not None and holder.tokens.name == name:
                    used = tokens
            if used != rate.amount and (change := correct(rate, used)) is not None:
                changes += (change,)
        self._limiter.end(self, Settlement(claims.id, changes, claims.parallel, claims.spends))
