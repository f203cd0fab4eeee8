"""Builds replies of a provider as the probe reads them, and cases for these replies."""

from __future__ import annotations

import json

from proxy.core.failures import Cause, Evidence
from proxy.planning.probe.choose_cases import Case, Expected
from proxy.planning.probe.history_values import Need, ProbeHistory, user
from proxy.planning.probe.judge_reply import Reply
from proxy.resilience.failure_table import find_row
from proxy.resilience.read_error import read_error

ANSWERED = Reply()


def refusal(status: int, words: str = "Bad request.") -> Reply:
    """Return the reply of a provider that answers with *status* and *words*."""
    body = json.dumps({"error": {"message": words, "type": "invalid_request_error"}}).encode()
    error = read_error(status, Evidence(status, body=body), now=0.0)
    return Reply(find_row(Cause.REFUSED, error).kind, status, error, words)


def failure(cause: Cause) -> Reply:
    """Return the reply of a provider that gave no answer because of *cause*."""
    error = read_error(None, Evidence(), now=0.0)
    return Reply(find_row(cause, error).kind, None, error)


def case_of(rule: str, expected: Expected, needs: Need = "text", *, hidden: str = "") -> Case:
    """Return a case of this rule. Its history does not matter."""
    return Case(ProbeHistory(rule, rule, (user(),), needs), expected, hidden)
