"""Tests of the lease of the one probe among all replicas."""

from __future__ import annotations

from proxy.resilience.probe_lease import Phase, ProbeLease

PROBE, OTHER = object(), object()


def granted(now: float = 0.0) -> ProbeLease:
    """Return a lease that this replica has."""
    lease = ProbeLease()
    lease.wish(now)
    lease.grant(b"token", now)
    return lease


def test_without_a_wish_nobody_wants_the_lease() -> None:
    lease = ProbeLease()
    assert lease.is_idle(0.0)
    assert not lease.is_wanted(0.0)
    assert not lease.may_begin(0.0)


def test_the_first_wish_wakes_the_task_and_further_ones_do_not() -> None:
    """A busy deployment would otherwise wake the task with each request."""
    lease = ProbeLease()
    assert [lease.wish(0.0), lease.wish(0.1), lease.wish(9.0)] == [True, False, False]
    assert lease.is_wanted(9.0)


def test_a_denied_wish_is_tried_again_after_a_second() -> None:
    lease = ProbeLease()
    lease.wish(0.0)
    lease.deny(0.0)
    assert not lease.is_wanted(0.9)
    assert not lease.is_idle(0.9)
    assert lease.is_wanted(1.0)


def test_a_wish_is_forgotten_after_ten_minutes() -> None:
    lease = ProbeLease()
    lease.wish(0.0)
    lease.wish(100.0)
    assert lease.is_wanted(699.0)
    assert not lease.is_wanted(700.0)
    assert lease.is_idle(700.0)
    assert lease.wish(700.0)


def test_one_probe_begins_with_a_lease() -> None:
    lease = granted()
    assert lease.begin(PROBE, 1.0)
    assert not lease.begin(OTHER, 1.0)
    assert lease.phase is Phase.PROBING


def test_only_the_end_of_the_probe_ends_the_lease() -> None:
    lease = granted()
    lease.begin(PROBE, 1.0)
    assert not lease.end(OTHER)
    assert lease.end(PROBE)
    assert not lease.end(PROBE)
    assert lease.phase is Phase.OVER


def test_the_wish_is_fulfilled_with_the_probe() -> None:
    """The next probe needs the wish of another request."""
    lease = granted()
    lease.begin(PROBE, 1.0)
    lease.end(PROBE)
    lease.let_go()
    assert lease.is_idle(1.0)
    assert lease.token == b""


def test_a_lease_that_is_not_used_ends_after_five_seconds_and_rests_for_two() -> None:
    """The wish stays, so that the replica gets the lease again."""
    lease = granted()
    lease.expire(4.9)
    assert lease.may_begin(4.9)
    assert not lease.may_begin(5.0), "the task may be late"
    lease.expire(5.0)
    assert lease.phase is Phase.OVER
    lease.let_go()
    assert not lease.is_wanted(6.9)
    assert lease.is_wanted(7.0)


def test_the_lease_of_a_probe_is_renewed_each_ten_seconds() -> None:
    lease = granted()
    assert not lease.needs_renewal(11.0), "no probe is under way"
    lease.begin(PROBE, 1.0)
    assert not lease.needs_renewal(9.9)
    assert lease.needs_renewal(10.0)
    lease.renew(10.0)
    assert not lease.needs_renewal(19.9)


def test_a_probe_holds_the_lease_for_two_minutes_at_most() -> None:
    lease = granted()
    lease.begin(PROBE, 1.0)
    phases = []
    for now in (120.9, 121.0):
        lease.expire(now)
        phases.append(lease.phase)
    assert phases == [Phase.PROBING, Phase.OVER]
    assert not lease.end(PROBE)


def test_a_dropped_lease_is_let_go_unless_a_probe_is_under_way() -> None:
    unused, used, none = granted(), granted(), ProbeLease()
    used.begin(PROBE, 0.0)
    none.wish(0.0)
    for lease in (unused, used, none):
        lease.drop()
    assert [unused.phase, used.phase, none.phase] == [Phase.OVER, Phase.PROBING, Phase.NONE]
    assert none.is_idle(0.0)


def test_no_wish_is_noted_while_this_replica_has_the_lease() -> None:
    """Otherwise the replica would ask for another probe while its own is under way."""
    lease = granted()
    lease.begin(PROBE, 0.0)
    assert not lease.wish(0.0)
    lease.end(PROBE)
    lease.let_go()
    assert lease.is_idle(0.0)
