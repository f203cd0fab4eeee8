"""Remembers the last requests, and sums over five seconds each. Their number and the memory for bodies are limited.

A finished request leaves an entry and some sums. Everything else is calculated when the inspector asks. Texts are not
kept, unless the configuration asks for the bodies of chat requests. Then the newest bodies that fit into the memory
limit are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from proxy.config.schema.observability import Inspector
from proxy.observability.live_buckets import BUCKET_S, BUCKETS, MAX_SUMMARIES, Bucket
from proxy.observability.model_times import count_times


class KeptBody:
    """A body that is kept while there is room for it."""

    __slots__ = ("body",)

    def __init__(self, body: bytes) -> None:
        self.body: bytes | None = body


class RecentRequest(NamedTuple):
    """One finished request. Times are in seconds, and *ended* is of the monotonic clock."""

    request_id: str
    ended: float
    route: str
    model: str
    deployment: str | None
    status: int
    outcome: str
    stream: bool
    messages: int | None
    changes: str
    rounds: str | None
    duration: float
    overhead: float | None
    attempts: int
    input_tokens: Any
    output_tokens: Any
    estimate: int | None
    """The prompt's estimated tokens. If *exact* is False, the estimate is an upper bound, usually far too high.

    Requests near the limit have an exact estimate, and so does a sample of all others
    (:mod:`proxy.forwarding.calibrate`).
    """

    exact: bool
    key: str
    position: int | None
    """The deployment's position in ``model_list``."""

    max_rounds: int | None
    """The limit on rounds of tool calls that the client's header asked for."""

    kept: KeptBody | None
    """The request's body, while there is room for it."""

    asked_model: str | None = None
    """The model that the client named, where it is not *model*."""

    first_token: float | None = None
    """Seconds to the first token of a stream."""


class RecentRequests:
    """The recent requests of one process."""

    def __init__(self, settings: Inspector) -> None:
        self._seen: deque[RecentRequest] = deque(maxlen=settings.requests)
        self._bodies: deque[KeptBody] = deque()  # oldest first
        self._bytes = 0
        self._buckets: deque[Bucket] = deque(maxlen=BUCKETS + 1)
        self._bucket = Bucket()
        self.keeps_bodies = settings.bodies
        self._room = _room_for(settings)

    def resize(self, settings: Inspector) -> None:
        """Apply *settings* from now on. Requests and bodies beyond the new limits are forgotten."""
        self._seen = deque(self._seen, maxlen=settings.requests)
        self.keeps_bodies = settings.bodies
        self._room = _room_for(settings)
        shown = {id(seen.kept) for seen in self._seen}
        while self._bodies and id(self._bodies[0]) not in shown:
            self._forget_oldest()
        self._make_room(0)

    def keep(self, body: bytes) -> KeptBody | None:
        """Return the entry that keeps *body*.

        The oldest bodies are forgotten to make room for *body*. Returns None for a body that is larger than the whole
        memory limit.
        """
        if len(body) > self._room:
            return None
        self._make_room(len(body))
        kept = KeptBody(body)
        self._bodies.append(kept)
        self._bytes += len(body)
        return kept

    def note(self, seen: RecentRequest, made: str) -> None:
        """Remember a finished request. *made* names its changes, without those that were only observed."""
        if self._bodies and len(self._seen) == self._seen.maxlen and self._seen[0].kept is self._bodies[0]:
            self._forget_oldest()
        self._seen.append(seen)
        bucket = self._bucket
        if seen.ended >= bucket.end:
            bucket = self._begin(seen.ended)
        bucket.requests += 1
        if seen.outcome != "ok":
            bucket.errors[seen.outcome] += 1
        count_times(bucket.models, seen.model, seen.outcome, seen.duration, seen.first_token)
        if seen.attempts > 1:
            bucket.retries += seen.attempts - 1
        overhead = seen.overhead
        if overhead is not None:
            bucket.overheads += 1
            bucket.overhead += overhead
            if overhead > bucket.overhead_max:
                bucket.overhead_max = overhead
        if seen.input_tokens.__class__ is int and seen.input_tokens > 0:
            bucket.input_tokens += seen.input_tokens
        if seen.output_tokens.__class__ is int and seen.output_tokens > 0:
            bucket.output_tokens += seen.output_tokens
        if made:
            bucket.changes[made] += 1
            if len(bucket.changes) > MAX_SUMMARIES:
                bucket.split_summaries()

    def add_estimate(self, request_id: str, estimate: int) -> None:
        """Set the exact *estimate* of a request that was counted after its end. A forgotten request is ignored."""
        for at in range(len(self._seen) - 1, -1, -1):
            seen = self._seen[at]
            if seen.request_id == request_id:
                if not seen.exact:
                    self._seen[at] = seen._replace(estimate=estimate, exact=True)
                return

    def newest_first(self) -> Iterator[RecentRequest]:
        """Yield the remembered requests, newest first."""
        yield from reversed(self._seen)

    def live(self, now: float) -> list[Bucket]:
        """Return the buckets of the last ten minutes, oldest first. Buckets without requests are included."""
        last = int(now // BUCKET_S)
        known = {bucket.number: bucket for bucket in self._buckets}
        numbers = range(last - BUCKETS + 1, last + 1)
        return [known.get(number) or Bucket(number) for number in numbers]

    @property
    def bounds(self) -> tuple[int, int]:
        """The number of requests that are remembered at most, and the MiB that their bodies may take."""
        return self._seen.maxlen or 0, self._room // 2**20

    def _begin(self, ended: float) -> Bucket:
        number = int(ended // BUCKET_S)
        self._bucket = Bucket(number, (number + 1) * BUCKET_S)
        self._buckets.append(self._bucket)
        return self._bucket

    def _make_room(self, size: int) -> None:
        while self._bodies and self._bytes + size > self._room:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        oldest = self._bodies.popleft()
        self._bytes -= len(oldest.body or b"")
        oldest.body = None


def _room_for(settings: Inspector) -> int:
    return settings.mib * 2**20 if settings.bodies else 0


def request_to_json(seen: RecentRequest, offset: float) -> dict[str, Any]:
    """Return a request as JSON-ready values. *offset* is wall-clock time minus monotonic time, in seconds."""
    return {
        "id": seen.request_id,
        "at": round(seen.ended - seen.duration + offset, 3),
        "route": seen.route,
        "model": seen.model,
        "asked_model": seen.asked_model,
        "deployment": seen.deployment,
        "status": seen.status,
        "outcome": seen.outcome,
        "stream": seen.stream,
        "messages": seen.messages,
        "changes": seen.changes,
        "rounds": seen.rounds,
        "duration_ms": round(seen.duration * 1000, 1),
        "overhead_ms": None if seen.overhead is None else round(seen.overhead * 1000, 2),
        "attempts": seen.attempts,
        "input_tokens": seen.input_tokens,
        "output_tokens": seen.output_tokens,
        "estimate": seen.estimate if seen.exact else None,
        "estimate_at_most": None if seen.exact else seen.estimate,
        "key": seen.key or None,
        "has_body": seen.kept is not None and seen.kept.body is not None,
    }
