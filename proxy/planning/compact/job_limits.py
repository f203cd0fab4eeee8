"""Decides which summaries may be written now, by earlier failures and by the share of a client key's tokens.

Times are seconds of a monotonic clock, which the caller passes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from proxy.core.tenant_lru import TenantLru

_MINUTE_S = 60.0
_MOST_FAILURES = 3
"""The failures after which no summary is tried again for the same cut, the end of the messages to summarize."""

_MOST_DOUBLINGS = 6
"""The doublings of the wait: a conversation waits 64 minutes at most."""

_REMEMBERED = 4_096
"""The most conversations, and the most cuts, whose failures are remembered."""


class _Failures(NamedTuple):
    """The number of failures in a row of one conversation, and the time of the last failure."""

    number: int
    last: float


class FailureDelays:
    """Delays summaries after failures: 2, 4, 8 … 64 minutes for a conversation, and for ever after three at one cut.

    A cut is the end of the messages to summarize. A conversation that goes on may have another cut at each request. So
    the wait counts for the whole conversation.
    """

    def __init__(self) -> None:
        self._conversations: TenantLru[str, _Failures] = TenantLru(_REMEMBERED)
        self._cuts: TenantLru[str, int] = TenantLru(_REMEMBERED)

    def may_try(self, tenant: str, conversation: str, cut: str, now: float) -> bool:
        """Return True where a summary up to *cut* of *conversation* may be tried at *now*."""
        failed = self._conversations.find(tenant, conversation)
        if failed is not None and now < failed.last + 2.0**failed.number * _MINUTE_S:
            return False
        return (self._cuts.find(tenant, cut) or 0) < _MOST_FAILURES

    def note_failure(self, tenant: str, conversation: str, cut: str, now: float) -> None:
        """Record that a summary up to *cut* failed at *now*."""
        failed = self._conversations.use(tenant, conversation)
        number = 1 if failed is None else min(failed.number + 1, _MOST_DOUBLINGS)
        self._conversations.put(tenant, conversation, _Failures(number, now))
        self._cuts.put(tenant, cut, (self._cuts.use(tenant, cut) or 0) + 1)

    def note_success(self, tenant: str, conversation: str) -> None:
        """Forget the failures of *conversation*."""
        if self._conversations.find(tenant, conversation) is not None:
            self._conversations.remove(tenant, conversation)


class _Spent(NamedTuple):
    requests: float
    summaries: float


_NOTHING_SPENT = _Spent(0.0, 0.0)


class SummaryShares:
    """The tokens of each tenant's requests and of its summaries, in this process.

    A summary may begin while the summaries so far are within their share. The first summary is therefore always
    allowed. The share can be exceeded by the tokens of the summaries that run at that moment.
    """

    def __init__(self) -> None:
        self._tenants: TenantLru[str, _Spent] = TenantLru(_REMEMBERED)

    def may_begin(self, tenant: str, max_share: float) -> bool:
        """Return True where the summaries of *tenant* so far have at most *max_share* of its tokens."""
        spent = self._tenants.find(tenant, "") or _NOTHING_SPENT
        return spent.summaries <= max_share * (spent.requests + spent.summaries)

    def count_request(self, tenant: str, tokens: int) -> None:
        """Add the *tokens* of one request of *tenant*, prompt and answer."""
        spent = self._tenants.use(tenant, "") or _NOTHING_SPENT
        self._tenants.put(tenant, "", spent._replace(requests=spent.requests + tokens))

    def count_summary(self, tenant: str, tokens: int) -> None:
        """Add the *tokens* of one call to a summarizing model for *tenant*."""
        spent = self._tenants.use(tenant, "") or _NOTHING_SPENT
        self._tenants.put(tenant, "", spent._replace(summaries=spent.summaries + tokens))


class SummaryOutcome(StrEnum):
    """The outcomes of summaries that were due, as the metric counts them."""

    WRITTEN = "written"
    FAILED = "failed"
    META_WRITTEN = "meta_written"
    META_FAILED = "meta_failed"
    LEASED = "leased"
    """Another process writes the summary."""

    BUSY = "busy"
    """This process writes as many summaries as it may.

    With client keys, this also means that the key's one summary is running.
    """

    DELAYED = "delayed"
    """A summary of the conversation has failed and the wait is not over, or the same cut has failed three times."""

    OVER_SHARE = "over_share"
    """The summaries of the client's key have used up their share of the key's tokens."""

    OVER_BUDGET = "over_budget"
    """The money of the client's key, or of its team, is used up (``max_budget``)."""

    NOT_READY = "not_ready"
    """The circuits of the summarizing model are open, or the configuration leaves no deployment for the model."""
