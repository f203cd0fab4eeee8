"""Tests of the learned repairs of all deployments: what a request gets, what is reported, listed and forgotten."""

from __future__ import annotations

from typing import TypeAlias

import pytest

from proxy.config import resolve
from proxy.state.deployment_identity import identity_of
from proxy.state.repairs import learned_repairs as module
from proxy.state.repairs.learned_repairs import Adopt, LearnedRepairs, client_of
from proxy.state.repairs.repair_key import LearnedRepair
from proxy.state.repairs.repair_table import EventKind, RepairEvent
from tests.proxy.state.lesson_replicas import Clock
from tests.proxy.state.repairs.teaching import GPT, KEY, OTHER, SEED, drop, found, teach
from tests.support.proxied import settings_of

Told: TypeAlias = tuple[str, str, str, bool]
"""A report: the label, the tenant, the feature, and True for a repair that is learned now."""


class Reports(list[Told]):
    """Keeps what is reported."""

    def __call__(self, label: str, repair: LearnedRepair, *, learned: bool, tenant: str) -> None:
        self.append((label, tenant, repair.key.feature, learned))


class Published(list[tuple[str, RepairEvent]]):
    """Keeps what is published, and shares nothing."""

    def attach(self, adopt: Adopt) -> None:
        pass

    def follow(self, identity: str) -> None:
        pass

    def publish(self, identity: str, event: RepairEvent) -> None:
        self.append((identity, event))


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands in November 2023."""
    return Clock(1_700_000_000.0)


@pytest.fixture
def reports() -> Reports:
    """Return the list of what is reported."""
    return Reports()


@pytest.fixture
def known(clock: Clock, reports: Reports) -> LearnedRepairs:
    """Return the repairs of a new process without a store."""
    return LearnedRepairs(clock, report=reports)


def test_four_conversations_teach_a_repair_for_one_client_and_deployment(known: LearnedRepairs) -> None:
    teach(known, times=3)
    assert found(known) == []
    teach(known, times=1)
    assert (found(known), found(known, "b"), found(known, target=OTHER)) == (["temperature"], [], [])


def test_new_evidence_of_another_client_counts_at_once(known: LearnedRepairs) -> None:
    """A view that is still fresh is not used after the table has changed."""
    teach(known, "a", 3)
    assert found(known, "b") == []
    teach(known, "c", 1)
    assert found(known, "b") == ["temperature"]


def test_found_repair_says_since_when_and_how_sure(known: LearnedRepairs, clock: Clock) -> None:
    begun = clock.now
    teach(known)
    clock.now += 60
    known.contradict(GPT, "b", KEY)
    teach(known, times=10)
    [repair] = known.find(GPT, "a")
    assert (repair.key, repair.since, repair.of_conversation) == (KEY, begun, False)
    assert [repair.confirmed, repair.contradicted] == pytest.approx([14, 1], abs=0.001)
    assert repair.confidence == pytest.approx(0.80, abs=0.01)


def test_conversation_gets_its_own_repair_for_an_hour(known: LearnedRepairs, clock: Clock) -> None:
    """One confirmation is enough for the same conversation of the same client, and for no other."""
    known.confirm(GPT, "a", [KEY], "same")
    [repair] = known.find(GPT, "a", "same")
    assert repair.of_conversation
    assert (found(known), found(known, "b", "same")) == ([], [])
    clock.now += 3_599
    assert found(known, conversation="same") == ["temperature"]
    clock.now += 1
    assert found(known, conversation="same") == []


def test_conversation_is_needed_only_where_that_matters(known: LearnedRepairs) -> None:
    """The digest of a conversation costs time, so a repair that is learned anyway does not need it."""
    assert (known.may_have_some, known.needs_conversation(GPT, "a")) == (False, False)
    known.confirm(GPT, "b", [KEY], "of another client")
    assert (known.may_have_some, known.needs_conversation(GPT, "a")) == (True, False)
    teach(known)
    assert not known.needs_conversation(GPT, "a")
    known.confirm(GPT, "a", [SEED], "same")
    assert known.needs_conversation(GPT, "a")


def test_decay_is_seen_within_ten_seconds(known: LearnedRepairs, clock: Clock, reports: Reports) -> None:
    """Four confirmations are enough for 39,505 seconds. The first request after that is told of the end."""
    teach(known)
    begun, seen = clock.now, []
    for after in (39_500, 39_509, 39_510):
        clock.now = begun + after
        seen.append(found(known))
    assert seen == [["temperature"], ["temperature"], []]
    assert reports == [("gpt", "a", "temperature", True), ("gpt", "a", "temperature", False)]


def test_each_client_is_told_once_of_each_change(
    known: LearnedRepairs, reports: Reports, clock: Clock
) -> None:
    """A client whose own request changed nothing is told at its next request."""
    teach(known, "a", 20)
    teach(known, "b", 20)
    for _ in range(3):
        clock.now += 11
        found(known, "a")
        found(known, "c")
    told = [("gpt", tenant, "temperature", True) for tenant in "abc"]
    assert reports == told
    reports.clear()
    drop(known, "a")
    assert reports == [("gpt", "a", "temperature", False)]
    drop(known, "b")
    for _ in range(3):
        clock.now += 11
        for tenant in "abc":
            found(known, tenant)
    assert reports == [("gpt", tenant, "temperature", False) for tenant in "abc"]


def test_many_clients_take_no_view_of_a_client_with_few(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, reports: Reports
) -> None:
    """A full store of views loses those of the client with most. Otherwise a client would be told again and again."""
    monkeypatch.setattr(module, "_CAPACITY", 4)
    known = LearnedRepairs(clock, report=reports)
    teach(known, "few")
    entry = {"model_name": "openai/*", "litellm_params": {"model": "openai/*"}}
    wildcard = settings_of(model_list=[entry])
    for number in range(20):
        [made_up] = resolve(wildcard, f"openai/{number}")
        teach(known, "many", target=made_up)
        assert found(known, "few") == ["temperature"]
    assert [tenant for _, tenant, _, _ in reports].count("few") == 1
    assert (len(known._views), len(known._sent)) == (4, 4)


def test_number_of_tables_is_bounded(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """The deployment whose evidence did not change for longest is forgotten. A wildcard serves any number of models."""
    monkeypatch.setattr(module, "_MAX_TABLES", 2)
    known = LearnedRepairs(clock)
    wildcard = settings_of(model_list=[{"model_name": "openai/*", "litellm_params": {"model": "openai/*"}}])
    first, second, third = (resolve(wildcard, f"openai/{number}")[0] for number in range(3))
    for target in (first, second, first, third):
        teach(known, target=target)
    assert [found(known, target=target) for target in (first, second, third)] == [
        ["temperature"],
        [],
        ["temperature"],
    ]
    assert (len(known._tables), len(known._labels)) == (2, 2)


def test_learned_repairs_are_counted_once_by_model_and_fault(known: LearnedRepairs) -> None:
    """A repair with too little evidence shows its model and fault with a count of zero."""
    assert known.count_learned() == {}
    teach(known, "a")
    teach(known, "b")
    teach(known, "a", key=SEED)
    teach(known, "a", 1, target=OTHER)
    assert known.count_learned() == {("gpt", "parameter"): 2, ("other", "parameter"): 0}
    drop(known, "a", SEED)
    assert known.count_learned() == {("gpt", "parameter"): 1, ("other", "parameter"): 0}


def test_list_names_known_clients_and_has_the_evidence_of_now(known: LearnedRepairs, clock: Clock) -> None:
    """A client whose key is no longer configured stands under a digest."""
    for tenant, times in (("", 8), ("a", 4), ("gone", 4)):
        teach(known, tenant, times)
    clock.now += 7 * 86_400
    listed = list(known.list_evidence(["", "a"]))
    assert [each.client for each in listed] == ["", "a", client_of("gone")]
    assert [each.evidence.confirmed for each in listed] == [4, 2, 2]
    assert [(each.standing.confirmed, each.is_learned) for each in listed] == [
        (8, True),
        (7, True),
        (7, True),
    ]
    assert {(each.id, each.label, each.key) for each in listed} == {(KEY.id_at(identity_of(GPT)), "gpt", KEY)}


def test_evidence_may_change_while_it_is_listed(known: LearnedRepairs) -> None:
    """A worker thread renders the metrics while requests teach."""
    teach(known, target=GPT)
    listing = known.list_evidence([])
    assert next(listing).label == "gpt"
    teach(known, target=OTHER)
    assert list(listing) == []


def test_each_client_is_listed_with_the_evidence_that_counts_for_it(known: LearnedRepairs) -> None:
    """Of others at most three confirmations count, and none once the client's own probes have dropped the repair."""
    teach(known, "a", 5)
    teach(known, "b", 1)
    teach(known, "c", 4)
    drop(known, "c")
    listed = {each.client: each.standing.confirmed for each in known.list_evidence(["a", "b", "c"])}
    assert listed == {"a": pytest.approx(6.0), "b": pytest.approx(4.0), "c": 0.0}


