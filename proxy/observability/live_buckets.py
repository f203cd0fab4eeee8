"""The sums of the last ten minutes, in buckets of five seconds."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from proxy.observability.model_times import ModelTimes

BUCKET_S = 5
BUCKETS = 120
"""The number of buckets that are kept, which cover ten minutes."""

MAX_SUMMARIES = 200
"""The largest number of different summaries of changes in a bucket, at a hundred bytes each.

Every request may have a different summary.
"""


@dataclass(slots=True)
class Bucket:
    """The sums of five seconds. *number* counts the buckets of the monotonic clock."""

    number: int = -1
    end: float = float("-inf")
    requests: int = 0
    retries: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    overheads: int = 0
    overhead: float = 0.0
    overhead_max: float = 0.0
    errors: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    changes: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    """The number of requests by summary of changes.

    The summaries are split when the inspector asks, or where there are many.
    """

    steps: dict[str, int] = field(default_factory=dict)
    """Changes by step, of the summaries that were split."""

    models: dict[str, ModelTimes] = field(default_factory=dict)
    """The requests and their times by model."""

    def split_summaries(self) -> None:
        """Split the summaries of changes into steps, and add their counts to :attr:`steps`."""
        for text, times in self.changes.items():
            for part in text.split(","):
                step, _, count = part.partition(";")[0].partition("=")  # without the mark of learned repairs
                self.steps[step] = self.steps.get(step, 0) + times * int(count)
        self.changes.clear()


def bucket_to_json(bucket: Bucket, offset: float) -> dict[str, Any]:
    """Return a bucket as JSON-ready values. *offset* is wall-clock time minus monotonic time, in seconds."""
    bucket.split_summaries()
    mean = bucket.overhead / bucket.overheads if bucket.overheads else None
    return {
        "at": round(bucket.number * BUCKET_S + offset, 3),
        "requests": bucket.requests,
        "errors": dict(bucket.errors),
        "retries": bucket.retries,
        "changes": dict(bucket.steps),
        "input_tokens": bucket.input_tokens,
        "output_tokens": bucket.output_tokens,
        "overhead_ms_mean": None if mean is None else round(mean * 1000, 3),
        "overhead_ms_max": round(bucket.overhead_max * 1000, 3) if bucket.overheads else None,
    }
