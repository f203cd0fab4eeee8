"""Applies the rules of a dialect to a request's parameters, in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from proxy.upstream.dialects.dialect import Dialect
from proxy.upstream.dialects.fitting import Fitting
from proxy.upstream.dialects.formats import fit_format
from proxy.upstream.dialects.reasoning import fit_effort
from proxy.upstream.dialects.sampling import fit_limits, fit_sampling, fit_stops
from proxy.upstream.dialects.tools import fit_tools, has_calls, has_marks, has_strict
from sanitizers import Change, Messages
from sanitizers.record import record


@record
class FittedParameters:
    """A request's parameters after the dialect's rules were applied.

    *parameters* is the given object itself if nothing had to change. *dropped* names the parameters that were left out.
    *instruction* asks the model for a format that no parameter can ask for
    (:func:`proxy.upstream.dialects.formats.with_instruction`).
    """

    parameters: Mapping[str, Any]
    changes: tuple[Change, ...] = ()
    dropped: tuple[str, ...] = ()
    instruction: str | None = None


_RULES = (fit_tools, fit_format, fit_limits, fit_effort, fit_sampling, fit_stops)
"""The rules in the order of their application.

Rules that drop parameters for good come first, so that no later rule judges these parameters.
"""


def fit_parameters(
    parameters: Mapping[str, Any],
    dialect: Dialect,
    messages: Messages,
    *,
    allowed: frozenset[str] = frozenset(),
) -> FittedParameters:
    """Return *parameters* as the provider takes them. *messages* is the history of the same request.

    The types of the parameters have been checked. Names in *allowed* stay unchanged, except that ``clean_tools``
    still cleans the schemas of tools.

    A parameter that the provider has no use for is dropped and counted. A value that the provider does not take is
    replaced by the nearest one, and a change is recorded. A parameter that another one excludes is dropped, and a
    change is recorded.

    Raises ``InvalidRequest`` where a change would spoil the answer for the client. Examples are more answers than the
    model gives, and the choice of an undeclared function. Nothing that was passed in is changed.
    """
    if parameters.keys() <= _untouched_by(dialect) and _keeps_tools(
        parameters.get("tools"), dialect, messages
    ):
        return FittedParameters(parameters)
    fitting = Fitting(parameters, dialect, messages, allowed)
    for name in sorted(dialect.dropped & parameters.keys()):
        # `n` and the old form of tools stay, since later rules refuse the one and rewrite the other.
        if fitting.value(name) is not None and name not in _SEEN_LATER:
            fitting.withhold(name)
    for rule in _RULES:
        rule(fitting)
    return FittedParameters(
        fitting.parameters, tuple(fitting.changes), tuple(fitting.dropped), fitting.instruction
    )


@lru_cache(maxsize=1024)
def _untouched_by(dialect: Dialect) -> frozenset[str]:
    """Return names that no rule changes, whatever their values, when a request has no other parameters.

    Most requests have only such parameters, and calling each rule would take ten times as long. ``tools`` is among
    them, so the caller has to look at the list itself (:func:`_keeps_tools`).
    """
    names = {
        "logit_bias",
        "max_tokens",
        "prompt_cache_key",
        "safety_identifier",
        "service_tier",
        "store",
        "tools",
    }
    if dialect.temperature is None:
        names.add("temperature")
    if dialect.top_p is None and not dialect.one_sampler:
        names.add("top_p")
    if dialect.least_output is not None:
        names.remove("max_tokens")
    elif dialect.limit == "any":
        names.add("max_completion_tokens")
    return frozenset(names - dialect.dropped)


def _keeps_tools(tools: Any, dialect: Dialect, messages: Messages) -> bool:
    """Tell whether *tools*, which may be missing, stay as they are when a request has no tool choice."""
    if tools is None:
        return not dialect.declares_calls or not has_calls(messages)
    if dialect.closed_schemas and has_strict(tools):
        return False
    return tools != [] and (dialect.tool_marks or not has_marks(tools))


_SEEN_LATER = frozenset({"function_call", "functions", "n"})
