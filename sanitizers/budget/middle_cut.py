"""Cut the middle of texts that must be kept, when these alone do not fit.

This is the last cut before a request is refused.

The newest round's results are cut first: the largest of them are cut down to one level. Then the user's texts are cut
in the same way. No text is cut below about 1,000 characters. System messages, pinned messages, calls and their
arguments, and media are never cut.
"""

from __future__ import annotations

from collections.abc import Sequence

from sanitizers.budget.cap_text import Cap, cap_content, length_of
from sanitizers.budget.ledger import Ledger
from sanitizers.budget.markers import MARKER_ROOM, OF_RESULT, OF_TEXT
from sanitizers.messages import RESULT_ROLES
from sanitizers.work_limit import spend

SHORTEST = 1_000
"""The smallest number of characters that a cut leaves of a text, without the marker.

A cut at a line's end may take some more.
"""

_ATTEMPTS = 4
_SLACK = 0.97
_LEAST = 7 / 8
"""The largest share of a text that a cut leaves. So one text is cut at most some dozens of times in a session."""


def cut_middles(ledger: Ledger, candidates: Sequence[int], target: int) -> bool:
    """Cut the middle of the largest of *candidates* until the total is at *target*, and tell whether any was cut.

    *candidates* are indexes of messages that are not gone. The total may stay above *target*.
    """
    changed = False
    for _ in range(_ATTEMPTS):
        if not candidates or ledger.total <= target:
            break
        spend(len(candidates))
        level = _level([ledger.now[at] for at in candidates], ledger.total - target)
        done = [_shorten(ledger, at, level) for at in candidates if ledger.now[at] > level]
        if not any(done):
            break
        changed = True
    return changed


def _level(tokens: Sequence[int], excess: int) -> int:
    """Return the level for which cutting all larger *tokens* to that level saves *excess*, or 0 where none does."""
    ordered = sorted(tokens, reverse=True)
    saved = 0
    for count, (height, below) in enumerate(zip(ordered, [*ordered[1:], 0], strict=True), start=1):
        if saved + count * (height - below) >= excess:
            return height - -(-(excess - saved) // count)
        saved += count * (height - below)
    return 0


def _shorten(ledger: Ledger, at: int, level: int) -> bool:
    """Cut one message's original text to about *level* tokens, and tell whether it was cut."""
    message = ledger.messages[at]
    content = message.get("content")
    characters = length_of(ledger.current(at).get("content"))
    share = min(_LEAST, level / ledger.now[at] * _SLACK)
    keep = MARKER_ROOM + max(SHORTEST, int(characters * share) - MARKER_ROOM)
    if keep >= characters:
        return False
    is_result = message["role"] in RESULT_ROLES
    shorter = cap_content(
        content,
        Cap(keep),
        is_error=message.get("is_error") is True,
        advice=OF_RESULT if is_result else OF_TEXT,
    )
    return shorter is not content and ledger.replace(at, shorter, "middle_cut")
