"""Tests of probes: the requests that are sent without a learned repair, to see if the fault still exists."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from proxy.state.repairs import learned_repairs as module
from proxy.state.repairs.learned_repairs import LearnedRepairs
from proxy.state.repairs.repair_key import RepairKey
from tests.proxy.state.lesson_replicas import Clock
from tests.proxy.state.repairs.teaching import GPT, KEY, SEED, found, teach

HOUR = 3_600.0

Outcome = Callable[[LearnedRepairs, str, RepairKey], None]


def confirmed(known: LearnedRepairs, tenant: str, key: RepairKey) -> None:
    """Have the target refuse the probe, and accept the repaired request."""
    known.confirm_probe(GPT, tenant, key)
    teach(known, tenant, 1, key)


def contradicted(known: LearnedRepairs, tenant: str, key: RepairKey) -> None:
    """Have the target accept the probe."""
    known.contradict(GPT, tenant, key)


def unclear(known: LearnedRepairs, tenant: str, key: RepairKey) -> None:
    """Have the target refuse the probe for another fault."""
    known.note_unclear(GPT, tenant, key)


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands in November 2023."""
    return Clock(1_700_000_000.0)


@pytest.fixture
def known(clock: Clock) -> LearnedRepairs:
    """Return a process in which two clients have learned one repair, so that it stays learned for two weeks."""
    known = LearnedRepairs(clock)
    for tenant in ("a", "b"):
        teach(known, tenant, 20)
    return known


def send(
    known: LearnedRepairs,
    outcome: Outcome = confirmed,
    tenant: str = "a",
    needed: frozenset[RepairKey] = frozenset(),
) -> list[RepairKey]:
    """Send a request, and return its probe if it is one. It needs the repairs *needed*, or all of them."""
    repairs = [each for each in known.find(GPT, tenant, "new") if not needed or each.key in needed]
    probed = [each.key for each in repairs if each.probe_due][:1]
    known.note_sent(
        GPT, tenant, [each.key for each in repairs if each.key not in probed], next(iter(probed), None)
    )
    for key in probed:
        outcome(known, tenant, key)
    return probed


def numbers_of_probes(
    known: LearnedRepairs, requests: int, outcome: Outcome = confirmed, tenant: str = "a"
) -> list[int]:
    """Send that many *requests*, and return the numbers of those that were probes, beginning with 1."""
    return [number for number in range(1, requests + 1) if send(known, outcome, tenant)]


def test_probes_become_rarer_while_the_fault_exists(known: LearnedRepairs) -> None:
    """One request in 50 is a probe, then one in 100, and so on up to one in 1,000."""
    assert numbers_of_probes(known, 3_600) == [50, 150, 350, 750, 1_550, 2_550, 3_550]


def test_client_with_few_requests_probes_by_time(known: LearnedRepairs, clock: Clock) -> None:
    """A probe is due after an hour, then after two, and so on up to 24. The client sends a request in ten minutes."""
    hours = []
    for number in range(1, 80 * 6):
        clock.now += HOUR / 6
        if send(known):
            hours.append(number / 6)
    assert hours == [1, 3, 7, 15, 31, 55, 79]


@pytest.mark.parametrize(("probes", "requests"), [(0, 50), (1, 100), (4, 800), (5, 1_000), (9, 1_000)])
def test_mended_target_is_unlearned_within_one_interval_and_a_request(
    known: LearnedRepairs, probes: int, requests: int
) -> None:
    """The probe and the request behind it are accepted. Other clients find out by their own probes."""
    for _ in range(probes):
        known.confirm_probe(GPT, "a", KEY)
    assert numbers_of_probes(known, requests + 1, contradicted) == [requests, requests + 1]
    assert (found(known), found(known, "b")) == ([], ["temperature"])


@pytest.mark.parametrize(("probes", "hours"), [(0, 1), (1, 2), (5, 24), (9, 24)])
def test_mended_target_is_unlearned_by_time(
    known: LearnedRepairs, clock: Clock, probes: int, hours: int
) -> None:
    """A client that sends a request in an hour needs one more request than the interval has hours."""
    for _ in range(probes):
        known.confirm_probe(GPT, "a", KEY)
    for _ in range(hours + 1):
        assert found(known) == ["temperature"]
        clock.now += HOUR
        send(known, contradicted)
    assert found(known) == []


def lost(known: LearnedRepairs, tenant: str, key: RepairKey) -> None:
    """Let the probe end in a timeout, or without its client."""


def test_lost_probe_is_made_again_after_a_minute(known: LearnedRepairs, clock: Clock) -> None:
    """Until then its answer is awaited, so that requests in flight are no probes too."""
    assert numbers_of_probes(known, 50, lost) == [50]
    clock.now += 59
    assert numbers_of_probes(known, 100, lost) == []
    clock.now += 1
    assert numbers_of_probes(known, 2, contradicted) == [1, 2]
    assert found(known) == []


