"""The name of a repair that may be learned: a fault, a feature of the request, and the provider's own phrases."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from sanitizers.record import record


class RepairKey(NamedTuple):
    """One repair of one fault, for requests with one feature.

    *feature* is a parameter's name, a field's name, or the digest of a schema. It is empty where every request to a
    deployment has the fault. *words* are the phrases of the repair table that the provider's error contained, one on
    each line, and a refused name. They hold no other text of the error.
    """

    fault: str
    feature: str
    words: str
    loosens: bool
    """True where the repair loosens the form of an answer. It then needs a higher confidence."""

    def id_at(self, identity: str) -> str:
        """Return 12 hexadecimal digits that name this repair at the deployment with *identity*."""
        joined = "\0".join((identity, self.fault, self.feature, self.words))
        return hashlib.blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


@record
class LearnedRepair:
    """A repair that is made in advance for a request, and the evidence for it.

    *confirmed* and *contradicted* are decayed counts of conversations. *since* is the Unix time in seconds of the first
    confirmation. *of_conversation* is True where only the request's own conversation confirms the repair.
    """

    key: RepairKey
    confidence: float
    confirmed: float
    contradicted: float
    since: float
    of_conversation: bool
    probe_due: bool
    """True where the next request that needs the repair is sent without it, to see if the fault still exists."""
