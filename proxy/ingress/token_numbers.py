"""Finds the numbers of tokens that a request's plan has counted."""

from __future__ import annotations

from proxy.observability.request_record import RequestRecord
from sanitizers.record import record

LOOSENESS = 5
"""An upper bound of a request's tokens, as a multiple of its estimate: 4.3 to 6.2 for requests of Claude Code."""


@record
class TokenNumbers:
    """The tokens of a request and the most that its model takes, for an overflow without numbers. 0 is unknown."""

    requested: int = 0
    limit: int = 0


NO_NUMBERS = TokenNumbers()


def numbers_of(facts: RequestRecord) -> TokenNumbers:
    """Return the estimate and the limit of the last plan in *facts*, with 0 for what is not known.

    A request that surely fits has not been counted, and has an upper bound alone. An estimate is made of the bound:
    Claude Code takes the number at the start of a stream that breaks for the truth, and compacts a history for it.
    """
    budget = None if facts.plan is None else facts.plan.budget
    if budget is None:
        return NO_NUMBERS
    requested = budget.sent if budget.exact else budget.sent // LOOSENESS
    return TokenNumbers(requested, budget.limit.tokens or budget.limit.window or 0)
