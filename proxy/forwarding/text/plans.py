"""Plans the parameters of a request for embeddings or a text completion, for one deployment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.core.text_request import EmbeddingSource, TextRequest
from proxy.forwarding.text.as_chat import chat_parameters, prompt_as_messages
from proxy.planning.apply_defaults import EMBEDDING_DEFAULTS, TEXT_DEFAULTS, add_defaults, with_defaults
from proxy.planning.plan_parameters import Unsupported, plan_parameters
from proxy.planning.provider_needs import find_refusal
from proxy.upstream.transports import completes_texts, embeds_by_gemini
from sanitizers import Change


@dataclass(frozen=True, slots=True)
class TextPlan:
    """A request for embeddings or a text completion, ready to be sent. *dropped* names the parameters left out."""

    request: TextRequest
    deployment: Deployment
    mode: str
    parameters: Mapping[str, Any]
    extra_body: Mapping[str, Any]
    dropped: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    """The changes that fitted the parameters to the provider."""

    source: EmbeddingSource | None = None
    """The client's own request, where the provider gets that. *parameters* has only defaults beside ``input`` then."""


MakePlan: TypeAlias = Callable[[TextRequest, Deployment, str], TextPlan]
"""Plans a request for a deployment in a sanitizing mode. Raises :class:`proxy.core.errors.InvalidRequest`."""


def plan_embeddings(
    request: TextRequest, deployment: Deployment, mode: str, unsupported: Unsupported
) -> TextPlan:
    """Return the plan for sending *request* to *deployment*, without the parameters that *unsupported* names.

    Raises :class:`proxy.core.errors.InvalidRequest`, with ``of_deployment``, for what only another provider can embed,
    and for a file of an account that several clients share.
    """
    given, source = request.parameters, request.source
    if source is not None:
        refusal = _find_unable(source, deployment)
        if refusal is not None:
            raise refusal
        if embeds_by_gemini(deployment):
            given = {"input": given["input"]}
        else:
            source = None
    parameters = add_defaults(given, deployment, EMBEDDING_DEFAULTS)
    return _plan_unchanged(request, deployment, mode, parameters, unsupported(deployment, parameters), source)


def able_to_embed(source: EmbeddingSource, pool: Sequence[Deployment]) -> tuple[Deployment, ...]:
    """Return the deployments of *pool* that can serve the needs of *source*, or all of them where none can."""
    return tuple(member for member in pool if _find_unable(source, member) is None) or tuple(pool)


def _find_unable(source: EmbeddingSource, deployment: Deployment) -> InvalidRequest | None:
    is_native = embeds_by_gemini(deployment)
    return find_refusal(source.needs, deployment, speaks_format=is_native, is_native=is_native)


def plan_text(request: TextRequest, deployment: Deployment, mode: str, unsupported: Unsupported) -> TextPlan:
    """Return the plan for *request* on *deployment*. *unsupported* returns the parameters that chats do not take.

    Raises :class:`proxy.core.errors.InvalidRequest` for a parameter that a chat model cannot serve.
    """
    if completes_texts(deployment):
        parameters = add_defaults(request.parameters, deployment, TEXT_DEFAULTS)
        return _plan_unchanged(request, deployment, mode, parameters, frozenset())
    given, left_out = chat_parameters(request.parameters)
    prompt = request.parameters["prompt"]
    messages = prompt_as_messages(prompt)
    chat = ChatRequest(
        request.model, messages, request.stream, request.include_usage, given, request.unknown, weight=0
    )
    chat = with_defaults(chat, deployment, is_text=True)
    planned = plan_parameters(chat, deployment, unsupported, messages, mode)
    return TextPlan(
        request,
        deployment,
        mode,
        MappingProxyType({"prompt": prompt, **planned.parameters}),
        planned.extra_body,
        (*planned.dropped, *left_out),
        planned.changes,
    )


def _plan_unchanged(
    request: TextRequest,
    deployment: Deployment,
    mode: str,
    parameters: Mapping[str, Any],
    withheld: frozenset[str],
    source: EmbeddingSource | None = None,
) -> TextPlan:
    allowed = deployment.allowed_openai_params
    sent = {name: value for name, value in parameters.items() if name not in withheld}
    named = {name: value for name, value in request.unknown.items() if name in allowed}
    extra_body = {**deployment.extra_body, **named}
    own = request.source.own if request.source is not None and source is None else ()
    left_out = (name for name in (*request.unknown, *own) if name not in extra_body)
    dropped = (*left_out, *sorted(withheld))
    return TextPlan(
        request,
        deployment,
        mode,
        MappingProxyType(sent),
        MappingProxyType(extra_body),
        dropped,
        source=source,
    )
