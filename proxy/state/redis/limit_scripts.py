"""The scripts of the ledger on a Redis or Valkey server. The server's clock is the only one, in whole microseconds.

    PREFIX:1:{limits}:rate:DIGEST     the time at which a bucket is full again
    PREFIX:1:{limits}:places:DIGEST   the running requests, by the time at which each has surely ended
    PREFIX:1:{limits}:spend:DIGEST    the entries of all processes (:mod:`proxy.state.limits.spend_entry`)
    PREFIX:1:{limits}:replicas        the processes, by the time of their last sign of life

Lua writes a number with 14 digits by itself, and a time has 16. So numbers are written with ``%.0f``.
"""

from __future__ import annotations

from proxy.state.redis.scripts import make_script

KEPT_MS = 48 * 3_600_000
"""Milliseconds for which buckets and places are kept. Servers that evict what expires first then keep them long."""

REPLICA_S = 15
"""Seconds without a sign of life after which a process no longer counts."""

_BEGIN = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local id, process, numbers, at = ARGV[1], ARGV[2], ARGV[3], 1
local function argument()
  local number
  number, at = struct.unpack('>d', numbers, at)
  return number
end
local version, rates, places, spends = argument(), argument(), argument(), argument()
local function text(number) return string.format('%.0f', number) end
local ENTRY = '^(%d+) (%d+) (%d+) (%d+) (%d+) ([%d-]+) (%d+)$'
local function own_entry(key)
  local standing, _, _, _, _, reserved, expires = string.match(redis.call('HGET', key, process) or '', ENTRY)
  return tonumber(standing or '-1'), tonumber(reserved or '0') or 0, tonumber(expires or '0')
end
local function read_own()
  local own = {nano = argument(), estimated = argument(), tokens = argument(), requests = argument()}
  own.reserved, own.expires, own.lifetime_ms = argument(), now + argument(), argument()
  return own
end
local function write_own(key, own)
  redis.call('HSET', key, process, table.concat({text(version), text(own.nano), text(own.estimated),
    text(own.tokens), text(own.requests), text(own.reserved), text(own.expires)}, ' '))
  redis.call('PEXPIRE', key, own.lifetime_ms)
end
"""
"""Reads the arguments that both scripts begin with. All numbers are doubles in one string, which is quick to write.

The version numbers the batches of a process, and its batches come in order. So the first write of a batch sets the
reserved money, and later writes of the same batch add to it. A write of an older batch, which a frozen server makes
late, changes nothing.
"""

_ADMIT = (
    _BEGIN
    + """
