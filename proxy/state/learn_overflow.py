"""Learns a deployment's context window and token factor from a context-overflow error.

An error is believed only as far as it is plausible, and only for a time. It may quote a client's words, or give a
limit in bytes. It may count the answer with the prompt, or come from a server that was restarted with a larger window.
A window that is too small refuses requests before they are sent, so nothing would prove it wrong.

- Numbers: the provider's limit becomes the window. It is ignored below 1,024 tokens, since every model's window is
  larger, and below an answered prompt. It is also ignored below a sixteenth of the known window, or half of the
  configured one. The provider's count divided by our estimate becomes the factor, if that raises the factor. Requests
  with media teach no factor.
- No numbers: with a known window and a request near it, the factor was too small. With an unknown window, the refused
  size becomes a guess. Guesses cut requests, and refuse none.
- Bytes: a limit on the body teaches nothing. Only this request's retry is made smaller.
- Inside a text: the overflow words may stand after other words of the error. The lesson then counts only for the
  tenant of this request, even if a code reports the overflow.
- In the request: overflow words that stand in the request too may be a quotation, so their numbers are not believed.
  Without a code nothing is learned, and only this request's retry is made smaller.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxy.resilience.read_overflow import Overflow
from proxy.state.lessons import LEAST_WINDOW, TIGHT, Learned
from sanitizers.budget.calibration import MOST, Calibration, observe, raise_to

_LEAST_SHARE = 16
_LEAST_CONFIGURED_SHARE = 2
_LEAST_GUESS = 4_096


@dataclass(frozen=True, slots=True)
class Refused:
    """A request that was refused for its length, in tokens."""

    estimated: int
    """The prompt's estimate, without a factor."""

    asked_output: int | None
    known_window: int | None
    """The window from the configuration, from litellm's table or from the model family."""

    media: bool
    configured: bool = False
    """True where the operator configured the known window."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """The result of an overflow error: the token factor, the window, and the size of the retry.

    *learned* is None where the error gave no window, not even a guess.
    """

    calibration: Calibration
    learned: Learned | None
    most: int | None
    """The most tokens that the retry may have, estimated with the new factor.

    None where the learned window suffices.
    """

    for_all: bool = False
    """True where *learned* counts for every tenant at once, since a code reported the overflow."""

    inside_text: bool = False
    """True where *learned* counts only for its tenant, even if errors of other tenants give the same window."""


def learn_overflow(overflow: Overflow, refused: Refused, calibration: Calibration, proved: int) -> Lesson:
    """Return the lesson of *overflow*, the error that answered the request *refused*.

    *proved* is the largest answered prompt.
    """
    estimated, known = refused.estimated, refused.known_window
    if overflow.of_bytes or not estimated:
        return Lesson(calibration, None, int(estimated * calibration.live * TIGHT))
    if overflow.in_request:
        if not overflow.coded:
            return Lesson(calibration, None, _tight(overflow, int(estimated * calibration.live)))
        overflow = Overflow(coded=True, inside_text=True)
    prompt = _prompt_of(overflow, refused)
    limit = overflow.limit
    share = _LEAST_CONFIGURED_SHARE if refused.configured else _LEAST_SHARE
    if limit is not None and limit < max(LEAST_WINDOW, proved + 1, (known or 0) // share):
        limit = None
    if limit is not None and overflow.requested is not None and overflow.requested <= limit:
        limit = None  # this is not an overflow of that limit
    window = limit or known
    if refused.media:
        pass  # The tokens of media are a guess. The factor is for text.
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
        for_all = overflow.coded and not overflow.inside_text
        return Lesson(calibration, Learned(limit), most, for_all, overflow.inside_text)
    if known is None and sent >= max(_LEAST_GUESS, proved) and not refused.media:
        return Lesson(calibration, Learned(sent, guessed=True), tight, inside_text=overflow.inside_text)
    return Lesson(calibration, None, tight)


def _tight(overflow: Overflow, sent: int) -> int:
    """Return the most tokens of this request's retry: a share of its size or of the provider's lower limit.

    A limit below 1,024 tokens counts as 1,024.
    """
    return int(min(sent, max(overflow.limit or sent, LEAST_WINDOW)) * TIGHT)


def _prompt_of(overflow: Overflow, refused: Refused) -> int | None:
    """Return the provider's count of the prompt alone. None where it includes an answer of unknown size."""
    if overflow.requested is None:
        return None
    if overflow.output is not None:
        return overflow.requested - overflow.output
    if not overflow.with_output:
        return overflow.requested
    return None if refused.asked_output is None else overflow.requested - refused.asked_output
