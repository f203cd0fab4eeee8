"""The periods of spend, in UTC: of a fixed length from 1970-01-01, a calendar month, or without an end.

The name of a period is a part of the key under which its spend is kept. So nothing is ever reset: a new period begins
with a new name, and every process finds the same name.

Clients read the name too. A month is ``2026-11``. Another period is an interval of ISO 8601, with its beginning and its
length: ``2026-11-28T00:00:00Z/PT86400S``.
"""

from __future__ import annotations

from datetime import UTC, datetime

from proxy.config.durations import period_seconds
from sanitizers.record import record

MONTH = "1mo"
EVER = "ever"

_KEPT_S = 35 * 86_400.0
"""Seconds for which a store keeps spend after its period has ended."""

_EVER_S = 3_650 * 86_400.0


@record
class Period:
    """A period by its *name*. *ends_at* is Unix time, or None for a period that never ends."""

    name: str
    ends_at: float | None


def period_at(duration: str | None, now: float) -> Period:
    """Return the period of *duration* at the Unix time *now*: ``30s`` to ``30d``, ``1mo``, or None for ever."""
    if duration is None:
        return Period(EVER, None)
    if duration == MONTH:
        return _month_at(now)
    seconds = period_seconds(duration)
    begins_at = int(now // seconds) * seconds
    begin = datetime.fromtimestamp(begins_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Period(f"{begin}/PT{seconds}S", float(begins_at + seconds))


class Periods:
    """The current period of each duration, which is found once a period."""

    def __init__(self) -> None:
        self._found: dict[str | None, tuple[float, Period]] = {}

    def at(self, duration: str | None, now: float) -> Period:
        """Return what :func:`period_at` returns."""
        found = self._found.get(duration)
        if found is not None:
            since, period = found
            if since <= now and (period.ends_at is None or now < period.ends_at):
                return period
        period = period_at(duration, now)
        self._found[duration] = now, period
        return period


def kept_s(period: Period, now: float) -> float:
    """Return the seconds for which a store keeps spend of *period* that is written at the Unix time *now*."""
    if period.ends_at is None:
        return _EVER_S
    left_s = period.ends_at - now
    return left_s + _KEPT_S if left_s > 0 else _KEPT_S


def _month_at(now: float) -> Period:
    moment = datetime.fromtimestamp(now, UTC)
    year, month = moment.year + moment.month // 12, moment.month % 12 + 1
    return Period(f"{moment.year}-{moment.month:02}", datetime(year, month, 1, tzinfo=UTC).timestamp())