def test_forgotten_repair_is_gone_for_all_clients_of_its_deployment(
    known: LearnedRepairs, reports: Reports
) -> None:
    """Other repairs, and other deployments, keep theirs. Each client is told at its next request."""
    for tenant, key, target in (("a", KEY, GPT), ("b", KEY, GPT), ("a", SEED, GPT), ("a", KEY, OTHER)):
        teach(known, tenant, key=key, target=target)
    reports.clear()
    id_ = KEY.id_at(identity_of(GPT))
    assert [known.forget(each) for each in (id_, id_, "unknown")] == [True, False, False]
    assert (found(known), found(known, "b"), found(known, target=OTHER)) == (["seed"], [], ["temperature"])
    assert reports == [("gpt", "a", "temperature", False), ("gpt", "b", "temperature", False)]


def test_each_observation_is_published_once(clock: Clock) -> None:
    """No name of a client leaves the process, only its digest."""
    published = Published()
    known = LearnedRepairs(clock, published)
    known.confirm(GPT, "alice", [KEY, SEED], "talk")
    known.confirm_probe(GPT, "alice", KEY)
    known.contradict(GPT, "", KEY)
    known.note_sent(GPT, "alice", [KEY], SEED)
    known.note_unclear(GPT, "alice", KEY)
    assert known.forget(KEY.id_at(identity_of(GPT)))
    alice, now = client_of("alice"), clock.now
    assert published == [
        (identity_of(GPT), each)
        for each in (
            RepairEvent(EventKind.CONFIRMED, alice, KEY, now, "talk"),
            RepairEvent(EventKind.CONFIRMED, alice, SEED, now, "talk"),
            RepairEvent(EventKind.PROBE_CONFIRMED, alice, KEY, now),
            RepairEvent(EventKind.CONTRADICTED, "", KEY, now),
            RepairEvent(EventKind.FORGOTTEN, "", KEY, now),
        )
    ]


def test_client_stands_under_a_digest_of_its_name() -> None:
    assert client_of("") == ""
    assert len({client_of(name) for name in ("alice", "bob", "")}) == 3
    assert "alice" not in client_of("alice")
