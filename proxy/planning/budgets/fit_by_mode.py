"""Fits a request into its token budget by the rules of ``sanitize.mode``.

Only mode ``repair`` sends a request that was cut. The other modes report the cuts, or refuse the request.
"""

from __future__ import annotations

from dataclasses import replace

from proxy.core.errors import ContextTooLong
from proxy.planning.budgets.budget_facts import BudgetFacts
from proxy.planning.budgets.fit_request import FitInput, FittedRequest, fit_request


def fit_by_mode(given: FitInput, facts: BudgetFacts, mode: str, *, count: bool) -> FittedRequest | None:
    """Return *given* fitted to its token budget by the rules of *mode*.

    With *count*, the tokens are counted even where an estimate is enough. Only ``repair`` cuts. ``observe`` reports the
    cuts, and returns None for a request that cannot be made to fit. The other modes raise :class:`ContextTooLong` for
    such a request. ``strict`` also raises it for a request that needs a cut.
    """
    try:
        fitted = fit_request(given, facts, count=count)
    except ContextTooLong:
        if mode == "observe":
            return None
        raise
    if mode == "repair":
        return fitted
    report, cuts = fitted.report, fitted.changes
    if mode == "observe":
        report = replace(report, sent=report.estimate)
    elif cuts:
        shortened = cuts[-1].detail if not report.removed else ""
        what = f"to ask for less output ({shortened})" if shortened else "to be cut"
        raise ContextTooLong(
            f"The request comes to about {report.estimate} tokens and would have {what} (mode 'strict').",
            param=shortened.partition(" ")[0] or "messages",
        )
    return FittedRequest(given.messages, given.parameters, cuts, report)
