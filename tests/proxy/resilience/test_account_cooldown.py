"""Tests of the cooldown of one account, as one replica knows it."""

from __future__ import annotations

import gc
from math import inf

import pytest

from proxy.resilience.account_cooldown import AccountCooldown
from proxy.resilience.probe_lease import Phase


class Circuit:
    """A circuit that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, float]] = []

    def open_cooldown(self, until: float) -> None:
        self.told.append(("open", until))

    def change_cooldown_end(self, until: float) -> None:
        self.told.append(("end", until))

    def close_cooldown(self, until: float) -> None:
        self.told.append(("close", until))


class Account:
    """An account with one circuit. It counts how often the background task is woken."""

    def __init__(self) -> None:
        self.woken = 0
        self.cooldown = AccountCooldown("name", self._wake)
        self.circuit = Circuit()
        self.cooldown.attach(self.circuit)

    def _wake(self, account: AccountCooldown) -> None:
        assert account is self.cooldown
        self.woken += 1


@pytest.fixture
def account() -> Account:
    """Return an account without a cooldown."""
    return Account()


def test_without_a_cooldown_every_request_may_go(account: Account) -> None:
    """The rules of the process apply then. Nothing is asked of the store."""
    cooldown = account.cooldown
    assert cooldown.may_probe(0.0)
    assert cooldown.begin_probe(object(), 0.0)
    assert (account.woken, cooldown.until, cooldown.is_busy(0.0)) == (0, -inf, False)


def test_a_cooldown_that_was_asked_for_is_published(account: Account) -> None:
    account.cooldown.ask(30.0, 100.0)
    assert account.circuit.told == [("open", 130.0)]
    assert account.cooldown.to_publish
    assert account.woken == 1


def test_a_cooldown_is_published_again_only_where_it_ends_later(account: Account) -> None:
    cooldown = account.cooldown
    cooldown.ask(30.0, 100.0)
    cooldown.to_publish = False
    cooldown.ask(30.0, 101.0)
    published = [cooldown.to_publish]
    cooldown.ask(32.1, 100.0)
    published.append(cooldown.to_publish)
    assert published == [False, True]


def test_a_shorter_cooldown_than_the_learned_one_is_not_published(account: Account) -> None:
    """Its end is kept, for the case that the learned one ends first."""
    cooldown = account.cooldown
    cooldown.learn("x", 600.0)
    cooldown.ask(30.0, 100.0)
    published = [cooldown.to_publish]
    cooldown.note_gone(110.0)
    published.append(cooldown.to_publish)
    assert published == [False, True]
    assert account.circuit.told[-1] == ("end", 130.0)


def test_less_than_a_second_is_no_shared_cooldown(account: Account) -> None:
    account.cooldown.ask(0.99, 100.0)
    assert not account.cooldown.cooling
    assert account.circuit.told == []


def test_a_learned_cooldown_ends_when_it_is_gone(account: Account) -> None:
    """The circuits stay half open until an answer."""
    cooldown = account.cooldown
    cooldown.learn("x", 600.0)
    cooldown.note_gone(110.0)
    cooldown.note_gone(120.0)
    assert account.circuit.told == [("open", 600.0), ("end", 110.0)]
    assert cooldown.cooling
    assert not cooldown.to_publish


def test_an_answer_ends_the_cooldown_and_publishes_its_end(account: Account) -> None:
    cooldown = account.cooldown
    cooldown.learn("x", 600.0)
    cooldown.close()
    assert account.circuit.told[-1] == ("close", 600.0)
    assert (cooldown.cooling, cooldown.closing, cooldown.closed, cooldown.until) == (False, "x", "x", -inf)


def test_the_end_of_a_cooldown_that_was_never_written_is_not_published(account: Account) -> None:
    cooldown = account.cooldown
    cooldown.ask(30.0, 0.0)
    cooldown.close()
    assert not cooldown.is_busy(0.0)


def test_a_cooldown_that_ended_while_it_was_written_is_ended_in_the_store(account: Account) -> None:
    cooldown = account.cooldown
    cooldown.ask(30.0, 0.0)
    cooldown.close()
    cooldown.note_published("x")
    assert (cooldown.closing, cooldown.current) == ("x", "")


@pytest.mark.parametrize(("ended", "ends"), [("x", True), ("y", False), ("", False)])
def test_only_the_end_of_this_cooldown_ends_it(account: Account, ended: str, ends: bool) -> None:
    """Another replica's answer is published under the id of the cooldown that it ends. It is not published again."""
    cooldown = account.cooldown
    cooldown.learn("x", 600.0)
    cooldown.note_closed(ended)
    assert cooldown.cooling is not ends
    assert cooldown.closing == ""


def test_a_newer_cooldown_outlasts_the_end_of_the_older_one(account: Account) -> None:
    """The provider asked this replica for it after the other replica's answer, as far as is known here."""
    cooldown = account.cooldown
    cooldown.learn("x", 10.0)
    cooldown.ask(30.0, 5.0)
    cooldown.note_closed("x")
    assert (cooldown.cooling, cooldown.to_publish, cooldown.until) == (True, True, 35.0)
    assert ("close", 35.0) not in account.circuit.told


def test_during_a_cooldown_a_request_needs_the_lease(account: Account) -> None:
    cooldown, probe = account.cooldown, object()
    cooldown.learn("x", 10.0)
    assert not cooldown.may_probe(20.0)
    assert not cooldown.begin_probe(probe, 20.0)
    assert account.woken == 1
    cooldown.lease.grant(b"t", 20.0)
    assert cooldown.may_probe(20.0)
    assert cooldown.begin_probe(probe, 20.0)
    assert not cooldown.may_probe(20.0)
    cooldown.end_probe(object())
    assert account.woken == 1
    cooldown.end_probe(probe)
    assert account.woken == 2
    assert cooldown.lease.phase is Phase.OVER


def test_a_new_cooldown_gives_an_unused_lease_back(account: Account) -> None:
    cooldown = account.cooldown
    for what in ("asked", "learned", "closed"):
        cooldown.learn("x", 10.0)
        cooldown.lease.grant(b"t", 20.0)
        if what == "asked":
            cooldown.ask(30.0, 20.0)
        elif what == "learned":
            cooldown.learn("y", 50.0)
        else:
            cooldown.close()
        assert cooldown.lease.phase is Phase.OVER


def test_a_circuit_that_comes_later_follows_the_cooldown(account: Account) -> None:
    """Such a circuit belongs to a deployment of a new configuration, or to another entry of the same account."""
    late = Circuit()
    account.cooldown.learn("x", 600.0)
    account.cooldown.attach(late)
    assert late.told == [("open", 600.0)]
    account.cooldown.detach(late)
    account.cooldown.close()
    assert late.told == [("open", 600.0)]


def test_a_circuit_is_not_kept_alive() -> None:
    account = AccountCooldown("name", lambda _: None)
    account.attach(Circuit())
    gc.collect()
    assert not account.is_used
