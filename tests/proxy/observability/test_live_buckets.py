"""Tests that a bucket sums the changes by step, for any number of different summaries."""

from __future__ import annotations

from proxy.config.schema.observability import Inspector
from proxy.observability.live_buckets import MAX_SUMMARIES, Bucket, bucket_to_json
from proxy.observability.recent_requests import RecentRequests
from tests.proxy.inspector.looking import ended_request


def test_many_summaries_of_changes_are_summed_by_step() -> None:
    """Each request may have a different summary of its changes."""
    watch = RecentRequests(Inspector())
    for number in range(1, 1_001):
        seen = ended_request("x", ended=1.0, changes=f"pairing={number},tail=1")
        watch.note(seen, seen.changes)

    bucket = next(one for one in watch.live(1.0) if one.requests)
    assert len(bucket.changes) <= MAX_SUMMARIES + 1
    for _ in range(2):
        assert bucket_to_json(bucket, 0.0)["changes"] == {"pairing": 500_500, "tail": 1_000}


def test_mark_of_learned_repairs_is_no_part_of_their_count() -> None:
    """The summary of a request with learned repairs is split as any other."""
    watch = RecentRequests(Inspector())
    seen = ended_request("x", ended=1.0, changes="repair=2;learned,answer_repair=1")
    watch.note(seen, seen.changes)

    bucket = next(one for one in watch.live(1.0) if one.requests)
    assert bucket_to_json(bucket, 0.0)["changes"] == {"repair": 2, "answer_repair": 1}


def test_bucket_without_requests_has_no_overhead() -> None:
    """The overhead is None, since zero would look like a measured time."""
    told = bucket_to_json(Bucket(2), 100.0)

    assert (told["at"], told["requests"], told["overhead_ms_mean"], told["overhead_ms_max"]) == (
        110.0,
        0,
        None,
        None,
    )
