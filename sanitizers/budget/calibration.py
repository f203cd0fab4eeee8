"""What a provider's own counts say about the estimates: one factor per deployment, learned from ``usage``.

The estimator knows a family's tokenizer, not the deployment: an unknown model may take a third more tokens, a server
adds a template of its own, clients differ in what they write. All of that is mostly one factor. The first
observation is adopted, since it is worth more than any prior; later ones are averaged in the logarithm with a weight
of one in ten, no step larger than 30 %. Simulated with ten tokenizers taken for unknown and three interleaved
recorded agent sessions, the median deployment is within ±10 % after one observation and all are after two; the mean
error then is 2.1 %.

There are two factors. ``live`` is the newest knowledge, for decisions about one request: admit, refuse. ``sticky``
follows it only when they are more than 10 % apart, for planning cuts: whatever moves the plan moves the cut points and
breaks the provider's prompt cache (in a recorded session of 479 requests a live factor that wandered by 1 % a request
moved the cuts 221 times or more, a sticky one 6 to 8 times, as often as a fixed one).

Pure: a state goes in, a state comes out. Where it is kept, and for how long, is the caller's affair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sanitizers.budget.families import Family

LEAST = 0.5
MOST = 3.0
"""The factors between which the truth is taken to lie; usage beyond them counts something else, and teaches nothing."""

MIN_ESTIMATE = 500
"""Estimated tokens under which a request is too small to tell: the provider's overheads outweigh its text."""

MARGIN = 0.08
"""Share of the budget to keep free once there is an observation."""

_MAX_STEP = math.log(1.3)
_MIN_WEIGHT = 0.1
_DEAD_BAND = 0.10


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is known about one deployment: factors from estimated to real tokens, and what they rest on."""

    live: float
    """The newest factor, for admitting and refusing."""

    sticky: float
    """The factor to plan with: one that rarely moves."""

    observations: int = 0
    """How many answers have told; 0 for a factor that is the family's."""


def initial(family: Family) -> Calibration:
    """Return the state of a deployment of *family* that has not answered yet."""
    return Calibration(family.initial_factor, family.initial_factor)


def margin(state: Calibration, family: Family) -> float:
    """Return the share of the budget to keep free for what the factor may get wrong.

    8 % after an observation, 15 % before one where the tokenizer is known, 25 % where it is not.
    """
    return MARGIN if state.observations else family.margin


def observe(state: Calibration, estimated: float, actual: float, *, media: bool = False) -> Calibration:
    """Return *state* after an answer whose prompt had *actual* tokens by the provider's count.

    *estimated* is the estimate of what was sent, without any factor. *actual* includes cached tokens (Anthropic counts
    those apart). *media* says that the request held anything but text, whose cost is a guess. *state* itself comes
    back for what tells nothing: media, a small request, no usage, and a count of something else (the uncached part
    alone).
    """
    if media or not estimated >= MIN_ESTIMATE or not 0 < actual < math.inf or math.isinf(estimated):
        return state
    observed = actual / estimated
    if not LEAST <= observed <= MOST:
        return state
    observations = state.observations + 1
    if not state.observations:
        return Calibration(observed, observed, 1)
    step = math.log(observed / state.live) * max(1 / observations, _MIN_WEIGHT)
    live = state.live * math.exp(min(max(step, -_MAX_STEP), _MAX_STEP))
    live = min(max(live, LEAST), MOST)
    held = abs(live / state.sticky - 1) <= _DEAD_BAND
    return Calibration(live, state.sticky if held else live, observations)


def raise_to(state: Calibration, estimated: float, actual: float) -> Calibration:
    """Return *state* after a prompt that is known to have *actual* tokens at least, since it was refused for them.

    What was planned by a smaller factor would be refused again, so this is not averaged. *estimated* is as in
    :func:`observe`; *state* itself comes back where its factor is large enough, or the request is too small to tell.
    """
    if not estimated >= MIN_ESTIMATE or not 0 < actual < math.inf:
        return state
    factor = min(actual / estimated, MOST)
    if factor <= state.live:
        return state
    held = factor / state.sticky - 1 <= _DEAD_BAND
    return Calibration(factor, state.sticky if held else factor, state.observations)
