"""The exchange of spend between processes: each writes its own entries, reads the others', and restores what was lost.

A process remembers the entries of all others. So the totals of a process that has died survive a store that was emptied
or restored from an old copy (litellm#30684).

After many restarts, a period has many entries. Those of processes that have been silent for long are then folded into
one entry, whose version counts the foldings. So it is known which of two copies of the store is the older one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proxy.state.external.sealed_entries import EntrySealer
from proxy.state.limits.spend_book import AccountSpend
from proxy.state.limits.spend_entry import SpendEntry, read_entry, write_entry
from proxy.state.redis.connection import Command, Reply, ReplyError
from proxy.state.redis.connections import RedisConnections
from proxy.state.redis.limit_arguments import Sender, kept_ms, spend_name, write_call
from proxy.state.redis.limit_scripts import FOLD, LEAVE, MEET, RESTORE
from proxy.state.redis.scripts import Call, read_error, run_commands, run_scripts
from sanitizers.record import record

FOLDED = "folded"
MOST_ENTRIES = 500
"""Above this number of entries, those of silent processes are folded. A script over 500 takes 0.3 ms."""

SILENT_S = 6 * 3_600
"""Seconds since the newest write of an entry after which its process has surely ended."""

_FOLDED_AT_ONCE = 400


@record
class _Met:
    """The server's time in microseconds, and the names of the processes that live."""

    now_us: int
    living: frozenset[str]


async def exchange_spend(
    connections: RedisConnections, sealer: EntrySealer, sender: Sender, spends: Sequence[AccountSpend]
) -> int:
    """Write and read *spends*, and give a sign of life. Return the number of processes that live, at least 1.

    Raises :class:`proxy.state.external.backend.StoreFault`.
    """
    calls: list[Call] = [(MEET, _replicas(sealer, sender))]
    unwritten = [spend for spend in spends if not spend.is_written]
    changes = [spend.changes for spend in unwritten]
    if unwritten:
        calls.append(write_call(unwritten, sealer, sender))
    reply, *wrote = await run_scripts(connections, calls)
    if isinstance(reply, ReplyError):
        raise read_error(reply)
    if wrote == [1]:
        for spend, count in zip(unwritten, changes, strict=True):
            spend.written = count
    met = _read_met(reply)
    commands: list[Command] = [("HGETALL", spend_name(sealer, spend)) for spend in spends]
    repairs: list[Call] = []
    for spend, found in zip(spends, await run_commands(connections, commands), strict=True):
        if isinstance(found, list):
            repairs += _compare(spend, _read_entries(found), met, sealer, sender)
    if repairs:
        await run_scripts(connections, repairs)
    return max(1, len(met.living))


async def leave(connections: RedisConnections, sealer: EntrySealer, sender: Sender) -> None:
    """Count no longer among the processes that live."""
    await run_scripts(connections, [(LEAVE, _replicas(sealer, sender))])


def _replicas(sealer: EntrySealer, sender: Sender) -> Command:
    return (1, sealer.limit_name("replicas"), sender.process)


def _read_met(reply: Reply) -> _Met:
    assert isinstance(reply, list)
    now_us, *living = reply
    return _Met(int(now_us), frozenset(name.decode("ascii", "replace") for name in living))


def _read_entries(reply: Sequence[bytes]) -> dict[str, SpendEntry]:
    """Return the entries that can be read, by their processes."""
    found = {}
    for field, value in zip(reply[::2], reply[1::2], strict=False):
        entry = read_entry(value)
        if entry is not None and field.isascii():
            found[field.decode()] = entry
    return found


def _compare(
    spend: AccountSpend, stands: dict[str, SpendEntry], met: _Met, sealer: EntrySealer, sender: Sender
) -> list[Call]:
    """Remember the entries of other processes. Return the calls that restore what was lost, or fold what is many."""
    calls: list[Call] = []
    name = spend_name(sealer, spend)
    own = stands.pop(sender.process, None)
    if spend.changes and (own is None or not _is_own(own, spend)):
        calls.append(write_call([spend], sealer, sender))
    known, gone = spend.others, list[str]()
    foldings, known_foldings = _foldings(stands), _foldings(known)
    if foldings > known_foldings:
        known = {process: entry for process, entry in known.items() if process in stands}
    elif foldings < known_foldings:  # an old copy: processes that are alive write themselves again
        gone = [process for process in stands if process not in known]
        stands = {process: entry for process, entry in stands.items() if process in known}
    lost = {process: entry for process, entry in known.items() if entry.is_newer_than(stands.get(process))}
    spend.see(stands | lost, met.now_us)
    if lost or gone:
        fields = [part for process, entry in lost.items() for part in (process, write_entry(entry))]
        calls.append((RESTORE, (1, name, kept_ms(spend, sender.wall), len(gone), *gone, *fields)))
    elif len(stands) > MOST_ENTRIES:
        calls.append((FOLD, (1, name, FOLDED, *_find_silent(stands, met))))
    return calls


def _foldings(entries: Mapping[str, SpendEntry]) -> int:
    folded = entries.get(FOLDED)
    return 0 if folded is None else folded.version


def _find_silent(stands: Mapping[str, SpendEntry], met: _Met) -> list[str]:
    """Return the processes that have surely ended, each with its entry. An entry tells when it was written."""
    silent_since = met.now_us - SILENT_S * 1_000_000
    silent = [
        (process, write_entry(entry))
        for process, entry in stands.items()
        if entry.expires_us < silent_since
        and not entry.reserved
        and process != FOLDED
        and process not in met.living
    ]
    return [part for pair in silent[:_FOLDED_AT_ONCE] for part in pair]


def _is_own(entry: SpendEntry, spend: AccountSpend) -> bool:
    """Return True where *entry* has this process's numbers. Another process may have restored older ones."""
    known = (spend.nano, spend.estimated, spend.tokens, spend.requests, spend.reserved)
    return known == (entry.nano, entry.estimated, entry.tokens, entry.requests, entry.reserved)
