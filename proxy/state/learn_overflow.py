"""What an overflow teaches about a deployment. Pure.

An error is believed as far as it is plausible, and not for ever: it may quote a client's words, speak of bytes, count
the answer with the prompt, or come from a server that was restarted with more. A window that is taken too small refuses
requests that nobody sends any more, so nothing would prove it wrong.

numbers     the provider's limit is the window, unless it is smaller than any model's, than a prompt that was answered,
            than a sixteenth of what is known, or than half of what the operator has configured; its count of the
            prompt is adopted as the factor
none        where the window is known and the request near it, the factor was too small; where it is unknown, what did
            not fit is a guess, by which requests are cut and none is refused
bytes       a limit on the body teaches nothing: one request is made smaller
within      words that stand within a text teach their own tenant alone, code or not
buried      words that occur in the request, without a code, may be a quotation: one request is made smaller
"""

from __future__ import annotations

from dataclasses import dataclass

from proxy.resilience.read_overflow import Overflow
from proxy.state.taught import TIGHT, Learned
from sanitizers.budget.calibration import MOST, Calibration, observe, raise_to

_LEAST_WINDOW = 1_024
_LEAST_SHARE = 16
_LEAST_CONFIGURED_SHARE = 2
_LEAST_GUESS = 4_096


@dataclass(frozen=True, slots=True)
class Refused:
    """A request that was refused for its length, in tokens."""

    estimated: int
    """The prompt's estimate, without any factor."""

    asked_output: int | None
    known_window: int | None
    """By configuration, catalogue or family."""

    media: bool
    configured: bool = False
    """Whether the known window is the operator's own word."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is known afterwards: *learned* is None where no window was taught."""

    calibration: Calibration
    learned: Learned | None
    most: int | None
    """Tokens that the next try may have at most, where the window does not say; by the new factor."""

    for_all: bool = False
    """Whether *learned* counts for every tenant at once: a code said that it is an overflow."""

    within: bool = False
    """Whether *learned* counts for its tenant alone, whoever else was taught the same."""


def learn_overflow(overflow: Overflow, refused: Refused, calibration: Calibration, proved: int) -> Lesson:
    """Return what *overflow*, the answer to *refused*, teaches; *proved* is the largest prompt that was answered."""
    estimated, known = refused.estimated, refused.known_window
    if overflow.of_bytes or not estimated:
        return Lesson(calibration, None, int(estimated * calibration.live * TIGHT))
    if overflow.buried:
        if not overflow.coded:
            return Lesson(calibration, None, _tight(overflow, int(estimated * calibration.live)))
        overflow = Overflow(coded=True, within=True)
    prompt = _prompt_of(overflow, refused)
    limit = overflow.limit
    share = _LEAST_CONFIGURED_SHARE if refused.configured else _LEAST_SHARE
    if limit is not None and limit < max(_LEAST_WINDOW, proved + 1, (known or 0) // share):
        limit = None
    if limit is not None and overflow.requested is not None and overflow.requested <= limit:
        limit = None  # that is no overflow of this limit
    window = limit or known
    if refused.media:
        pass  # what media costs is a guess: the factor is about text
    elif prompt is not None and limit is not None:
        first = observe(calibration, estimated, prompt) if not calibration.observations else calibration
        calibration = raise_to(first, estimated, prompt)
    elif prompt is None and window is not None:
        least = window - (refused.asked_output or 0)
        if estimated * (MOST if limit is not None else 2 * calibration.live) >= least:
            calibration = raise_to(calibration, estimated, least)
    sent = int(estimated * calibration.live)
    tight = _tight(overflow, sent)
    if limit is not None:
        most = None if prompt is not None else tight
        for_all = overflow.coded and not overflow.within
        return Lesson(calibration, Learned(limit), most, for_all, overflow.within)
    if known is None and sent >= max(_LEAST_GUESS, proved) and not refused.media:
        return Lesson(calibration, Learned(sent, guessed=True), tight, within=overflow.within)
    return Lesson(calibration, None, tight)


def _tight(overflow: Overflow, sent: int) -> int:
    """Return the tokens that this request may have at most: its own provider's word about it, at least."""
    return int(min(sent, max(overflow.limit or sent, _LEAST_WINDOW)) * TIGHT)


def _prompt_of(overflow: Overflow, refused: Refused) -> int | None:
    """Return the provider's count of the prompt alone; None where it counted the answer with it."""
    if overflow.requested is None:
        return None
    if overflow.output is not None:
        return overflow.requested - overflow.output
    if not overflow.with_output:
        return overflow.requested
    return None if refused.asked_output is None else overflow.requested - refused.asked_output
