"""Finds the numbers of tokens that a request's plan has counted."""

from __future__ import annotations

from proxy.ingress.anthropic_messages.errors import NO_NUMBERS, TokenNumbers
from proxy.observability.request_record import RequestRecord


def numbers_of(facts: RequestRecord) -> TokenNumbers:
    """Return the estimate and the limit of the last plan in *facts*, with 0 for what is not known."""
    budget = None if facts.plan is None else facts.plan.budget
    if budget is None:
        return NO_NUMBERS
    return TokenNumbers(budget.sent, budget.limit.tokens or budget.limit.window or 0)
