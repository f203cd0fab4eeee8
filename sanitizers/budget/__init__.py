"""Fit a legal history into a model's budget. Pure, like the rest of the core.

After sanitizing, per attempt and for the target's budget::

    marks = marks_for(policy, limit=limit, margin=margin, fixed=FixedTokens(tools, system))
    fitted = fit(CutInput(done.messages, profile, size, done.origins), marks, policy)
    fitted.messages   # `done.messages` itself when nothing was cut
    fitted.changes    # what was capped, cleared, cut or dropped, where and why; never any text
    fitted.verdict    # `fits`, or `over_hard`: then nothing must be sent, and `parts` says where the tokens are

Rules that hold here:

- a call is never parted from its result, and call arguments are never touched;
- system messages, the user's first and last words and the current round are never dropped;
- no cut depends on state: it is found again from the history itself (:mod:`sanitizers.budget.replay`);
- by default nothing is touched before a request would not fit.
"""

from sanitizers.budget.cap_text import Cap
from sanitizers.budget.fit import CutInput, Fitted, Verdict, fit
from sanitizers.budget.ledger import Reason, Size
from sanitizers.budget.marks import PRESETS, CutPolicy, FixedTokens, Marks, marks_for
from sanitizers.budget.parts import Parts, measure_parts
from sanitizers.budget.render import Removed
from sanitizers.budget.replay import Event
from sanitizers.budget.units import count_leading_system

__all__ = [
    "PRESETS",
    "Cap",
    "CutInput",
    "CutPolicy",
    "Event",
    "Fitted",
    "FixedTokens",
    "Marks",
    "Parts",
    "Reason",
    "Removed",
    "Size",
    "Verdict",
    "count_leading_system",
    "fit",
    "marks_for",
    "measure_parts",
]