def test_one_request_at_a_time_probes_after_a_contradiction(known: LearnedRepairs) -> None:
    known.contradict(GPT, "a", KEY)
    assert numbers_of_probes(known, 10, lost) == [1]


def test_client_without_evidence_probes_though_processes_are_replaced(
    known: LearnedRepairs, clock: Clock
) -> None:
    """Its interval begins with the newest probe or confirmation of any client, not with the process."""

    def probes_of_a_new_process() -> list[int]:
        process = LearnedRepairs(clock)
        for identity, table in known._tables.items():
            process.adopt(identity, table)
        return numbers_of_probes(process, 1, tenant="new")

    clock.now += HOUR - 1
    assert probes_of_a_new_process() == []
    clock.now += 1
    assert probes_of_a_new_process() == [1]


def test_client_that_learned_from_others_probes_as_well(known: LearnedRepairs, clock: Clock) -> None:
    """Its first request begins the interval. Its contradiction outweighs what others confirmed for it."""
    for tenant in ("new", "newer"):
        assert send(known, tenant=tenant) == []
    clock.now += HOUR - 1
    assert numbers_of_probes(known, 49, tenant="new") == [49]
    clock.now += 1
    assert send(known, contradicted, "newer") == [KEY]
    assert [found(known, tenant) for tenant in ("newer", "a", "b")] == [[], ["temperature"], ["temperature"]]


def test_each_client_probes_by_its_own_requests(known: LearnedRepairs) -> None:
    """Requests and probes of another client neither bring a probe nearer nor put it off."""
    assert numbers_of_probes(known, 40) == []
    assert numbers_of_probes(known, 60, tenant="b") == [50]
    assert numbers_of_probes(known, 20) == [10]


def test_only_requests_that_need_the_repair_count(known: LearnedRepairs) -> None:
    """Requests with another repair say nothing of this one."""
    teach(known, "a", 20, SEED)
    sent = [send(known, needed=frozenset([SEED])) for _ in range(60)]
    assert [number for number, probed in enumerate(sent, 1) if probed] == [50]
    sent = [send(known, needed=frozenset([KEY])) for _ in range(60)]
    assert [number for number, probed in enumerate(sent, 1) if probed] == [50]


def test_request_after_an_unclear_probe_is_a_probe(known: LearnedRepairs) -> None:
    """Requests are probes until an answer is clear."""
    assert numbers_of_probes(known, 52, unclear) == [50, 51, 52]
    assert send(known) == [KEY]
    assert numbers_of_probes(known, 100) == [100]


def test_request_after_a_contradiction_is_a_probe(known: LearnedRepairs) -> None:
    """If this probe is refused, the fault exists, and the interval is nearly the shortest again."""
    numbers_of_probes(known, 750)
    assert numbers_of_probes(known, 800, contradicted) == [800]
    assert numbers_of_probes(known, 301) == [1, 101, 301]


def test_confirmation_puts_off_the_next_probe(known: LearnedRepairs, clock: Clock) -> None:
    """A refusal proves the fault, as a probe does. Another process may have seen it."""
    numbers_of_probes(known, 49)
    clock.now += 1
    teach(known, "a", 1)
    assert numbers_of_probes(known, 50) == [50]


def test_repair_of_a_single_conversation_is_probed(known: LearnedRepairs) -> None:
    known.confirm(GPT, "c", [SEED], "new")
    sent = [send(known, tenant="c", needed=frozenset([SEED])) for _ in range(50)]
    assert [number for number, probed in enumerate(sent, 1) if probed] == [50]


def test_clock_that_is_set_back_leads_to_one_probe(known: LearnedRepairs, clock: Clock) -> None:
    """The probe's outcome has the right time, so the usual interval follows."""
    clock.now -= 365 * 24 * HOUR
    assert numbers_of_probes(known, 120) == [1, 101]


def test_client_with_many_repairs_takes_no_counts_of_another(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """The client with most counts loses its oldest one, so the other client's probe is not put off."""
    monkeypatch.setattr(module, "_CAPACITY", 8)
    known = LearnedRepairs(clock)
    teach(known, "a", 20)
    numbers_of_probes(known, 30)
    for number in range(50):
        known.note_sent(GPT, "many", [KEY._replace(feature=f"{number}")], None)
    assert numbers_of_probes(known, 20) == [20]
    assert len(known._sent) == 8


def test_lost_counts_do_not_end_probes_by_time(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """A client whose counts do not all fit still probes each of its repairs once an hour."""
    monkeypatch.setattr(module, "_CAPACITY", 2)
    known, keys = LearnedRepairs(clock), [KEY._replace(feature=f"{number}") for number in range(3)]
    for key in keys:
        teach(known, "a", 20, key)
    probed: list[RepairKey] = []
    for _ in range(7):
        clock.now += HOUR / 6
        probed += [each for key in keys for each in send(known, needed=frozenset([key]))]
    assert probed == keys
