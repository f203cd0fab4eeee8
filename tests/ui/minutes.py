"""Builds the data of ten busy minutes, as the process reports such data, for tests of the charts."""

from __future__ import annotations

from math import sin
from typing import Any


def busy_minutes(now: float = 1_800_000_000.0) -> dict[str, Any]:
    """Return an answer of ``/ui/api/live``: waves of requests, errors of many classes, unknown and long names."""
    buckets = []
    for number in range(120):
        requests = round(20 + 14 * sin(number / 9) + 4 * sin(number / 2))
        errors = {"rate_limit": 3, "timeout": 1} if 50 < number < 62 else {}
        if number == 90:
            errors = {
                "overloaded": 2,
                "empty": 2,
                "auth": 1,
                "malformed_call": 1,
                "truncated": 1,
                "a_new_one": 1,
            }
        buckets.append(
            {
                "at": now - 5 * (120 - number),
                "requests": requests,
                "errors": errors,
                "retries": sum(errors.values()),
                "changes": {"orphan_drop": requests // 6, "pairing": requests // 9, "budget": requests // 15},
                "input_tokens": requests * 3100,
                "output_tokens": requests * 240,
                "overhead_ms_mean": 0.42 + 0.1 * sin(number / 5),
                "overhead_ms_max": 1.4 + 0.9 * sin(number / 3),
            }
        )
    models = [
        {
            "model": "gemini",
            "requests": 2_000,
            "errors": {"rate_limit": 33, "timeout": 11},
            "duration_ms": {"p50": 1_403.1, "p95": 12_880.2},
            "first_token_ms": {"p50": 402.3, "p95": 1_204.5},
        },
        {
            "model": "a-model-with-a-name-that-is-longer-than-its-column/and-then-some",
            "requests": 9,
            "errors": {},
            "duration_ms": {"p50": 90.4, "p95": 700.0},
            "first_token_ms": None,
        },
        {
            "model": "unknown",
            "requests": 3,
            "errors": {"model_not_found": 3},
            "duration_ms": None,
            "first_token_ms": None,
        },
    ]
    return {"now": now, "bucket_s": 5, "buckets": buckets, "models": models, "in_flight": 7}