local out, granted = {1}, true
local tats, used, spent, owned = {}, {}, {}, {}
local function answer(wait)
  if wait ~= 0 then granted = false end
  out[#out + 1] = wait
end
for i = 1, rates do
  local cost, window = argument(), argument()
  local tat = math.max(now, tonumber(redis.call('GET', KEYS[i]) or '0') or 0)
  tats[i], used[i] = tat + cost, tat - now
  answer(math.max(0, tat + cost - now - window))
end
for i = rates + 1, rates + places do
  local most = argument()
  tats[i] = now + argument()
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', text(now))
  answer(redis.call('ZCARD', KEYS[i]) < most and 0 or 1000000)
end
for i = rates + places + 1, rates + places + spends do
  local key, limit, reserve, until_us, known = KEYS[i], argument(), argument(), now + argument(), argument()
  local own = read_own()
  local standing, own_reserved, expires = own_entry(key)
  if standing > version then return {} end
  if standing == version then own.reserved, own.expires = own_reserved, expires end
  local others, reserved, all = 0, 0, redis.call('HGETALL', key)
  for j = 1, #all, 2 do
    local number, nano, estimated, tokens, requests, held, ends = string.match(all[j + 1], ENTRY)
    if number and all[j] ~= process then
      held = tonumber(held) or 0
      others = others + tonumber(nano)
      if held > 0 and tonumber(ends) <= now then
        others = others + held
        redis.call('HSET', key, all[j], table.concat({number, text(nano + held), text(estimated + held), tokens,
          requests, '-', ends}, ' '))
      else
        reserved = reserved + held
      end
    end
  end
  others = math.max(others, known)
  spent[#spent + 1] = others + own.nano
  answer((limit < 0 or others + own.nano + reserved + own.reserved + reserve <= limit) and 0 or -1)
  owned[i] = {own = own, reserve = reserve, until_us = until_us}
end
for i = 1, rates do
  if granted then
    redis.call('SET', KEYS[i], text(tats[i]), 'PX', """
    + str(KEPT_MS)
    + """)
    used[i] = tats[i] - now
  end
  out[#out + 1] = used[i]
end
if granted then
  for i = rates + 1, rates + places do
    redis.call('ZADD', KEYS[i], text(tats[i]), id)
    redis.call('PEXPIRE', KEYS[i], """
    + str(KEPT_MS)
    + """)
  end
else
  out[1] = 0
end
for i, each in pairs(owned) do
  if granted then
    each.own.reserved = each.own.reserved + each.reserve
    each.own.expires = math.max(each.own.expires, each.until_us)
  end
  write_own(KEYS[i], each.own)
end
for _, nano in ipairs(spent) do out[#out + 1] = nano end
return out
"""
)
"""Grants all claims or none. Returns whether it did, a wait for each claim, the use of each bucket, and the spend."""

_SETTLE = (
    _BEGIN
    + """
for i = rates + 1, rates + places do redis.call('ZREM', KEYS[i], id) end
for i = 1, rates do
  local claimed, used = argument(), argument()
  local tat = math.max(now, tonumber(redis.call('GET', KEYS[i]) or '0') or 0)
  redis.call('SET', KEYS[i], text(math.max(now, tat + used - claimed)), 'PX', """
    + str(KEPT_MS)
    + """)
end
for i = rates + places + 1, rates + places + spends do
  local own = read_own()
  local standing, own_reserved, expires = own_entry(KEYS[i])
  if standing == version then own.reserved, own.expires = own_reserved, expires end
  if standing <= version then write_own(KEYS[i], own) end
end
return 1
"""
)
"""Frees places, corrects buckets, and writes the entries of one process. A server that is full still frees places."""

_MEET = f"""
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - {REPLICA_S * 1_000_000}))
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
redis.call('PEXPIRE', KEYS[1], {KEPT_MS})
local out = redis.call('ZRANGE', KEYS[1], 0, -1)
table.insert(out, 1, string.format('%.0f', now))
return out
"""
"""Gives a sign of life. Returns the server's time, and the names of all processes that live."""

_LEAVE = "return redis.call('ZREM', KEYS[1], ARGV[1])"
"""Says that the process ends, so that the others count one less at once."""

_RESTORE = """
local gone = tonumber(ARGV[2])
for i = 3, 2 + gone do redis.call('HDEL', KEYS[1], ARGV[i]) end
for i = 3 + gone, #ARGV, 2 do
  local stands = redis.call('HGET', KEYS[1], ARGV[i]) or ''
  local standing, standing_held = string.match(stands, '^(%d+) %d+ %d+ %d+ %d+ ([%d-]+) %d+$')
  local number, held = string.match(ARGV[i + 1], '^(%d+) %d+ %d+ %d+ %d+ ([%d-]+) %d+$')
  standing, number = tonumber(standing or '-1'), tonumber(number)
  if number > standing or number == standing and held == '-' and standing_held ~= '-' then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
"""
"""Writes entries of other processes that a store has lost. An entry that is as new stands."""

_FOLD = """
local ENTRY = '^(%d+) (%d+) (%d+) (%d+) (%d+) [%d-]+ (%d+)$'
local sums = {string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '0 0 0 0 0 0 0', ENTRY)}
if #sums == 0 then return 0 end
local folded = 0
for i = 2, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then
    local _, nano, estimated, tokens, requests, seen = string.match(ARGV[i + 1], ENTRY)
    sums[2], sums[3], sums[4], sums[5] = sums[2] + nano, sums[3] + estimated, sums[4] + tokens, sums[5] + requests
    sums[6] = math.max(sums[6], seen)
    redis.call('HDEL', KEYS[1], ARGV[i])
    folded = folded + 1
  end
end
if folded > 0 then
  sums[1] = sums[1] + 1
  for i = 1, 6 do sums[i] = string.format('%.0f', sums[i]) end
  redis.call('HSET', KEYS[1], ARGV[1], table.concat(sums, ' ', 1, 5) .. ' 0 ' .. sums[6])
end
return folded
"""
"""Adds entries to the one of all folded processes, and deletes them. An entry that has changed meanwhile stands."""

ADMIT, SETTLE, MEET, LEAVE, RESTORE, FOLD = map(
    make_script, (_ADMIT, _SETTLE, _MEET, _LEAVE, _RESTORE, _FOLD)
)
