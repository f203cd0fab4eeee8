"""The factor of one deployment and tenant, as it stands in the store, and the factor that this process proposes.

All processes plan cuts by the factor that stands in the store. So a factor that one process learned is only a proposal.
The first proposal that the store takes wins, and every other process uses it. A raised factor differs: with a smaller
one, the provider refused a prompt, or no plan was possible. This process uses a raised factor at once, and proposes it
again until a factor as large stands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from proxy.state.lessons import DeploymentLessons
from proxy.state.sharing.lesson_values import (
    MOST_GENERATION,
    Factor,
    is_of_other_version,
    read_factor,
    write_factor,
)
from sanitizers.budget.calibration import LEAST, MOST, Calibration

_APART_S = 10.0
"""The least seconds between two writes of one factor by one process."""

_NEAR = 0.10
"""The largest difference, as a share, that :mod:`sanitizers.budget.calibration` leaves between its two factors."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A factor that this process learned, with the fields of :class:`proxy.state.sharing.lesson_values.Factor`."""

    sticky: float
    own: bool
    observed: bool
    raised: bool = False
    """True where a smaller factor would fail again."""


class SharedFactor:
    """The factor that stands in the store, as far as this process knows, and a proposal that waits."""

    __slots__ = ("_written_at", "is_foreign", "known", "proposal", "standing")

    def __init__(self) -> None:
        self.known: bytes | None = None
        """The stored bytes that this process saw last."""

        self.standing: Factor | None = None
        self.is_foreign = False
        """True where another version wrote the stored value. The factor is then not shared."""

        self.proposal: Proposal | None = None
        self._written_at = -math.inf

    def propose(self, proposal: Proposal) -> bool:
        """Let *proposal* wait in place of an older one, but not in place of a larger one that was raised.

        Return False where nothing waits: the same factor stands, or the factor cannot be shared.
        """
        stands, waits = self.standing, self.proposal
        if waits is not None and waits.raised and proposal.sticky < waits.sticky:
            return True  # another entry of the same deployment has just overflowed
        if stands is not None and (stands.sticky, stands.own, stands.observed) == (
            proposal.sticky,
            proposal.own,
            proposal.observed,
        ):
            self.proposal = None
        elif not self.is_foreign and LEAST <= proposal.sticky <= MOST:
            self.proposal = proposal
        return self.proposal is not None

    def is_due(self, now: float) -> bool:
        """Return True where the proposal may be written at *now*."""
        return self.proposal is not None and now >= self._written_at + _APART_S

    def note_written(self, now: float) -> None:
        """Start the pause before the next write."""
        self._written_at = now

    def value_of(self, proposal: Proposal) -> bytes:
        """Return the bytes that replace :attr:`known` if *proposal* wins."""
        generation = 1 if self.standing is None else self.standing.generation % MOST_GENERATION + 1
        return write_factor(Factor(generation, proposal.sticky, proposal.own, proposal.observed))

    def settle(self, proposal: Proposal, new: bytes, stands: bytes) -> bool:
        """Note that *stands* is the stored value after *new* was written for *proposal*.

        Return True if *new* stands.
        """
        if stands != new:
            self.see(stands)
            return False
        self.known, self.standing, self.is_foreign = new, read_factor(new), False
        if self.proposal is proposal:
            self.proposal = None
        return True

    def see(self, stands: bytes | None) -> None:
        """Note the stored value, None where there is none.

        If the value is new, the waiting proposal is dropped, unless it raises the factor further.
        """
        if stands == self.known:
            return
        self.known = stands
        self.standing = None if stands is None else read_factor(stands)
        self.is_foreign = stands is not None and is_of_other_version(stands)
        waits = self.proposal
        if waits is None or self.standing is None:
            if self.is_foreign:
                self.proposal = None
        elif not waits.raised or waits.sticky <= self.standing.sticky:
            self.proposal = None

    def apply_to(self, lessons: DeploymentLessons) -> None:
        """Set the factor of *lessons* to the one that stands, or to a larger one that was raised here.

        While another proposal waits, the factor of *lessons* stays as it is.
        """
        standing, waits = self.standing, self.proposal
        if standing is None:
            return
        old = lessons.calibration
        if waits is not None:
            if waits.raised and waits.sticky > old.sticky:
                lessons.calibration = replace(old, sticky=waits.sticky)
            return
        observations = max(old.observations, int(standing.observed))
        live = old.live
        if abs(live / standing.sticky - 1) > _NEAR or not lessons.has_factor:
            # Otherwise two processes with different live factors would overrule each other forever.
            live = standing.sticky
        lessons.calibration = Calibration(live, standing.sticky, observations)
        lessons.has_factor, lessons.has_own_factor = True, standing.own
