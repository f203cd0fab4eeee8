"""The claims of a request on the limits of its key and team, and the answers to them. Money is in 10⁻⁹ dollars."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from proxy.state.limits.periods import Period
from sanitizers.record import record

Kind: TypeAlias = Literal["requests", "tokens", "parallel", "budget"]
Holder: TypeAlias = Literal["key", "team"]

MINUTE_US = 60_000_000

_MOST_DEBT_MINUTES = 24 * 60
"""The longest debt of one request, in minutes of the limit.

A provider may report any number of tokens. A wrong one would block the key for good.
"""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A limit of rate: *per_minute* of something, of which an idle bucket holds *capacity*.

    The name is the same in every process.
    """

    name: str
    per_minute: int
    capacity: int
    window_us: int = field(init=False, repr=False, compare=False)
    """The microseconds that the whole bucket takes to fill."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "window_us", self.capacity * MINUTE_US // self.per_minute or 1)


@record
class RateClaim:
    """A claim of *amount* from *bucket*."""

    bucket: Bucket
    amount: int


@record
class ParallelClaim:
    """A claim of a place among the *most* requests that may run at once under *name*.

    The place is free again after *lifetime_s* seconds, even where its process has died.
    """

    name: str
    most: int
    lifetime_s: float


@record
class SpendClaim:
    """A claim of *reserve_nano* from what *account* may spend in *period*.

    *limit_nano* is None for an account without a spend limit. A reservation that is neither settled nor released within
    *lifetime_s* seconds is charged.
    """

    account: str
    period: Period
    limit_nano: int | None
    reserve_nano: int
    lifetime_s: float


@record
class Claims:
    """All claims of one request. *id* is unique among all processes."""

    id: str
    rates: tuple[RateClaim, ...] = ()
    parallel: tuple[ParallelClaim, ...] = ()
    spends: tuple[SpendClaim, ...] = ()


@record
class Verdict:
    """The answer to claims. Nothing was taken unless every claim fits.

    *waits_s* has the seconds until each claim may fit, in the order rates, parallel, spends. 0 means that the claim
    fits, and infinity that time alone does not help. *used_us* has for each rate the microseconds until its bucket is
    full again. *spent_nano* has the spend of each account, without reservations.
    """

    granted: bool
    waits_s: tuple[float, ...]
    used_us: tuple[int, ...]
    spent_nano: tuple[int, ...]


@record
class Change:
    """A change of the amount that was claimed from *bucket*: *used* of it was used in place of *claimed*."""

    bucket: Bucket
    claimed: int
    used: int


def correct(rate: RateClaim, used: int) -> Change | None:
    """Return the correction of *rate*, of which *used* was used, or None where the claim was right."""
    used = min(used, rate.amount + _MOST_DEBT_MINUTES * rate.bucket.per_minute)
    return None if used == rate.amount else Change(rate.bucket, rate.amount, used)


@record
class Settlement:
    """The end of a request: its place is free, and its buckets have what was really used.

    The spend stands in the :class:`proxy.state.limits.spend_book.SpendBook` already.
    """

    id: str
    rates: tuple[Change, ...] = ()
    parallel: tuple[ParallelClaim, ...] = ()
    spends: tuple[SpendClaim, ...] = ()


@record
class DeploymentClaim:
    """The claim of one call on the limits of its deployment."""

    tokens: RateClaim | None
    """None where the deployment has no limit of tokens."""

    is_in_ledger: bool
    """False where this process granted the claim alone."""


@record
class Need:
    """The needs of a request: the most tokens and money that it may use, and the seconds until it has surely ended."""

    tokens: int
    nano_usd: int
    lifetime_s: float


@record
class Standing:
    """The rest of the limits of requests and tokens: the tightest of key and team. None where there is no limit.

    The resets are the seconds until the bucket is full again.
    """

    limit_requests: int | None = None
    remaining_requests: int | None = None
    reset_requests_s: float | None = None
    limit_tokens: int | None = None
    remaining_tokens: int | None = None
    reset_tokens_s: float | None = None


@record
class Refusal:
    """The refusal of a request: the limit that refuses, and the seconds until the request may fit.

    *wait_s* is infinite where time does not help. *most* is the whole limit, where the request asks for more tokens or
    10⁻⁹ dollars than that. It never fits then. Otherwise *most* is None.
    """

    kind: Kind
    holder: Holder
    wait_s: float
    most: int | None = None
    standing: Standing | None = None


@record
class Unavailable:
    """The store cannot be reached, and the configuration asks to refuse requests then (``limits.on_store_down``)."""


@record
class KeyTotals:
    """The spend of a key or a team in the current *period*, over all processes.

    *spent_nano* includes *estimated_nano*, the part that no provider confirmed. *reserved_nano* is what the running
    requests may cost. *resets_in_s* is None where the period never ends.
    """

    period: str
    resets_in_s: float | None
    spent_nano: int
    estimated_nano: int
    reserved_nano: int
    tokens: int
    requests: int
    limit_nano: int | None
