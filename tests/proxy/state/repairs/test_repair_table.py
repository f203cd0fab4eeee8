"""Tests of the evidence of all clients for one deployment: whose evidence counts for whom, and how much is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.repairs import repair_table as module
from proxy.state.repairs.repair_key import RepairKey
from proxy.state.repairs.repair_table import EMPTY, EventKind, RepairEvent, RepairTable, Standing

NOW = 1_700_000_000.0
DAY = 86_400.0
CLIENTS = "abc"


def key_of(feature: str = "temperature", *, loosens: bool = False) -> RepairKey:
    """Return the name of a repair."""
    return RepairKey("parameter", feature, f"unsupported parameter: '{feature}'", loosens)


KEY = key_of()


def event(
    kind: EventKind, client: str, key: RepairKey = KEY, conversation: str = "", at: float = NOW
) -> RepairEvent:
    """Return an observation."""
    return RepairEvent(kind, client, key, at, conversation)


def table_of(events: Iterable[RepairEvent], table: RepairTable = EMPTY) -> RepairTable:
    """Return *table* with *events*."""
    return reduce(RepairTable.add, events, table)


def confirming(client: str, conversations: int, key: RepairKey = KEY) -> list[RepairEvent]:
    """Return the observations of that many *conversations* that needed the repair."""
    return [event(EventKind.CONFIRMED, client, key, str(number)) for number in range(conversations)]


def contradicting(client: str, times: int) -> list[RepairEvent]:
    """Return contradictions, with a confirmed probe behind each, so that none is the second in a row."""
    kinds = [EventKind.CONTRADICTED, EventKind.PROBE_CONFIRMED] * times
    return [event(kind, client) for kind in kinds]


def counts(table: RepairTable, client: str, key: RepairKey = KEY, now: float = NOW) -> tuple[float, float]:
    """Return the confirmations and contradictions that count for *client*."""
    standing = table.standing(client, key, now)
    return standing.confirmed, standing.contradicted


@pytest.mark.parametrize(
    ("events", "for_itself", "for_another"),
    [
        (confirming("a", 2), (2, 0), (2, 0)),
        (confirming("a", 20), (20, 0), (3, 0)),
        (contradicting("a", 2), (0, 2), (0, 2)),
        (contradicting("a", 20), (0, 20), (0, 3)),
        (confirming("a", 20) + contradicting("a", 20), (20, 20), (3, 3)),
        (confirming("a", 20) + confirming("b", 20), (23, 0), (23, 0)),
        (confirming("a", 20) + contradicting("c", 20), (20, 3), (3, 3)),
    ],
)
def test_client_counts_fully_for_itself_and_up_to_three_for_others(
    events: list[RepairEvent], for_itself: tuple[int, int], for_another: tuple[int, int]
) -> None:
    """The pairs are the confirmations and contradictions that count for the clients "a" and "b"."""
    table = table_of(events)
    assert (counts(table, "a"), counts(table, "b")) == (for_itself, for_another)


@pytest.mark.parametrize(
    ("confirmations", "loosens", "is_learned"),
    [
        ({"a": 4}, False, True),
        ({"a": 3}, False, False),
        ({"other": 100}, False, False),
        ({"other": 100, "a": 1}, False, True),
        ({"other": 3, "another": 1}, False, True),
        ({"a": 14}, True, False),
        ({"a": 15}, True, True),
        ({f"other {number}": 100 for number in range(4)}, True, False),
        ({f"other {number}": 100 for number in range(5)}, True, True),
    ],
)
def test_enough_evidence_for_a_client(confirmations: dict[str, int], loosens: bool, is_learned: bool) -> None:
    """No other client alone is enough for "a". A repair that loosens an answer's form needs more."""
    key = key_of(loosens=loosens)
    table = table_of(
        each for client, number in confirmations.items() for each in confirming(client, number, key)
    )
    assert table.standing("a", key, NOW).is_learned(key) is is_learned


