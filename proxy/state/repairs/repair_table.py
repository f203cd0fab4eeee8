"""The evidence of all clients for the repairs of one deployment, and the repairs that follow from it.

A client's own evidence counts fully for its own requests. For others, no client counts for more than three
confirmations, or three contradictions. A client stands under a digest of its key's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from math import inf
from typing import NamedTuple

from proxy.state.repairs.evidence import Evidence, confidence
from proxy.state.repairs.repair_key import RepairKey
from sanitizers.record import record

LEAST = 0.7
"""The least confidence of a repair that loses nothing. Four confirmations and no contradiction reach it."""

LEAST_LOOSENING = 0.9
"""The least confidence of a repair that loosens the form of an answer. Fifteen confirmations reach it."""

_MOST_FOR_OTHERS = 3.0
_MAX_PER_CLIENT = 12
MAX_ENTRIES = 96
"""The most entries of one client, and of all clients. The stored form of 96 entries is below 64 KiB."""


class EventKind(StrEnum):
    """The kinds of evidence."""

    CONFIRMED = "confirmed"
    PROBE_CONFIRMED = "probe_confirmed"
    CONTRADICTED = "contradicted"
    FORGOTTEN = "forgotten"


@record
class RepairEvent:
    """One observation of one client, at the Unix time *at*. *conversation* is a digest, or empty."""

    kind: EventKind
    client: str
    key: RepairKey
    at: float
    conversation: str = ""


class Place(NamedTuple):
    """The place of an entry in a table."""

    client: str
    key: RepairKey


class Standing(NamedTuple):
    """The evidence for one repair as it counts for one client."""

    confirmed: float
    contradicted: float
    confidence: float
    since: float

    def is_learned(self, key: RepairKey) -> bool:
        """Return True where the evidence is enough to make the repair in advance."""
        return self.confidence >= (LEAST_LOOSENING if key.loosens else LEAST)


@record
class RepairTable:
    """The evidence for one deployment. The *entries* stand in the order of their last change."""

    entries: Mapping[Place, Evidence]

    def add(self, event: RepairEvent) -> RepairTable:
        """Return the table with *event*."""
        if event.kind is EventKind.FORGOTTEN:
            left = {place: held for place, held in self.entries.items() if place.key != event.key}
            return RepairTable(left)
        place, now = Place(event.client, event.key), event.at
        held = self.entries.get(place, Evidence(at=now, probed_at=now))
        if event.kind is EventKind.CONFIRMED:
            held = held.confirm(event.conversation, now)
        elif event.kind is EventKind.PROBE_CONFIRMED:
            held = held.confirm_probe(now)
        else:
            held = held.contradict(now)
        return RepairTable(_bounded({**_without(self.entries, place), place: held}, now))

    def not_after(self, now: float) -> RepairTable:
        """Return the table with *now* in the place of every later time."""
        return RepairTable({place: held.not_after(now) for place, held in self.entries.items()})

    def repairs(self) -> Iterator[RepairKey]:
        """Yield each repair for which there is evidence, once."""
        yield from dict.fromkeys(place.key for place in self.entries)

    def evidence(self, client: str, key: RepairKey) -> Evidence | None:
        """Return the client's own evidence, or None."""
        return self.entries.get(Place(client, key))

    def probed_at(self, key: RepairKey, now: float) -> float:
        """Return the time of the newest probe of any client, or *now* without one."""
        return max((held.probed_at for place, held in self.entries.items() if place.key == key), default=now)

    def standing(self, client: str, key: RepairKey, now: float) -> Standing:
        """Return the evidence for *key* as it counts for *client* at *now*."""
        entries = {place: held for place, held in self.entries.items() if place.key == key}
        found = RepairTable(entries).standings(client, now)
        return found.get(key, Standing(0.0, 0.0, 0.0, now))

    def standings(self, client: str, now: float) -> dict[RepairKey, Standing]:
        """Return the evidence for every repair as it counts for *client* at *now*."""
        return {key: tally.standing(client, now) for key, tally in self._tallies(now).items()}

    def standings_of_all(self, now: float) -> Iterator[tuple[Place, Evidence, Standing]]:
        """Yield each entry, with its counts as of *now*, and the evidence as it counts for the entry's client."""
        tallies = self._tallies(now)
        for place in self.entries:
            tally = tallies[place.key]
            yield place, tally.counts[place.client], tally.standing(place.client, now)

    def _tallies(self, now: float) -> dict[RepairKey, _Tally]:
        """Return the evidence of all clients for each repair. Reading each entry once keeps a full table cheap."""
        tallies: dict[RepairKey, _Tally] = {}
        for place, held in self.entries.items():
            tally = tallies.get(place.key)
            if tally is None:
                tally = tallies[place.key] = _Tally()
            tally.add(place.client, held.decayed(now), now)
        return tallies


class _Tally:
    """The evidence of all clients for one repair: each client's counts, and what they come to for a client of none."""

    __slots__ = ("confirmed", "contradicted", "counts", "since")

    def __init__(self) -> None:
        self.counts: dict[str, Evidence] = {}
        self.confirmed = 0.0
        self.contradicted = 0.0
        self.since = inf

    def add(self, client: str, counts: Evidence, now: float) -> None:
        """Add the counts of one client."""
        self.counts[client] = counts
        self.confirmed += min(counts.confirmed, _MOST_FOR_OTHERS)
        self.contradicted += min(counts.contradicted, _MOST_FOR_OTHERS)
        self.since = min(self.since, counts.since or now)

    def standing(self, client: str, now: float) -> Standing:
        """Return the evidence as it counts for *client*: its own in full, and that of others up to the most."""
        own = self.counts.get(client)
        if own is None:
            return _standing(self.confirmed, self.contradicted, self.since)
        if own.is_alone:
            return _standing(own.confirmed, own.contradicted, min(own.since or now, now))
        return _standing(
            own.confirmed + max(0.0, self.confirmed - min(own.confirmed, _MOST_FOR_OTHERS)),
            own.contradicted + max(0.0, self.contradicted - min(own.contradicted, _MOST_FOR_OTHERS)),
            self.since,
        )


def _standing(confirmed: float, contradicted: float, since: float) -> Standing:
    return Standing(confirmed, contradicted, confidence(confirmed, contradicted), since)


EMPTY = RepairTable({})


def _without(entries: Mapping[Place, Evidence], place: Place) -> dict[Place, Evidence]:
    return {other: held for other, held in entries.items() if other != place}


def _bounded(entries: dict[Place, Evidence], now: float) -> dict[Place, Evidence]:
    """Return *entries* without one entry of the newest entry's client, if that client has too many.

    Where all clients together have too many, the client with the most entries loses one. It is the entry with the least
    evidence, and never the one that changed last. So faults that occur once push out no repair that is learned.
    """
    by_client: dict[str, list[Place]] = {}
    for place in entries:
        by_client.setdefault(place.client, []).append(place)
    places = by_client[next(reversed(entries)).client]
    if len(places) <= _MAX_PER_CLIENT:
        if len(entries) <= MAX_ENTRIES:
            return entries
        places = max(by_client.values(), key=len)
    del entries[min(places[:-1] or places, key=lambda place: entries[place].weight(now))]
    return entries
