"""Fit a legal chat history into a budget of tokens, such as a model's context window.

Fitting comes after sanitizing. Fitting runs for each attempt to call a deployment, with the budget of that deployment::

    marks = marks_for(policy, limit=limit, margin=margin, fixed=FixedTokens(tools, system))
    fitted = fit(CutInput(done.messages, profile, size, done.origins), marks, policy)
    fitted.messages   # `done.messages` itself when nothing was cut
    fitted.changes    # each cut with its place and reason, never any text
    fitted.verdict    # `fits`, or `over_hard`: then nothing may be sent, and `parts` lists the tokens

These rules hold here:

- A call is never separated from its result, and call arguments are never changed.
- System messages, the user's first and last messages, pinned messages and the current round are never dropped.
- No cut depends on stored state: each cut is computed anew from the history (:mod:`sanitizers.budget.replay`).
- By default nothing is changed while a request fits.

Files, in the order of the data:

    find_family, families, media,
    features, json_text, text_cache,
    estimate                              tokens of texts, messages and requests
    upper_bound                           an upper bound of the tokens, without counting
    calibration                           a factor learned from providers' counts
    marks                                 presets, and the marks where cutting begins and ends
    units, replay, ledger                 the plan of what is cut
    old_results, old_rounds, middle_cut   the kinds of cuts
    cap_text, safe_cut, markers           shortening one text
    render, fit, parts                    the messages that are sent, and where the tokens are
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