def test_client_whose_probes_dropped_the_repair_stands_alone() -> None:
    """Others' evidence counts for it no more, and is not changed. Its own counts from then on, also for others."""
    dropping = [event(EventKind.CONTRADICTED, "a")] * 2
    table = table_of([*confirming("a", 20), *confirming("b", 20), *dropping])
    assert (counts(table, "a"), counts(table, "b"), counts(table, "c")) == ((0, 0), (20, 0), (3, 0))
    table = table_of(confirming("a", 4), table)
    assert (counts(table, "a"), counts(table, "b"), counts(table, "c")) == ((4, 0), (23, 0), (6, 0))


def test_evidence_decays_before_it_is_limited_to_three() -> None:
    """The evidence of each client decays from its own time."""
    table = table_of([*confirming("a", 8), event(EventKind.CONFIRMED, "b", at=NOW + 7 * DAY)])
    assert counts(table, "c", now=NOW + 7 * DAY) == (4, 0) == (3 + 1, 0)
    assert counts(table, "c", now=NOW + 14 * DAY) == (2 + 0.5, 0)


def test_since_is_the_first_confirmation_that_counts() -> None:
    """Without a confirmation it is the present time."""
    table = table_of([event(EventKind.CONTRADICTED, "a"), event(EventKind.CONFIRMED, "b", at=NOW + 5)])
    assert table.standing("a", KEY, NOW + 9).since == NOW + 5
    assert table.standing("a", key_of("other"), NOW + 9) == Standing(0, 0, 0, NOW + 9)


def test_forgotten_repair_has_no_evidence_of_any_client() -> None:
    """Other repairs keep theirs."""
    other = key_of("seed")
    table = table_of([*confirming("a", 4), *confirming("b", 4), *confirming("a", 1, other)])
    forgotten = table.add(event(EventKind.FORGOTTEN, ""))
    assert list(forgotten.repairs()) == [other]
    assert list(table.repairs()) == [KEY, other], "a table is never changed in place"


def test_client_with_too_many_repairs_loses_the_one_with_the_least_evidence() -> None:
    """Faults that occur once push out each other, the oldest first, and no repair that is learned."""
    table = table_of([*confirming("a", 4), *confirming("a", 1, key_of("seed"))])
    for number in range(30):
        table = table.add(event(EventKind.CONFIRMED, "a", key_of(f"once {number}"), at=NOW + number))
    left = [key.feature for key in table.repairs()]
    assert left == ["temperature", *(f"once {number}" for number in range(19, 30))]


def test_old_evidence_is_less_than_new_evidence() -> None:
    """Decayed evidence is pushed out, although it was more once. A dropped repair counts for two observations."""
    dropped, old = key_of("dropped"), confirming("a", 4)
    table = table_of([*old, *[event(EventKind.CONTRADICTED, "a", dropped, at=NOW + 21 * DAY)] * 2])
    for number in range(11):
        table = table.add(event(EventKind.CONFIRMED, "a", key_of(f"once {number}"), at=NOW + 21 * DAY))
    left = list(table.repairs())
    assert (KEY in left, dropped in left, len(left)) == (False, True, 12)


def test_newest_repair_is_kept_where_all_others_have_more_evidence() -> None:
    """Otherwise a client with twelve learned repairs would learn no other one."""
    table = table_of(each for number in range(12) for each in confirming("a", 9, key_of(f"{number}")))
    table = table_of(confirming("a", 4), table)
    assert table.standing("a", KEY, NOW).is_learned(KEY)
    assert len(table.entries) == 12


