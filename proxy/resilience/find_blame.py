"""The blame of a deployment for a failed attempt: for how long, and for whose requests. Pure.

A request is retried by all that its provider seems to say. A deployment is closed only by what is surely the
provider's own: words that the request holds may be a quotation.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import NamedTuple

from proxy.core.failures import Cause
from proxy.resilience.failure_table import Blame, Kind, Reach, Row, find_row, reach_of
from proxy.resilience.read_error import ProviderError


class Blamed(NamedTuple):
    """What a failed attempt means for its deployment."""

    blame: Blame
    reach: Reach
    delay_s: float | None
    """Seconds that the provider asks to be left alone for."""


def find_blame(row: Row, error: ProviderError, not_blamed: AbstractSet[Kind] = frozenset()) -> Blamed:
    """Return what a failure of *row*'s kind means for its deployment; kinds in *unblamed* mean nothing.

    A used-up quota that only quoted words name is taken for whatever else fits.
    """
    proved = error.proved()
    if row.kind is Kind.QUOTA_EXHAUSTED and error.quota is not proved.quota:
        row = find_row(Cause.REFUSED, proved)
    blame = Blame.NONE if row.kind in not_blamed else row.blame
    return Blamed(blame, reach_of(row, proved), proved.retry_after_s)
