"""The limits of each key: its own and those of its team, from the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from proxy.config.schema.keys import Limited
from proxy.config.schema.settings import Settings
from proxy.state.limits.claims import Bucket, Holder, Kind, RateClaim


@dataclass(frozen=True, slots=True)
class HolderLimits:
    """The limits of one key or one team. *account* is the name that its buckets, places and spend are kept under."""

    holder: Holder
    account: str
    requests: Bucket | None
    tokens: Bucket | None
    parallel: int | None
    budget_nano: int | None
    budget_duration: str | None
    one_request: RateClaim | None = field(init=False, repr=False, compare=False)
    """The claim of one request, which is the same for all requests."""

    places: str = field(init=False, repr=False, compare=False)
    """The name of the places of parallel requests."""

    def __post_init__(self) -> None:
        one_request = None if self.requests is None else RateClaim(self.requests, 1)
        object.__setattr__(self, "one_request", one_request)
        object.__setattr__(self, "places", f"{self.account}:parallel")

    @property
    def is_limited(self) -> bool:
        """True where any limit is set."""
        limits = (self.requests, self.tokens, self.parallel, self.budget_nano)
        return any(limit is not None for limit in limits)


@dataclass(frozen=True, slots=True)
class KeyLimits:
    """The limits that hold for the requests of one key, those of its team included."""

    holders: tuple[HolderLimits, ...]
    """The key and its team, without those that have no limit."""

    claims: tuple[tuple[Kind, Holder], ...]
    """The limit that each claim of a request is for: rates, parallel requests, spend."""

    counts_tokens: bool
    """True where a request needs to know how many tokens it may use."""

    limits_requests_alone: bool
    """True where the requests a minute are the only limit."""

    has_budget: bool
    """True where a request needs to know what it may cost."""

    largest_tokens: int | None
    """The most tokens that one request can ever get. None without a limit of tokens."""

    largest_nano: int | None
    """The most that one request can ever cost, in 10⁻⁹ dollars. None without a spend limit."""

    holder_of_tokens: Holder = field(init=False)
    """The owner of the limit that :attr:`largest_tokens` is from."""

    def __post_init__(self) -> None:
        owners = [
            each.holder
            for each in self.holders
            if each.tokens is not None and each.tokens.capacity == self.largest_tokens
        ]
        object.__setattr__(self, "holder_of_tokens", next(iter(owners), "key"))


class LimitTable:
    """The limits of all keys of *settings*."""

    def __init__(self, settings: Settings) -> None:
        general, burst = settings.general_settings, settings.limits.burst
        self.on_store_down = settings.limits.on_store_down
        self.teams: Mapping[str, HolderLimits] = {
            team.name: _limits_of("team", team.name, team, burst) for team in general.teams
        }
        self.keys: Mapping[str, HolderLimits] = {
            key.name: _limits_of("key", key.name, key, burst) for key in general.keys
        }
        self._accounts: Mapping[str, tuple[HolderLimits, ...]] = {
            key.name: (self.keys[key.name], *(self.teams[name] for name in [key.team] if name in self.teams))
            for key in general.keys
        }
        self._limits = {name: _join(holders) for name, holders in self._accounts.items()}
        self._others = (_limits_of("key", "", None, burst),)

    def limits_of(self, key: str) -> KeyLimits | None:
        """Return the limits of the key named *key*. None where neither the key nor its team has one."""
        return self._limits.get(key)

    def holders_of(self, key: str) -> tuple[HolderLimits, ...]:
        """Return the key named *key* and its team: those whom a request of the key is charged to.

        Every name without a key of its own is the master key's.
        """
        return self._accounts.get(key, self._others)

    def all_holders(self) -> tuple[HolderLimits, ...]:
        """Return all keys and teams, the master key included."""
        return (*self.keys.values(), *self.teams.values(), *self._others)


def _limits_of(holder: Holder, name: str, limited: Limited | None, burst: float) -> HolderLimits:
    account = f"{holder}:{name}"
    if limited is None:
        return HolderLimits(holder, account, None, None, None, None, None)
    return HolderLimits(
        holder,
        account,
        _bucket(f"{account}:requests", limited.rpm_limit, burst),
        _bucket(f"{account}:tokens", limited.tpm_limit, burst),
        limited.max_parallel_requests,
        limited.budget_nano,
        limited.budget_duration,
    )


def _bucket(name: str, per_minute: int | None, burst: float) -> Bucket | None:
    if per_minute is None:
        return None
    return Bucket(name, per_minute, max(1, int(per_minute * burst)))


def _join(accounts: tuple[HolderLimits, ...]) -> KeyLimits | None:
    holders = tuple(each for each in accounts if each.is_limited)
    if not holders:
        return None
    tokens = [each.tokens.capacity for each in holders if each.tokens is not None]
    budgets = [each.budget_nano for each in holders if each.budget_nano is not None]
    return KeyLimits(
        holders,
        _claims_of(holders),
        bool(tokens),
        all(kind == "requests" for kind, _ in _claims_of(holders)),
        bool(budgets),
        min(tokens, default=None),
        min(budgets, default=None),
    )


def _claims_of(holders: tuple[HolderLimits, ...]) -> tuple[tuple[Kind, Holder], ...]:
    rates: list[tuple[Kind, Holder]] = []
    places: list[tuple[Kind, Holder]] = []
    spends: list[tuple[Kind, Holder]] = []
    for each in holders:
        if each.requests is not None:
            rates.append(("requests", each.holder))
        if each.tokens is not None:
            rates.append(("tokens", each.holder))
        if each.parallel is not None:
            places.append(("parallel", each.holder))
        if each.budget_nano is not None:
            spends.append(("budget", each.holder))
    return (*rates, *places, *spends)
