"""Builds a table of keys, as the process reports it, with long names, large sums and every kind of limit."""

from __future__ import annotations

from typing import Any

LONG = "a-key-whose-name-is-longer-than-its-column-and-then-some-more/2026-11"


def row(name: str | None, **fields: Any) -> dict[str, Any]:
    """Return the row of a key without limits that has not been used, but for *fields*."""
    unlimited = dict.fromkeys(
        (
            "expires",
            "models",
            "rpm_limit",
            "tpm_limit",
            "max_parallel_requests",
            "max_budget",
            "budget_duration",
            "remaining_budget",
        )
    )
    unused = {"spend": 0.0, "estimated_spend": 0.0, "reserved_spend": 0.0, "requests": 0, "tokens": 0}
    period = {"period": "2026-11", "resets_in_s": 259_300, "team": None, "expired": False}
    return {"name": name, "is_master_key": False, **unlimited, **unused, **period, **fields}


def many_keys() -> dict[str, Any]:
    """Return an answer of ``/ui/api/keys`` with five keys and two teams."""
    budget = {"max_budget": 25.0, "budget_duration": "1mo", "remaining_budget": 4.25, "spend": 20.5}
    rates = {"rpm_limit": 60, "tpm_limit": 200_000, "max_parallel_requests": 8}
    keys = [
        row(
            "night-shift",
            team="blue",
            **budget,
            **rates,
            reserved_spend=0.25,
            requests=12_345,
            tokens=98_765_432,
        ),
        row(
            "ci",
            spend=0.004213,
            estimated_spend=0.0001,
            requests=3,
            tokens=4_213,
            expires="2027-01-31T00:00:00Z",
        ),
        row(
            "old",
            expired=True,
            expires="2026-01-31T00:00:00Z",
            max_budget=1.0,
            remaining_budget=1.0,
            resets_in_s=None,
        ),
        row(
            LONG,
            models=["gemini", "claude-*"],
            spend=1_234_567.891,
            requests=1_234_567_890,
            tokens=9_876_543_210_123,
        ),
        row("hourly", max_budget=0.5, budget_duration="1h", remaining_budget=0.0, spend=0.53, resets_in_s=95),
    ]
    teams = [
        row(
            "blue",
            **{
                **budget,
                "max_budget": 200.0,
                "budget_duration": None,
                "remaining_budget": 179.5,
                "resets_in_s": None,
            },
        ),
        row("green", tpm_limit=1_000_000),
    ]
    return {"master": row(None, is_master_key=True, spend=2.5, requests=9), "keys": keys, "teams": teams}
