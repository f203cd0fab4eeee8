"""Decides which parameters of a request go to a deployment, and in what form.

The modes ``repair`` and ``strict`` fit the parameters to the provider (:mod:`proxy.upstream.dialects`). Mode ``strict``
refuses changes of the history and of tools, not of other parameters. Mode ``observe`` only reports the fitting. Mode
``off`` fits nothing.

Every mode drops unknown parameters, and those that the provider does not take. The metrics count them. A parameter that
the deployment allows by name goes upstream unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.core.source import ANTHROPIC_MESSAGES, GEMINI_NATIVE
from proxy.planning.limit_output import limit_output
from proxy.upstream.dialects import (
    FittedParameters,
    dialect_for,
    dialect_of,
    fit_parameters,
    may_ask_with_tools,
)
from proxy.upstream.transports import transport_of
from sanitizers import Change, Messages
from sanitizers.record import record

Unsupported = Callable[[Deployment, Mapping[str, Any]], frozenset[str]]
"""Returns the parameters that a deployment's provider does not take (:meth:`proxy.upstream.Upstream.unsupported`)."""

_LIMITED = (ANTHROPIC_MESSAGES, GEMINI_NATIVE)
"""The formats whose clients ask for as long an answer as their own provider's models give."""

_FITTING = ("repair", "strict")

_NEVER_DROPPED = ("tools", "functions", "n")
"""Dropping these would change the answer: agents would have no tools, and the client would get fewer answers."""


@record
class ParameterPlan:
    """The parameters that go upstream, and the changes.

    *extra_body* holds the unknown parameters that the deployment allows by name. *dropped* names the parameters that do
    not go upstream. *words* is an instruction to the model that has to be added to the history, if any.
    """

    parameters: Mapping[str, Any]
    extra_body: Mapping[str, Any]
    dropped: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    words: str | None = None


def plan_parameters(
    request: ChatRequest,
    deployment: Deployment,
    unsupported: Unsupported,
    messages: Messages,
    mode: str,
) -> ParameterPlan:
    """Return the parameters of *request* as *deployment* takes them.

    *messages* is the history that goes with the parameters. In modes ``repair`` and ``strict``, raises
    :class:`InvalidRequest` for a parameter that can neither be sent nor dropped.
    """
    given, allowed = request.parameters, deployment.allowed_openai_params
    limited: tuple[Change, ...] = ()
    if mode in _FITTING and request.source is not None and request.source.format in _LIMITED:
        given, limited = limit_output(given, deployment)
    if mode in _FITTING:
        fitted = seen = _fit(given, deployment, messages)
    else:
        fitted = seen = FittedParameters(given)
    if mode == "observe":
        seen = _fit_if_possible(given, deployment, messages)
    parameters = fitted.parameters
    withheld = unsupported(deployment, parameters)
    if withheld:
        if mode in _FITTING:
            _refuse_to_drop(withheld, parameters, deployment)
        kept = {name: value for name, value in parameters.items() if name not in withheld}
        parameters = MappingProxyType(kept)
    extra_body, dropped = deployment.extra_body, fitted.dropped
    if request.unknown or withheld or dropped:
        extra_body = MappingProxyType(
            {
                **extra_body,
                **{name: value for name, value in request.unknown.items() if name in allowed},
            }
        )
        unknown = (name for name in request.unknown if name not in allowed)
        dropped = (*unknown, *sorted({*withheld, *fitted.dropped}))
    return ParameterPlan(parameters, extra_body, dropped, (*limited, *seen.changes), fitted.instruction)


def parameters_as_given(request: ChatRequest, deployment: Deployment, mode: str) -> ParameterPlan:
    """Return the parameters of *request* as they came, for a request that goes out with the fields of its client.

    Modes ``repair`` and ``strict`` lower the answer's limit to the model's own.
    """
    given = request.parameters
    limited: tuple[Change, ...] = ()
    if mode in _FITTING:
        given, limited = limit_output(given, deployment)
    return ParameterPlan(given, deployment.extra_body, (), limited)


def _fit(given: Mapping[str, Any], deployment: Deployment, messages: Messages) -> FittedParameters:
    transport = transport_of(deployment)
    if may_ask_with_tools(deployment):
        dialect = dialect_of(deployment, transport, given)
    else:
        dialect = dialect_for(deployment, transport)
    return fit_parameters(given, dialect, messages, allowed=deployment.allowed_openai_params)


def _fit_if_possible(
    given: Mapping[str, Any], deployment: Deployment, messages: Messages
) -> FittedParameters:
    try:
        return _fit(given, deployment, messages)
    except InvalidRequest:
        return FittedParameters(given)


def _refuse_to_drop(withheld: frozenset[str], parameters: Mapping[str, Any], deployment: Deployment) -> None:
    for name in _NEVER_DROPPED:
        if name in withheld and not (name == "n" and parameters[name] == 1):
            raise InvalidRequest(
                f"'{name}' cannot be sent to this model through '{deployment.provider}'. "
                "The operator can allow it with 'allowed_openai_params'.",
                param=name,
            )
