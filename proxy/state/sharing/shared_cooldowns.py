"""Shares the cooldowns that providers ask for between replicas, through a :class:`proxy.state.Store`.

Requests never wait for the store. A request changes an :class:`~proxy.resilience.account_cooldown.AccountCooldown`, and
a background task (:mod:`proxy.state.sharing.replica_sync`) calls the methods here. :meth:`SharedCooldowns.poll` reads
what the other replicas have published. :meth:`SharedCooldowns.write` publishes what providers told this replica. It
also takes and lets go the leases of probes.

A cooldown that stands is replaced only by a longer one. The entry tells only the seconds that were left when it was
written, which is the most that can be left now. A new cooldown replaces the entry only if it is at least as long. Where
this replica knew the entry already, it subtracts the time since it first read the entry.

A store that fails returns nothing, as for a missing entry. So each poll also asks for a marker, an entry that always
stands. Without the marker, nothing follows from a missing entry. Where the store cannot say who has a lease, the
replica decides alone, as without other replicas.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from secrets import token_hex
from weakref import WeakValueDictionary

from proxy.core.deployment import Deployment
from proxy.resilience.account_cooldown import AccountCooldown
from proxy.resilience.probe_lease import LEASE_S, Phase
from proxy.state import Store
from proxy.state.deployment_identity import account_identity_of
from proxy.state.sharing.cooldown_entry import Closed, Cooldown, Entry, read_entry, write_entry
from proxy.state.sharing.replica_sync import SyncSource
from proxy.state.spaces import COOLDOWNS, PROBES

MAX_ACCOUNTS = 2_000
"""The most accounts that one reading asks for. With more accounts, the readings take turns.

