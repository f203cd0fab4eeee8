"""The kinds of facts that a store keeps, each with its name and lifetime and a description for the operator."""

from __future__ import annotations

from dataclasses import dataclass

_MINUTE_S = 60.0
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """One kind of fact in a store. Spaces are compared by identity, and no two of them have the same name."""

    name: str
    lifetime_s: float
    """Seconds for which an entry is kept after it was written, unless the writer gives other seconds."""

    holds: str
    """A few words for the operator: the facts that the space holds."""

    cached: bool = False
    """True where this process may keep an entry in memory after it has read or written the entry.

    Other entries are always read from the store itself, since other processes change them.
    """


SIGNATURES = Space("signatures", 14 * _DAY_S, "thought signatures of tool calls", cached=True)
"""Signatures by the random id that the client got. Only the mark of a refused signature replaces an entry."""

THOUGHTS = Space("thoughts", 14 * _DAY_S, "thoughts of answers, in their order", cached=True)
"""Thoughts by the id of the answer's first call, or by the digest of the conversation. No entry is replaced."""

LESSONS = Space("lessons", 7 * _DAY_S, "token factors of deployments, and whether they report usage")
WINDOWS = Space("windows", 60 * _MINUTE_S, "context windows that errors taught")
COOLDOWNS = Space("cooldowns", 60 * _MINUTE_S, "cooldowns that providers asked for")
"""A cooldown is kept for the seconds that are left of it. An hour is the longest cooldown."""

PROBES = Space("probes", 0.5 * _MINUTE_S, "which process tests a deployment after its cooldown")
REFUSED = Space("refused", _MINUTE_S, "requests that a provider refused twice, as digests")

CONVERSATIONS = Space("conversations", 14 * _DAY_S, "which summaries a conversation has, as digests")
"""The index of each conversation (:class:`proxy.state.summaries.IndexEntry`)."""

SUMMARIES = Space("summaries", 14 * _DAY_S, "the memory of long conversations", cached=True)
"""Summaries by the digest of the messages that they cover.

Summaries of summaries have ``meta-`` before the digest. An entry is never replaced by another text.
"""

LEASES = Space("leases", 2 * _MINUTE_S, "which process writes a summary")

REPAIRS = Space("repairs", 30 * _DAY_S, "how often repairs of requests were needed, by deployment")
"""The evidence for repairs that are made in advance (:mod:`proxy.state.repairs`)."""

SESSIONS = Space("sessions", 7 * _DAY_S, "stored responses and conversations of the Responses API")
"""Sessions (:mod:`proxy.state.sessions`). ``sessions.retention`` replaces the lifetime, which counts from the last use.

Sessions have bounds in bytes of their own, within which each client has its account.
"""

SPACES = (
    SIGNATURES,
    THOUGHTS,
    LESSONS,
    WINDOWS,
    COOLDOWNS,
    PROBES,
    REFUSED,
    CONVERSATIONS,
    SUMMARIES,
    LEASES,
    REPAIRS,
    SESSIONS,
)
"""All spaces, in the order in which they are listed to the operator."""
