"""Tests the recent requests: bounded in number and bytes, and summed in buckets of five seconds."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.observability import Inspector
from proxy.observability.live_buckets import BUCKET_S, BUCKETS, bucket_to_json
from proxy.observability.recent_requests import RecentRequests, request_to_json
from tests.proxy.inspector.looking import ended_request

MIB = 2**20


def note(
    watch: RecentRequests, name: str, ended: float = 0.0, body: bytes | None = None, **fields: Any
) -> None:
    """Record a request that ended."""
    kept = watch.keep(body) if body is not None else None
    seen = ended_request(name, ended=ended, kept=kept, **fields)
    watch.note(seen, seen.changes)


def bodies(watch: RecentRequests) -> list[bytes | None]:
    """Return the kept bodies, the newest first."""
    return [seen.kept.body if seen.kept else None for seen in watch.newest_first()]


def test_recent_requests_are_bounded_and_newest_first() -> None:
    """The list holds the newest requests first, and forgets older requests beyond its bound."""
    watch = RecentRequests(Inspector(requests=3))
    for number in range(5):
        note(watch, f"r{number}", 10.0 + number)

    assert [seen.request_id for seen in watch.newest_first()] == ["r4", "r3", "r2"]
    told = request_to_json(next(watch.newest_first()), 1_000.0)
    assert (told["id"], told["at"], told["duration_ms"], told["overhead_ms"]) == ("r4", 1013.5, 500.0, 2.0)
    assert (told["estimate"], told["estimate_at_most"]) == (12, None)
    assert (told["has_body"], told["key"]) == (False, None)


def test_oldest_bodies_are_forgotten_first() -> None:
    """The oldest bodies are forgotten first.

    A body that is larger than the whole bound is not kept, and displaces no other.
    """
    watch = RecentRequests(Inspector(bodies=True, mib=1))
    note(watch, "a", body=b"a" * (MIB // 2))
    note(watch, "b", body=b"b" * (MIB // 4))
    note(watch, "large", body=b"c" * (MIB + 1))
    assert [body and body[:1] for body in bodies(watch)] == [None, b"b", b"a"]

    note(watch, "d", body=b"d" * (MIB // 2))
    assert [body and body[:1] for body in bodies(watch)] == [b"d", None, b"b", None]


def test_body_is_forgotten_with_its_request() -> None:
    """A body is forgotten with its request, and its bytes are freed."""
    watch = RecentRequests(Inspector(requests=2, bodies=True, mib=1))
    for name in "abc":
        note(watch, name, body=name.encode())

    assert bodies(watch) == [b"c", b"b"]
    assert (len(watch._bodies), watch._bytes) == (2, 2)

    note(watch, "without")
    note(watch, "too")
    assert (len(watch._bodies), watch._bytes) == (0, 0)


def test_smaller_list_forgets_the_bodies_of_its_dropped_requests() -> None:
    """A smaller list forgets the bodies of its dropped requests, even if few bytes are in use."""
    watch = RecentRequests(Inspector(requests=3, bodies=True, mib=1))
    note(watch, "a", body=b"a")
    note(watch, "b", body=b"b")
    note(watch, "without")

    watch.resize(Inspector(requests=2, bodies=True, mib=1))

    assert bodies(watch) == [None, b"b"]
    assert (len(watch._bodies), watch._bytes) == (1, 1)


def test_room_is_zero_without_bodies() -> None:
    """The bound in MiB is 0 without bodies, and 16 after a reload that turns bodies on."""
    watch = RecentRequests(Inspector())
    assert watch.bounds == (200, 0)
    assert watch.keep(b"a") is None

    watch.resize(Inspector(bodies=True))
    assert watch.bounds == (200, 16)


def test_smaller_configuration_forgets_at_once() -> None:
    """A smaller configuration applies at once. A configuration without bodies forgets all bodies."""
    watch = RecentRequests(Inspector(requests=10, bodies=True, mib=1))
    for name in "abcd":
        note(watch, name, body=name.encode() * 10)

    watch.resize(Inspector(requests=2, bodies=True, mib=1))
    assert bodies(watch) == [b"d" * 10, b"c" * 10]

    watch.resize(Inspector(requests=2))
    assert bodies(watch) == [None, None]
    assert (watch.keeps_bodies, watch._bytes, watch.bounds) == (False, 0, (2, 0))


def test_live_numbers_are_sums_by_five_seconds_of_ten_minutes() -> None:
    """Live numbers are sums of five seconds over ten minutes. Empty buckets are included."""
    watch = RecentRequests(Inspector())
    note(watch, "old", 3.0)
    at = 3.0 + BUCKET_S * BUCKETS
    note(watch, "a", at, changes="orphan_drop=1,pairing=2", attempts=3, overhead=0.004)
    note(watch, "b", at, changes="pairing=2", outcome="upstream_error", overhead=None)
    note(watch, "c", at, input_tokens="many", output_tokens=-3)

    buckets = [bucket_to_json(bucket, 0.0) for bucket in watch.live(at)]

    assert len(buckets) == BUCKETS
    assert sum(bucket["requests"] for bucket in buckets) == 3
    assert [bucket["at"] for bucket in buckets] == [
        float(BUCKET_S * (1 + number)) for number in range(BUCKETS)
    ]
    assert buckets[-1] == {
        "at": at - 3.0,
        "requests": 3,
        "errors": {"upstream_error": 1},
        "retries": 2,
        "changes": {"orphan_drop": 1, "pairing": 4},
        "input_tokens": 20,
        "output_tokens": 4,
        "overhead_ms_mean": 3.0,
        "overhead_ms_max": 4.0,
    }
    assert buckets[0]["overhead_ms_mean"] is None


def test_later_estimate_is_added_to_its_request() -> None:
    """A later estimate is added to its request, unless the request already has an exact estimate."""
    watch = RecentRequests(Inspector(requests=3))
    watch.add_estimate("a", 5)
    for name, exact in (("a", False), ("b", False), ("c", True)):
        note(watch, name, exact=exact)
    for name in ("b", "c", "forgotten"):
        watch.add_estimate(name, 5)

    assert [(seen.estimate, seen.exact) for seen in watch.newest_first()] == [
        (12, True),
        (5, True),
        (12, False),
    ]


def test_number_of_buckets_is_bounded() -> None:
    """The number of buckets is bounded, since the process may run for months."""
    watch = RecentRequests(Inspector(requests=1))
    for number in range(3 * BUCKETS):
        note(watch, "x", number * BUCKET_S)

    assert len(watch._buckets) == BUCKETS + 1
    assert len(list(watch.newest_first())) == 1


@pytest.mark.parametrize("seconds", [0.0, 4.99, 5.0, 7.5])
def test_request_is_in_the_bucket_that_it_ended_in(seconds: float) -> None:
    """A request is in the bucket of its end, whenever it arrived."""
    watch = RecentRequests(Inspector())
    note(watch, "x", seconds)

    [bucket] = [bucket for bucket in watch.live(seconds) if bucket.requests]
    assert bucket.number == int(seconds // 5)
