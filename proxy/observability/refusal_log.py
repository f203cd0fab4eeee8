"""Logs at most one line a minute about requests that were refused before their client was known.

Anyone who reaches the port can send requests without a key. A line for each request would fill the disk and hide other
lines.
"""

from __future__ import annotations

from collections import Counter
from math import inf

from proxy.observability.logs import get_log

LINE_S = 60.0
"""Seconds between two lines."""


class RefusalLog:
    """Counts refusals by their error code.

    The first refusal is logged at once. Later lines hold the counts since the line before, and are a minute apart or
    more.
    """

    def __init__(self) -> None:
        self._unlogged: Counter[str] = Counter()
        self._due = -inf

    def count(self, code: str, now: float) -> None:
        """Count a refusal with the error *code* at *now*, by the event loop's clock."""
        self._unlogged[code] += 1
        if now >= self._due:
            self._due = now + LINE_S
            self.log_counts()

    def log_counts(self) -> None:
        """Log the refusals since the last line, if there are any."""
        if self._unlogged:
            reasons = ",".join(f"{code}={count}" for code, count in sorted(self._unlogged.items()))
            get_log().warning("requests_refused", refused=self._unlogged.total(), reasons=reasons)
            self._unlogged.clear()