def test_full_table_takes_nothing_from_clients_with_few_repairs() -> None:
    """A client that makes up faults takes places of clients with as many repairs as itself, and no others."""
    table = EMPTY
    for number in range(12):
        table = table_of(confirming(f"small {number}", 1), table)
    for client in range(7):
        table = table_of(
            (event(EventKind.CONFIRMED, f"large {client}", key_of(f"{n}")) for n in range(12)), table
        )
    assert len(table.entries) == 96
    table = table_of((event(EventKind.CONFIRMED, "hostile", key_of(f"{n}")) for n in range(100)), table)
    held = Counter(place.client for place in table.entries)
    assert len(table.entries) == 96
    assert [held[f"small {number}"] for number in range(12)] == [1] * 12
    assert min(held[f"large {client}"] for client in range(7)) >= 10
    assert held["hostile"] <= 12


def test_new_client_takes_the_place_of_the_one_that_was_silent_for_longest() -> None:
    """Every client has a single entry, so none has the most."""
    table = table_of(event(EventKind.CONFIRMED, f"{number}") for number in range(96))
    table = table_of([event(EventKind.PROBE_CONFIRMED, "0"), event(EventKind.CONFIRMED, "new")], table)
    assert {place.client for place in table.entries} == {
        "0",
        "new",
        *(f"{number}" for number in range(2, 96)),
    }


def events_of(
    clients: str, features: str, kinds: Iterable[EventKind]
) -> st.SearchStrategy[list[RepairEvent]]:
    """Return a strategy for observations of the clients and repairs that single letters name, in any order."""
    return st.lists(
        st.builds(
            RepairEvent,
            st.sampled_from(list(kinds)),
            st.sampled_from(clients),
            st.sampled_from([key_of(feature) for feature in features]),
            st.floats(NOW, NOW + 30 * DAY),
            st.sampled_from("12345678"),
        ),
        max_size=80,
    )


OBSERVED = [EventKind.CONFIRMED, EventKind.PROBE_CONFIRMED, EventKind.CONTRADICTED]


@given(events_of("abcdefgh", "12345", EventKind))
def test_any_events_keep_the_table_in_its_bounds(events: list[RepairEvent]) -> None:
    """A client never has too many entries, nor do all together. A client takes a place only of one that has as many."""
    table = EMPTY
    with mock.patch.multiple(module, _MAX_PER_CLIENT=4, MAX_ENTRIES=10):
        for each in events:
            before, table = table, table.add(each)
            held = Counter(place.client for place in table.entries)
            assert len(table.entries) <= 10
            assert max(held.values(), default=0) <= 4
            if each.kind is EventKind.FORGOTTEN:
                continue
            assert (each.client, each.key) in table.entries
            lost = before.entries.keys() - table.entries.keys()
            assert len(lost) <= 1
            assert all(
                place.client == each.client or held[place.client] + 1 >= held[each.client] for place in lost
            )


@given(events_of(CLIENTS, "12", OBSERVED))
def test_any_events_of_one_client_change_the_counts_for_others_by_three_at_most(
    events: list[RepairEvent],
) -> None:
    """Without the events of "a", no count for "b" is higher, or lower by more than three."""
    now = NOW + 30 * DAY
    table, without = table_of(events), table_of(each for each in events if each.client != "a")
    for key in table.repairs():
        for client in ("b", "newcomer"):
            for changed, before in zip(
                counts(table, client, key, now), counts(without, client, key, now), strict=True
            ):
                assert -1e-9 <= changed - before <= 3 + 1e-9
            assert 0 <= table.standing(client, key, now).confidence <= 1


@given(events_of(CLIENTS, "123", OBSERVED), events_of(CLIENTS, "4", EventKind))
def test_events_of_one_repair_change_no_other(before: list[RepairEvent], events: list[RepairEvent]) -> None:
    """Neither the own evidence for another repair changes, nor what counts for a client."""
    table = table_of(before)
    after = table_of(events, table)
    for key in table.repairs():
        for client in (*CLIENTS, "newcomer"):
            assert after.evidence(client, key) == table.evidence(client, key)
            assert after.standing(client, key, NOW) == table.standing(client, key, NOW)
