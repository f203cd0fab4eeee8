"""The scripts that change the accounts on a Redis or Valkey server: their entries, sizes and last uses.

An account has a sorted set of its entries by their last use (``ACCOUNT:uses``), and a hash of their sizes
(``ACCOUNT:sizes``). A sorted set has the bytes of all accounts. The server's clock is the only one. Each script changes
all of this at once, so that replicas agree on the bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from proxy.state.external.backend import ENTRY_BYTES, AccountChange
from proxy.state.redis.connection import Command
from proxy.state.redis.scripts import make_script

CLEARED_AT_ONCE = 500
"""The most entries that one call of the script deletes."""

_FORGET = """
local totals = KEYS[3]
local function forget(account, name)
  redis.call('UNLINK', name)
  local size = redis.call('HGET', account .. ':sizes', name)
  redis.call('ZREM', account .. ':uses', name)
  if size then
    redis.call('HDEL', account .. ':sizes', name)
    redis.call('ZINCRBY', totals, -tonumber(size), account)
  end
end
local function oldest_of(account)
  local name = redis.call('ZRANGE', account .. ':uses', 0, 0)[1]
  if not name then redis.call('ZREM', totals, account) end
  return name
end
"""
"""Functions of the scripts. A deletion comes first, since a server that is full takes a script that began with one."""

_CHANGE = (
    _FORGET
    + """
local account, lifetime_ms = ARGV[1], tonumber(ARGV[2])
local most, most_in_all, extra = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local kind, entries, removed = ARGV[6], tonumber(ARGV[9]), tonumber(ARGV[10])
if kind ~= 'any' then
  local stands = redis.call('GET', ARGV[7])
  if kind == 'none' and stands or kind == 'value' and stands ~= ARGV[8] then return 0 end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local uses, sizes = KEYS[1], KEYS[2]
for i = 1, entries do
  local name, value = ARGV[9 + 2 * i], ARGV[10 + 2 * i]
  redis.call('SET', name, value, 'PX', lifetime_ms)
  local size = #value + extra
  local before = tonumber(redis.call('HGET', sizes, name) or '0')
  redis.call('HSET', sizes, name, size)
  redis.call('ZADD', uses, string.format('%.0f', now), name)
  redis.call('ZINCRBY', totals, size - before, account)
end
for i = 1, removed do forget(account, ARGV[10 + 2 * entries + i]) end
if entries == 0 then return 1 end
local expired = string.format('(%.0f', now - lifetime_ms)
for _, name in ipairs(redis.call('ZRANGEBYSCORE', uses, '-inf', expired, 'LIMIT', 0, 200)) do
  forget(account, name)
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, lifetime_ms) end
for _ = 1, 1000 do
  if tonumber(redis.call('ZSCORE', totals, account) or '0') <= most then break end
  local name = oldest_of(account)
  if not name then break end
  forget(account, name)
end
for _ = 1, 1000 do
  local all, sum, largest, bytes = redis.call('ZRANGE', totals, 0, -1, 'WITHSCORES'), 0, nil, 0
  for i = 1, #all, 2 do
    local size = tonumber(all[i + 1])
    sum = sum + size
    if size >= bytes then largest, bytes = all[i], size end
  end
  if sum <= most_in_all or not largest then break end
  local name = oldest_of(largest)
  if name then forget(largest, name) end
end
return 1
"""
)

_RENEW = """
local account, lifetime_ms = ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
for i = 3, #ARGV do
  if redis.call('PEXPIRE', ARGV[i], lifetime_ms) == 1 then
    redis.call('ZADD', KEYS[1], 'XX', now, ARGV[i])
  end
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, lifetime_ms) end
return 1
"""

_CLEAR = (
    _FORGET
    + f"""
local account = ARGV[1]
local names = redis.call('ZRANGE', KEYS[1], 0, {CLEARED_AT_ONCE - 1})
for _, name in ipairs(names) do forget(account, name) end
if #names == 0 then
  redis.call('UNLINK', KEYS[1], KEYS[2])
  redis.call('ZREM', totals, account)
end
return #names
"""
)


CHANGE, RENEW, CLEAR = make_script(_CHANGE), make_script(_RENEW), make_script(_CLEAR)


def change_arguments(change: AccountChange) -> Command:
    """Return the keys and the arguments of :data:`CHANGE`."""
    kind, name, value = "any", "", b""
    if change.expected is not None:
        kind = "none" if change.expected.value is None else "value"
        name, value = change.expected.name, change.expected.value or b""
    lifetime_s = max((entry.lifetime_s for entry in change.entries), default=1.0)
    written = [part for entry in change.entries for part in (entry.name, entry.value)]
    return (
        *_keys(change.account),
        change.account,
        milliseconds(lifetime_s),
        *change.bounds,
        ENTRY_BYTES,
        kind,
        name,
        value,
        len(change.entries),
        len(change.removed),
        *written,
        *change.removed,
    )


def renew_arguments(account: str, names: Sequence[str], lifetime_s: float) -> Command:
    """Return the keys and the arguments of :data:`RENEW`."""
    return (*_keys(account), account, milliseconds(lifetime_s), *names)


def clear_arguments(account: str) -> Command:
    """Return the keys and the arguments of :data:`CLEAR`."""
    return (*_keys(account), account)


def milliseconds(lifetime_s: float) -> int:
    """Return the lifetime in whole milliseconds, at least one. The server refuses 0."""
    return max(1, math.ceil(lifetime_s * 1_000))


def _keys(account: str) -> Command:
    """Return the number of the keys that a script gets, and the keys."""
    totals = account.rpartition("{")[0] + "totals"
    return 3, f"{account}:uses", f"{account}:sizes", totals
