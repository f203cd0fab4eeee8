"""The exchange of spend between processes: each writes its own entries, reads the others', and restores what was lost.

A process remembers the entries of all others. So the totals of a process that has died survive a store that was emptied
or restored from an old copy (litellm#30684).
"""

from __future__ import annotations

from collections.abc import Sequence

from proxy.state.external.sealed_entries import EntrySealer
from proxy.state.limits.spend_book import AccountSpend
from proxy.state.limits.spend_entry import SpendEntry, read_entry, write_entry
from proxy.state.redis.connection import Command, Reply
from proxy.state.redis.connections import RedisConnections
from proxy.state.redis.limit_arguments import Sender, kept_ms, spend_name, write_call
from proxy.state.redis.limit_scripts import LEAVE, MEET, RESTORE
from proxy.state.redis.scripts import Call, run_commands, run_scripts


async def exchange_spend(
    connections: RedisConnections, sealer: EntrySealer, sender: Sender, spends: Sequence[AccountSpend]
) -> int:
    """Write and read *spends*, and give a sign of life. Return the number of processes that live.

    Raises :class:`proxy.state.external.backend.StoreFault`.
    """
    calls: list[Call] = [(MEET, _replicas(sealer, sender))]
    unwritten = [spend for spend in spends if not spend.is_written]
    changes = [spend.changes for spend in unwritten]
    if unwritten:
        calls.append(write_call(unwritten, sealer, sender))
    met, *wrote = await run_scripts(connections, calls)
    if wrote == [1]:
        for spend, count in zip(unwritten, changes, strict=True):
            spend.written = count
    now_us, living = _read_met(met)
    commands: list[Command] = [("HGETALL", spend_name(sealer, spend)) for spend in spends]
    replies = await run_commands(connections, commands)
    restores: list[Call] = []
    for spend, reply in zip(spends, replies, strict=True):
        if isinstance(reply, list):
            restores += _compare(spend, _read_entries(reply), now_us, sealer, sender)
    if restores:
        await run_scripts(connections, restores)
    return living


async def leave(connections: RedisConnections, sealer: EntrySealer, sender: Sender) -> None:
    """Count no longer among the processes that live."""
    await run_scripts(connections, [(LEAVE, _replicas(sealer, sender))])


def _replicas(sealer: EntrySealer, sender: Sender) -> Command:
    return (1, sealer.limit_name("replicas"), sender.process)


def _read_met(reply: Reply) -> tuple[int, int]:
    """Return the server's time in microseconds, and the number of processes."""
    if not isinstance(reply, list) or not reply:
        return 0, 1
    return int(reply[0]), len(reply) - 1


def _read_entries(reply: Sequence[bytes]) -> dict[str, SpendEntry]:
    """Return the entries that can be read, by their processes."""
    found = {}
    for field, value in zip(reply[::2], reply[1::2], strict=False):
        entry = read_entry(value)
        if entry is not None and field.isascii():
            found[field.decode()] = entry
    return found


def _compare(
    spend: AccountSpend,
    stands: dict[str, SpendEntry],
    now_us: int,
    sealer: EntrySealer,
    sender: Sender,
) -> list[Call]:
    """Remember the entries of other processes. Return the calls that restore what the store has lost."""
    calls: list[Call] = []
    own = stands.pop(sender.process, None)
    if spend.changes and (own is None or not _is_own(own, spend)):
        calls.append(write_call([spend], sealer, sender))
    lost = {
        process: entry for process, entry in spend.others.items() if entry.is_newer_than(stands.get(process))
    }
    spend.see(stands | lost, now_us)
    if lost:
        fields = [part for process, entry in lost.items() for part in (process, write_entry(entry))]
        calls.append((RESTORE, (1, spend_name(sealer, spend), kept_ms(spend, sender.wall), 0, *fields)))
    return calls


def _is_own(entry: SpendEntry, spend: AccountSpend) -> bool:
    """Return True where *entry* has this process's numbers. Another process may have restored older ones."""
    known = (spend.nano, spend.estimated, spend.tokens, spend.requests, spend.reserved)
    return known == (entry.nano, entry.estimated, entry.tokens, entry.requests, entry.reserved)
