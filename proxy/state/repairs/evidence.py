"""The evidence for one repair: how often a conversation confirmed it, how often a probe contradicted it, and when.

A request confirms a repair if it was refused for the fault, repaired, and then accepted. A conversation confirms a
repair once. A probe contradicts a repair: the request was accepted without it. So does a request that is refused for
the same fault after the repair. Counts decay with a half-life of seven days. All times are Unix times in seconds.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

from sanitizers.record import record

HALF_LIFE_S = 7 * 86_400.0
_Z = 1.28
"""The quantile of the normal distribution for a one-sided bound of 90 %."""

MAX_CONVERSATIONS = 16
"""The most conversations whose digests are kept with the evidence of one client."""

CONVERSATION_S = 3_600.0
"""Seconds for which one conversation's own confirmation is enough for that conversation's requests."""

_FIRST_PROBE_REQUESTS = 50
_FIRST_PROBE_S = 3_600.0
_LAST_PROBE_REQUESTS = 1_000
_LAST_PROBE_S = 86_400.0
MAX_DOUBLINGS = 5
"""Doublings after which both intervals between two probes have reached their maximum."""

_DROPPED_AFTER = 2
"""Contradictions in a row after which nothing of the evidence counts any more."""


@record
class Evidence:
    """The evidence of one client for one repair. The counts are those of the time *at*.

    *contradictions_in_a_row* counts those since the last confirmation. *probed_at* is the time of the last probe or
    confirmation, and *doublings* tells how often the interval between two probes has doubled. *is_alone* is True after
    the client's own probes have dropped the repair: the evidence of others then does not count for this client.
    *conversations* holds the newest conversations that confirmed the repair, each with the time.
    """

    confirmed: float = 0.0
    contradicted: float = 0.0
    at: float = 0.0
    since: float = 0.0
    probed_at: float = 0.0
    doublings: int = 0
    contradictions_in_a_row: int = 0
    is_alone: bool = False
    conversations: tuple[tuple[str, float], ...] = ()

    def decayed(self, now: float) -> Evidence:
        """Return the evidence with its counts as of *now*. A time before *at* changes nothing."""
        if now <= self.at:
            return self
        share = 0.5 ** ((now - self.at) / HALF_LIFE_S)
        return replace(self, confirmed=self.confirmed * share, contradicted=self.contradicted * share, at=now)

    def not_after(self, now: float) -> Evidence:
        """Return the evidence with *now* in the place of every later time."""
        times = (self.at, self.since, self.probed_at, *(at for _, at in self.conversations))
        if max(times) <= now:
            return self
        return replace(
            self,
            at=min(self.at, now),
            since=min(self.since, now),
            probed_at=min(self.probed_at, now),
            conversations=tuple((name, min(at, now)) for name, at in self.conversations),
        )

    def confirm(self, conversation: str, now: float) -> Evidence:
        """Return the evidence after *conversation* confirmed the repair.

        A conversation that confirmed it before adds nothing to the count, but proves that the fault still exists.
        """
        known = any(name == conversation for name, _ in self.conversations)
        others = [entry for entry in self.conversations if entry[0] != conversation]
        counts = self.decayed(now)
        return replace(
            counts,
            confirmed=counts.confirmed + (0 if known else 1),
            since=counts.since or now,
            probed_at=now,
            contradictions_in_a_row=0,
            conversations=(*others, (conversation, now))[-MAX_CONVERSATIONS:],
        )

    def confirm_probe(self, now: float) -> Evidence:
        """Return the evidence after a probe was refused for the fault: the next probe comes later."""
        return replace(
            self,
            probed_at=now,
            doublings=min(self.doublings + 1, MAX_DOUBLINGS),
            contradictions_in_a_row=0,
        )

    def contradict(self, now: float) -> Evidence:
        """Return the evidence after a contradiction. The second one in a row leaves nothing."""
        if self.contradictions_in_a_row + 1 >= _DROPPED_AFTER:
            return Evidence(at=now, probed_at=now, is_alone=True)
        counts = self.decayed(now)
        return replace(
            counts,
            contradicted=counts.contradicted + 1,
            probed_at=now,
            doublings=0,
            contradictions_in_a_row=self.contradictions_in_a_row + 1,
        )

    def weight(self, now: float) -> float:
        """Return the decayed number of observations. Contradictions that dropped the repair count as well."""
        seen = self.confirmed + self.contradicted + (_DROPPED_AFTER if self.is_alone else 0)
        return replace(self, confirmed=seen).decayed(now).confirmed

    def confirmed_by(self, conversation: str, now: float) -> bool:
        """Return True where *conversation* confirmed the repair within the last hour."""
        return any(name == conversation and now < at + CONVERSATION_S for name, at in self.conversations)

    def is_probe_due(self, requests: int, *, since: float, now: float) -> bool:
        """Return True where a request is to be sent without the repair.

        *requests* is the number of requests with the repair since the last probe, which was at *since*. The clock
        may have been set back. So a time in the future counts as one that is as far in the past.
        """
        if self.contradictions_in_a_row:
            return True
        factor: int = 2**self.doublings
        most = min(_FIRST_PROBE_REQUESTS * factor, _LAST_PROBE_REQUESTS)
        return requests >= most - 1 or abs(now - since) >= min(_FIRST_PROBE_S * factor, _LAST_PROBE_S)


def confidence(confirmed: float, contradicted: float) -> float:
    """Return the lower bound of the share of confirmations among all observations, with 90 % probability.

    The bound is Wilson's (1927). It is 0 without observations. Four confirmations without a contradiction give 0.71.
    """
    count = confirmed + contradicted
    if count <= 0:
        return 0.0
    squared = _Z * _Z  # this form of the bound is sound for counts that have almost decayed
    spread = _Z * sqrt(confirmed / count * contradicted + squared / 4)
    return max(0.0, (confirmed + squared / 2 - spread) / (count + squared))
