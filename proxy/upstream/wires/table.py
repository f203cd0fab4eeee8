"""The list of wires, and the wire of a deployment.

A new wire is a folder next to ``openai``, ``gemini`` and ``anthropic``, and a row of :data:`WIRES`. The configuration
checks ``transport: direct`` against :mod:`proxy.config.addresses`, which also has the providers' addresses.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proxy.config.providers.find_provider import find_provider
from proxy.config.providers.why_litellm import EMBEDS_ONLY_BY_LITELLM
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.dialects.responses_models import asks_responses
from proxy.upstream.wires.anthropic.count_tokens import TokenCount
from proxy.upstream.wires.anthropic.eligibility import is_eligible as sends_messages
from proxy.upstream.wires.anthropic.native_wire import MESSAGES
from proxy.upstream.wires.anthropic.wire import ANTHROPIC
from proxy.upstream.wires.gemini.eligibility import is_eligible as sends_contents
from proxy.upstream.wires.gemini.native_wire import CONTENTS
from proxy.upstream.wires.gemini.wire import GEMINI
from proxy.upstream.wires.openai.wire import AZURE, OPENAI
from proxy.upstream.wires.openai_responses.eligibility import is_eligible
from proxy.upstream.wires.openai_responses.wire import ChatsByResponses, ResponsesWire
from proxy.upstream.wires.protocol import EmbeddingWire, ProviderWires, TextWire, WholeWire, Wire

OTHERS = "openai"
"""The row of every provider without its own row, since many servers speak OpenAI's wire."""

WIRES: Mapping[str, ProviderWires] = MappingProxyType(
    {
        "anthropic": ANTHROPIC,
        "azure": AZURE,
        "gemini": GEMINI,
        "openai": OPENAI,
    }
)
"""The wires by provider."""

RESPONSES: Mapping[str, Wire] = MappingProxyType(
    {
        "azure": ResponsesWire(AZURE.chat),
        "openai": ResponsesWire(OPENAI.chat),
        "xai": ResponsesWire(OPENAI.chat),
    }
)
"""The wires of the Responses API, by provider. Any other provider has the row ``openai``."""

CHATS_BY_RESPONSES: Mapping[str, Wire] = MappingProxyType(
    {
        "azure": ChatsByResponses(AZURE.chat),
        "openai": ChatsByResponses(OPENAI.chat),
    }
)
"""The wires of the Responses API for chats, by provider."""


_READ_BY_LITELLM = (
    " that the direct transport reads: list this model with model_info.mode: embedding, "
    "or set transport: litellm"
)


def wire_of(deployment: Deployment) -> Wire:
    """Return the wire for a deployment's chats."""
    if asks_responses(deployment):
        return _row(CHATS_BY_RESPONSES, deployment)
    return _wires_of(deployment).chat


def wire_for(call: UpstreamCall) -> Wire:
    """Return the wire that *call* takes: that of the client's own format where it can, else the wire for chats.

    A history that was made for the Responses API goes there, whatever the client's format is.
    """
    source, deployment = call.source, call.deployment
    if source is not None and source.native is not None:
        if is_eligible(source, deployment, call.messages, call.parameters):
            return _row(RESPONSES, deployment)
        if sends_messages(source, deployment, call.messages, call.parameters):
            return MESSAGES
        if sends_contents(source, deployment, call.messages, call.parameters):
            return CONTENTS
    profile = call.profile
    if (profile is not None and profile.items) or asks_responses(deployment):
        return _row(CHATS_BY_RESPONSES, deployment)
    return _wires_of(deployment).chat


def count_wire_for(call: UpstreamCall) -> WholeWire[UpstreamCall]:
    """Return the wire that counts the tokens of *call*, whose deployment speaks the Messages API."""
    return TokenCount(wire_for(call))


def embedding_wire_of(deployment: Deployment) -> EmbeddingWire:
    """Return the wire for a deployment's embeddings. Raises :class:`InvalidRequest` if the provider has none."""
    wire = _wires_of(deployment).embeddings
    row = find_provider(deployment.provider)
    if wire is None or (row is not None and not row.embeddings):
        more = _READ_BY_LITELLM if deployment.provider in EMBEDS_ONLY_BY_LITELLM else ""
        raise InvalidRequest(f"The provider of this model has no embeddings{more}.", param="model")
    return wire


def most_inputs_of(deployment: Deployment) -> int | None:
    """Return the most inputs of one request for embeddings, or None if no limit is known."""
    wire = _wires_of(deployment).embeddings
    return None if wire is None else wire.most_inputs


def text_wire_of(deployment: Deployment) -> TextWire:
    """Return the wire for a deployment's text completions. Raises :class:`InvalidRequest` if there is none."""
    wire = _wires_of(deployment).texts
    if wire is None:
        raise InvalidRequest("The provider of this model has no text completions.", param="model")
    return wire


def has_texts(deployment: Deployment) -> bool:
    """Tell whether the provider has a wire for text completions."""
    row = find_provider(deployment.provider)
    return _wires_of(deployment).texts is not None and (row is None or row.texts)


def _row(wires: Mapping[str, Wire], deployment: Deployment) -> Wire:
    provider = deployment.provider
    return wires[provider if provider in wires else OTHERS]


def _wires_of(deployment: Deployment) -> ProviderWires:
    provider = deployment.provider
    return WIRES[provider if provider in WIRES else OTHERS]
