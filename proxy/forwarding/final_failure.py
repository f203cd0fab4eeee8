"""Chooses the final failure of a request: the one of its failed attempts that the client gets."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.forwarding.attempt_planner import Failure, PlanT
from proxy.resilience.failure_table import PERMANENT, Kind


def choose_final_failure(failures: Sequence[Failure[PlanT]]) -> Failure[PlanT]:
    """Return the one of *failures*, oldest first, that informs the client best.

    An answer that was not good enough goes before an error. A permanent fault of the request goes before a fallback's
    failure, since a client that gets the error of a busy fallback retries for ever. A fallback that cannot take the
    history at all does not hide the failure that led to it.
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
