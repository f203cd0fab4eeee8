"""Tests of the limits on summaries: the waits after failures, and the share of tokens."""

from __future__ import annotations

import pytest

from proxy.planning.compact.job_limits import FailureDelays, SummaryShares


@pytest.mark.parametrize(("failures", "minutes"), [(1, 2), (2, 4), (3, 8), (6, 64), (9, 64)])
def test_conversation_waits_longer_after_each_failure(failures: int, minutes: int) -> None:
    """The wait doubles. Another cut of the same conversation waits as well, and other conversations do not."""
    delays = FailureDelays()
    for number in range(failures):
        delays.note_failure("blue", "root", f"cut {number}", 100.0)
    assert not delays.may_try("blue", "root", "new cut", 100.0 + minutes * 60 - 1)
    assert delays.may_try("blue", "root", "new cut", 100.0 + minutes * 60)
    assert delays.may_try("blue", "other", "cut 0", 100.0)
    assert delays.may_try("red", "root", "cut 0", 100.0)


def test_success_ends_the_wait() -> None:
    """After a success, the next failure waits for two minutes again."""
    delays = FailureDelays()
    delays.note_failure("blue", "root", "cut", 0.0)
    delays.note_success("blue", "root")
    assert delays.may_try("blue", "root", "next", 1.0)


def test_cut_that_failed_three_times_is_never_tried_again() -> None:
    """The fourth try would fail as well, and would cost a call."""
    delays = FailureDelays()
    for _ in range(3):
        assert delays.may_try("blue", "root", "cut", 1e9)
        delays.note_failure("blue", "root", "cut", 0.0)
    assert not delays.may_try("blue", "root", "cut", 1e9)
    assert delays.may_try("blue", "root", "other cut", 1e9)


def test_summaries_begin_while_they_are_within_their_share() -> None:
    """The first summary is allowed before any request was counted. The next one waits for enough requests."""
    shares = SummaryShares()
    assert shares.may_begin("blue", 0.1)
    shares.count_summary("blue", 1_000)
    assert not shares.may_begin("blue", 0.1)
    shares.count_request("blue", 8_999)
    assert not shares.may_begin("blue", 0.1)
    shares.count_request("blue", 1)
    assert shares.may_begin("blue", 0.1)


def test_share_of_one_key_is_not_anothers() -> None:
    """The tokens of one key neither allow nor forbid summaries of another."""
    shares = SummaryShares()
    shares.count_request("blue", 1_000_000)
    shares.count_summary("red", 1)
    assert not shares.may_begin("red", 0.1)
    assert shares.may_begin("blue", 0.1)
