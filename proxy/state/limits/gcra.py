"""The arithmetic of a bucket: the generic cell rate algorithm, with one number for each bucket.

The number is the *theoretical arrival time* (tat), at which the bucket is full again. With ``T = 60 s / limit``, a
claim of *n* moves it to ``max(now, tat) + n·T``. The claim fits if the new time is at most ``capacity·T`` from now. So
no edge of a window lets twice the limit pass (litellm#34733).

All times are whole microseconds. Costs are rounded down, and are at least one microsecond. The script of
:mod:`proxy.state.redis.limit_scripts` does the same.
"""

from __future__ import annotations

from proxy.state.limits.claims import MINUTE_US, Bucket


def cost_us(bucket: Bucket, amount: int) -> int:
    """Return the time that *amount* takes to flow into *bucket* again. 0 for an amount of 0."""
    return (amount * MINUTE_US // bucket.per_minute or 1) if amount > 0 else 0


def claim(tat: int, now: int, cost: int, window: int) -> tuple[int, int]:
    """Return the tat after a claim of *cost*, and the time until the claim fits. That time is 0 where it fits now."""
    moved = max(now, tat) + cost
    return moved, max(0, moved - now - window)


def settle(tat: int, now: int, claimed: int, used: int) -> int:
    """Return the tat after a claim of *claimed* turned out to be *used*, both in microseconds.

    Less use moves the tat back, but not before *now*. More use moves it on: a debt, for which later claims wait.
    """
    return max(now, max(now, tat) + used - claimed)


def remaining(bucket: Bucket, used_us: int) -> int:
    """Return the most that *bucket* still grants at once, *used_us* microseconds before it is full again."""
    left_us = bucket.window_us - used_us
    if left_us <= 0:
        return 0
    left = ((left_us + 1) * bucket.per_minute - 1) // MINUTE_US
    return left if left < bucket.capacity else bucket.capacity
