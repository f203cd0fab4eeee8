"""Ways to fit a window that only leave messages out.

off         nothing is left out (the window would have to be as large as the session)
sliding     the oldest rounds are dropped, as many as each request needs: what a history limit usually does
middle-out  as much as each request needs is taken from the middle, half of what is kept from either end
ours        the preset ``balanced``: cut to half when a request would not fit
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.cuts.summaries import CallTokens
from benchmarks.cuts.window import TOOLS, Window
from benchmarks.sanitize import History
from sanitizers import Messages
from sanitizers.budget import PRESETS, CutInput, FixedTokens, Marks, count_leading_system, fit, marks_for
from sanitizers.budget.units import split_units
from sanitizers.profiles import OPENAI

Cut = Callable[[History, Window], History]
"""Takes a history and the window that it has to fit, and returns the messages to send."""


class Eviction:
    """A way to fit a window: it sends each history as *cut* returns it. No model summarizes."""

    def __init__(self, cut: Cut, window: Window) -> None:
        self._cut = cut
        self._window = window
        self.calls: list[CallTokens] = []

    def send(self, history: History) -> History:
        """Return the messages to send for *history*."""
        return self._cut(history, self._window)


def off(history: History, window: Window) -> History:
    """Return the whole history."""
    del window
    return history


def sliding(history: History, window: Window) -> History:
    """Drop the oldest rounds until the rest fits.

    The system messages, the first user message and the newest round stay.
    """
    lead = count_leading_system(history) + 1
    units = split_units(history, lead)
    turns = window.size.sum(history[1:])
    while turns > window.room and len(units) > 1:
        gone = units.pop(0)
        turns -= window.size.sum(history[gone.start : gone.end])
    return history[:lead] + (history[units[0].start :] if units else [])


def middle_out(history: History, window: Window) -> History:
    """Drop whole rounds from the middle of the history, so that the rest fits the window.

    The rounds that are kept at the beginning take at most half of the room.
    """
    lead = count_leading_system(history)
    units = split_units(history, lead)
    sizes = [window.size.sum(history[unit.start : unit.end]) for unit in units]
    if sum(sizes) <= window.room:
        return history
    first = kept = 0
    while kept + sizes[first] <= window.room // 2:
        kept += sizes[first]
        first += 1
    last = len(units)
    while last > first + 1 and kept + sizes[last - 1] <= window.room:
        last -= 1
        kept += sizes[last]
    return history[: units[first].start] + history[units[last].start :]


def ours(history: History, window: Window) -> History:
    """Cut the history with the preset ``balanced``, as the proxy does."""
    return fitted(history, window)


def fitted(history: History, window: Window, pinned: Messages = ()) -> History:
    """Return *history* cut with the preset ``balanced``. The messages *pinned* are neither dropped nor shortened."""
    cut = CutInput(history, OPENAI, window.size, pinned=pinned)
    done = fit(cut, marks_of(history, window), PRESETS["balanced"])
    if done.verdict != "fits":
        raise SystemExit("a request of the session cannot fit: choose a larger window")
    return list(done.messages)


def marks_of(history: History, window: Window) -> Marks:
    """Return the marks between which the preset ``balanced`` cuts *history*."""
    system = window.size.sum(history[: count_leading_system(history)])
    return marks_for(PRESETS["balanced"], limit=window.limit(history), fixed=FixedTokens(TOOLS, system))
