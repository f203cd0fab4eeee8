"""The rules over the table's row, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from proxy.upstream.dialects.dialect import Dialect
from proxy.upstream.dialects.fitting import Fitting
from proxy.upstream.dialects.formats import fit_format
from proxy.upstream.dialects.reasoning import fit_effort
from proxy.upstream.dialects.sampling import fit_limits, fit_sampling, fit_stops
from proxy.upstream.dialects.tools import fit_tools
from sanitizers import Change, Messages
from sanitizers.record import record


@record
class FittedParameters:
    """What became of a request's parameters.

    *parameters* is the very object that was given where nothing had to be done. *dropped* names those that are gone.
    *words* is what the model has to be told, since no parameter says it
    (:func:`proxy.upstream.dialects.formats.with_words`).
    """

    parameters: Mapping[str, Any]
    changes: tuple[Change, ...] = ()
    dropped: tuple[str, ...] = ()
    words: str | None = None


_RULES = (fit_tools, fit_format, fit_limits, fit_effort, fit_sampling, fit_stops)
"""What is dropped for good goes first, so that it is judged by no other rule."""


def fit_parameters(
    parameters: Mapping[str, Any],
    dialect: Dialect,
    messages: Messages,
    *,
    allowed: frozenset[str] = frozenset(),
) -> FittedParameters:
    """Return *parameters*, of checked types, in the provider's way; *messages* is the history they go with.

    Names in *allowed* pass untouched; the schemas of tools are cleaned all the same (``clean_tools``). A
    parameter that the provider has no use for is dropped and counted; one whose value it does not take is mapped to the
    nearest, and one that cannot stand beside another is dropped, each with a change. What the client would miss in the
    answer is refused: ``InvalidRequest`` for more answers than there can be, and for a choice of a
    function that is not declared. Nothing that was passed in is changed.
    """
    if parameters.keys() <= _untouched_by(dialect) and parameters.get("tools") != []:
        return FittedParameters(parameters)
    fitting = Fitting(parameters, dialect, messages, allowed)
    for name in sorted(dialect.dropped & parameters.keys()):
        # More answers than one are refused further on, and the old form of tools is written anew.
        if fitting.value(name) is not None and name not in _SEEN_LATER:
            fitting.withhold(name)
    for rule in _RULES:
        rule(fitting)
    return FittedParameters(fitting.parameters, tuple(fitting.changes), tuple(fitting.dropped), fitting.words)


@lru_cache(maxsize=1024)
def _untouched_by(dialect: Dialect) -> frozenset[str]:
    """Return names that no rule has anything to say of, whatever their values, where none but they are there.

    Most requests have no others; to ask each rule takes ten times as long. Tools are among them where there are some.
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
    if dialect.limit == "any":
        names.add("max_completion_tokens")
    return frozenset(names - dialect.dropped)


_SEEN_LATER = frozenset({"function_call", "functions", "n"})