Clients may name a thousand models of a wildcard (:data:`proxy.resilience.balancer.MAX_WILDCARD_MODELS`). The configured
deployments are read each second all the same.
"""

_MARKER = "marker"
_NO_TENANT = ""
_CLOSED_S = 60.0
"""Seconds for which the mark of an ended cooldown stands in the store. Each replica reads the mark within a second."""

_PERIOD_S = 1.0
_LEAST_S = 1.0
_TRIES = 3
"""Attempts to replace an entry that other replicas change at the same time."""


class SharedCooldowns:
    """The cooldowns of all accounts that this process uses. *token* returns random texts, for ids and leases."""

    def __init__(self, store: Store, token: Callable[[], str] = lambda: token_hex(8)) -> None:
        self.changed = asyncio.Event()
        """Set where :meth:`write` has something to do at once. The caller clears it before the call."""

        self._store = store
        self._token = token
        self._accounts: WeakValueDictionary[str, AccountCooldown] = WeakValueDictionary()
        self._busy: dict[str, AccountCooldown] = {}
        self._next = 0
        self._lock = (
            asyncio.Lock()
        )  # otherwise a reading from before a write could be applied after the write

    def account_of(self, deployment: Deployment) -> AccountCooldown:
        """Return the cooldown of the deployment's account. It is forgotten when no circuit follows it any more."""
        name = account_identity_of(deployment)
        account = self._accounts.get(name)
        if account is None:
            account = self._accounts[name] = AccountCooldown(name, self._wake)
        return account

    def sources(self) -> tuple[SyncSource, ...]:
        """Return the sources that :class:`proxy.state.sharing.replica_sync.ReplicaSync` has to call."""
        return (
            SyncSource("cooldowns", self.poll, _PERIOD_S),
            SyncSource("probes", self.write, _PERIOD_S, self.changed),
        )

    async def poll(self, now: float) -> None:
        """Read what the other replicas have published. To be called once a second."""
        async with self._lock:
            accounts = self._accounts_in_turn()
            if not accounts:
                return
            names = [_MARKER, *(account.name for account in accounts)]
            values = await self._store.get(COOLDOWNS, names, tenant=_NO_TENANT)
            answered = _MARKER in values
            for account in accounts:
                _apply(account, read_entry(values.get(account.name)), now, is_certain=answered)
            if not answered:
                await self._store.put(COOLDOWNS, {_MARKER: b"1"}, tenant=_NO_TENANT, absent_only=True)

    async def write(self, now: float) -> None:
        """Publish what has changed, and take, renew or let go leases.

        To be called once a second, and when :attr:`changed` is set.
        """
        async with self._lock:
            for account in list(self._busy.values()):
                await self._write(account, now)
                if not account.is_used and account.lease.phase is Phase.NONE:
                    account.lease.drop()  # nobody is left whose wish it was
                if not account.is_busy(now):
                    del self._busy[account.name]

    async def close(self) -> None:
        """Let all leases go, so that other replicas need not wait until the leases expire."""
        async with self._lock:
            for account in list(self._busy.values()):
                if account.lease.token:
                    await self._let_go(account)

    def _wake(self, account: AccountCooldown) -> None:
        self._busy[account.name] = account
        self.changed.set()

    def _accounts_in_turn(self) -> list[AccountCooldown]:
        accounts = list(self._accounts.values())
        if len(accounts) <= MAX_ACCOUNTS:
            return accounts
        start = self._next % len(accounts)
        self._next = start + MAX_ACCOUNTS
        return (accounts[start:] + accounts[:start])[:MAX_ACCOUNTS]

    async def _write(self, account: AccountCooldown, now: float) -> None:
        """Write the results of probes before their leases are let go. The next holder of a lease then knows them."""
        lease = account.lease
        if account.closing:
            await self._publish_end(account)
        if account.to_publish:
            await self._publish(account, now)
        lease.expire(now)
        if lease.phase is Phase.OVER:
            await self._let_go(account)
        elif lease.needs_renewal(now):
            token = lease.token
            await self._store.swap(PROBES, account.name, token, token, tenant=_NO_TENANT, lifetime_s=LEASE_S)
            lease.renew(now)
        elif lease.is_wanted(now):
            await self._take_lease(account, now)

    async def _publish(self, account: AccountCooldown, now: float) -> None:
        """Publish the cooldown that this replica was told of, unless a longer one stands. Then learn that one."""
        account.to_publish = False
        rest_s = account.asked_until - now
        if rest_s < _LEAST_S:
            return
        mine = Cooldown(self._token(), rest_s)
        value = write_entry(mine)
        for _ in range(_TRIES):
            standing = await self._put_absent(account, value, rest_s)
            if standing is None:
                return  # the store is down: the next readings find nothing, and publish again
            other = read_entry(standing)
            if standing != value and isinstance(other, Cooldown) and _is_longer(other, rest_s, account, now):
                _apply(account, other, now, is_certain=False)
                return
            if standing == value or await self._replace(account, standing, value, rest_s):
                account.note_published(mine.id)
                return
        account.to_publish = True

    async def _publish_end(self, account: AccountCooldown) -> None:
        """Publish that the cooldown has ended, unless another cooldown stands by now."""
        closing, account.closing = account.closing, ""
        value = write_entry(Closed(closing))
        for _ in range(_TRIES):
            standing = await self._put_absent(account, value, _CLOSED_S)
            if standing is None or standing == value:
                return
            other = read_entry(standing)
            if isinstance(other, Cooldown) and other.id != closing:
                return
            if await self._replace(account, standing, value, _CLOSED_S):
                return

    async def _take_lease(self, account: AccountCooldown, now: float) -> None:
        """Try for the lease of the probe.

        The last holder may have published a result that this replica has not read yet. So a replica that gets the lease
        reads the cooldown before it probes.
        """
        token = (self._token() + self._token()).encode()
        stands = await self._store.put(
            PROBES, {account.name: token}, tenant=_NO_TENANT, lifetime_s=LEASE_S, absent_only=True
        )
        if stands.get(account.name, token) != token:
            account.lease.deny(now)
            return
        values = await self._store.get(COOLDOWNS, [account.name], tenant=_NO_TENANT)
        account.lease.grant(token, now)
        _apply(account, read_entry(values.get(account.name)), now, is_certain=False)
        if not account.cooling or now < account.until:  # since a call has ended meanwhile
            account.lease.drop()
        if account.lease.phase is Phase.OVER:
            await self._let_go(account)

    async def _let_go(self, account: AccountCooldown) -> None:
        token = account.lease.token
        await self._store.swap(PROBES, account.name, token, None, tenant=_NO_TENANT)
        account.lease.let_go()

    async def _put_absent(self, account: AccountCooldown, value: bytes, lifetime_s: float) -> bytes | None:
        stands = await self._store.put(
            COOLDOWNS, {account.name: value}, tenant=_NO_TENANT, lifetime_s=lifetime_s, absent_only=True
        )
        return stands.get(account.name)

    async def _replace(self, account: AccountCooldown, old: bytes, new: bytes, lifetime_s: float) -> bool:
        return await self._store.swap(
            COOLDOWNS, account.name, old, new, tenant=_NO_TENANT, lifetime_s=lifetime_s
        )


def _apply(account: AccountCooldown, entry: Entry | None, now: float, *, is_certain: bool) -> None:
    """Apply the entry that stands in the store. *is_certain* is true where None means that no entry stands."""
    if isinstance(entry, Cooldown):
        if entry.id not in (account.current, account.closed):
            account.learn(entry.id, now + entry.seconds)
    elif entry is not None and entry.id == account.current:
        account.note_closed(entry.id)
    elif is_certain:
        account.note_gone(now)


def _is_longer(other: Cooldown, rest_s: float, account: AccountCooldown, now: float) -> bool:
    """Return True where *other*, which stands in the store, may last longer than *rest_s* seconds from now."""
    if other.id == account.closed:
        return False
    longest_s = other.seconds
    if other.id == account.current:
        longest_s = min(longest_s, account.learned_until - now)
    return longest_s > rest_s
