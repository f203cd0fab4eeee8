"""Dialects that tests fit parameters to, and the check of one rule."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.upstream.dialects import Dialect, FittedParameters, fit_parameters
from proxy.upstream.dialects.dialect import EFFORTS
from tests.support.builders import assistant, call, tool, user

TOOL = {"type": "function", "function": {"name": "look"}}
OTHER = {"type": "function", "function": {"name": "leap"}}
NAMED = {"type": "function", "function": {"name": "look"}}
HISTORY = [user("q")]
CALLED = [user("q"), assistant(None, calls=[call("c1", "look")]), tool("c1", "r"), user("Go on.")]
SCHEMA = {"type": "json_schema", "json_schema": {"name": "s", "schema": {"type": "object"}}}
JSON = {"type": "json_object"}
CLAUDE = Dialect("claude", efforts=EFFORTS, thinking="budget", functions=False)
V4 = Dialect("v4", efforts=("none", "high"), thinking="always")


def fit(dialect: Dialect, messages: list[Any] | None = None, **parameters: Any) -> FittedParameters:
    """Return *parameters* fitted to a dialect."""
    return fit_parameters(parameters, dialect, messages or HISTORY)


def changes_of(fitted: FittedParameters) -> str:
    """Return kind, reason and detail of each change. Assert that all changes have the index 0."""
    assert all((change.step, change.index) == ("parameters", 0) for change in fitted.changes)
    return ", ".join(f"{change.kind} {change.reason} {change.detail}" for change in fitted.changes)


Row = tuple[Dialect, dict[str, Any], dict[str, Any], str]
"""A dialect, given parameters, expected parameters, and the changes as :func:`changes_of` writes them.

Without changes, empty expected parameters stand for the given ones.
"""


def check_rule(dialect: Dialect, given: dict[str, Any], expected: dict[str, Any], changes: str) -> None:
    """Check what a rule makes of parameters: the result, the changes, and that the input stays as it was."""
    before = copy.deepcopy(given)
    fitted = fit_parameters(given, dialect, HISTORY)

    assert fitted.parameters == (expected or ({} if changes else given))
    assert changes_of(fitted) == changes
    assert given == before
    if not changes and not fitted.dropped:
        assert fitted.parameters is given
    dropped = {change.detail for change in fitted.changes if change.kind == "dropped"}
    assert {detail for detail in dropped if "[" not in detail} <= set(fitted.dropped)


def check_refused(dialect: Dialect, parameters: dict[str, Any], param: str) -> None:
    """Check that a request is refused, and that the error names the parameter."""
    with pytest.raises(InvalidRequest) as refusal:
        fit(dialect, **parameters)

    assert (refusal.value.param or "").split(".")[0] == param
