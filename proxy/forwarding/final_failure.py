"""Chooses the failed attempt whose error the client gets as the request's final failure."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.forwarding.attempt_planner import Failure, PlanT
from proxy.resilience.failure_table import PERMANENT, Kind


def choose_final_failure(failures: Sequence[Failure[PlanT]]) -> Failure[PlanT]:
    """Return the failure that informs the client best, from *failures* with the oldest first.

    A last failure that allows no repeat is always chosen. Otherwise an unusable answer is preferred to an error. A
    permanent fault of the request is preferred to a fallback's failure. A client that got the error of a busy fallback
    would retry for ever. Where the last failure is a conversion error, the last failure of another kind is chosen.
    """
    last = failures[-1]
    if not last.may_repeat:
        return last
    answers = [failure for failure in failures if failure.is_answer]
    asked = [failure for failure in failures if failure.of_asked_model]
    called = [failure for failure in failures if failure.row.kind is not Kind.CONVERSION]
    if answers:
        return answers[-1]
    if asked and asked[-1].row.kind in PERMANENT:
        return asked[-1]
    if last.row.kind is Kind.CONVERSION and called:
        return called[-1]
    return last
