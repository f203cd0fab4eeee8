"""Gemini's wires: chats and embeddings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from proxy.config.addresses import GEMINI_BASE
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.core.json_text import write_json
from proxy.core.source import GEMINI_EMBEDDINGS, GEMINI_NATIVE
from proxy.core.upstream_call import Answer, Chunk, TextCall, UpstreamCall
from proxy.upstream.wires.gemini.answers import read_answer
from proxy.upstream.wires.gemini.embeddings import (
    EMBEDDING_PARAMETERS,
    MAX_TEXTS,
    build_embedding_request,
    embedding_method,
    read_embeddings,
)
from proxy.upstream.wires.gemini.extras import with_extras
from proxy.upstream.wires.gemini.native_calls import has_all_calls
from proxy.upstream.wires.gemini.native_embeddings import (
    build_native_embedding,
    has_asked_form,
    native_method,
)
from proxy.upstream.wires.gemini.native_stream import NativeStreamReader
from proxy.upstream.wires.gemini.refusals import read_error
from proxy.upstream.wires.gemini.requests import build_request, carried_parameters
from proxy.upstream.wires.gemini.streams import StreamReader
from proxy.upstream.wires.gemini.thinking import show_thoughts
from proxy.upstream.wires.native_events import attach_body, takes_native
from proxy.upstream.wires.payloads import load_payload
from proxy.upstream.wires.protocol import ProviderWires
from proxy.upstream.wires.protocol import StreamReader as AnyStreamReader
from proxy.upstream.wires.request_headers import request_headers
from sanitizers import profile_for


class _Common:
    """The request's headers and the reading of errors, the same for chats and embeddings."""

    client_headers = None

    def headers(self, deployment: Deployment) -> dict[str, str]:
        if deployment.api_key is None:
            return request_headers(deployment)
        return request_headers(deployment, **{"x-goog-api-key": deployment.api_key.get_secret_value()})

    def read_error(self, status: int, body: bytes) -> str | None:
        return read_error(status, body)


class ContentsOfChats(_Common):
    """Carries chats. A client of Gemini's own API gets the provider's own events all the same."""

    format = GEMINI_NATIVE

    def url(self, call: UpstreamCall, *, stream: bool) -> str:
        """Return the URL of the method, which the model's name is a part of."""
        base = _base(call.deployment)
        return f"{base}:streamGenerateContent?alt=sse" if stream else f"{base}:generateContent"

    def write_request(self, call: UpstreamCall, *, stream: bool) -> bytes:
        """Return the body that the chat becomes."""
        profile, model = call.rules, call.deployment.model_id
        body = build_request(call.messages, call.parameters, profile, model)
        if call.source is not None and call.source.native is not None:
            show_thoughts(body, call.source, profile, model)
        try:
            return write_json(with_extras(body, call.extra_body))
        except RecursionError:
            # The depth of arguments was not checked before. Gemini refuses 100 levels.
            words = "The arguments of a tool call are nested too deeply for this model."
            raise InvalidRequest(words, param="messages") from None

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that the model does not take."""
        profile = profile_for(deployment.model, deployment.profile)
        return frozenset(parameters.keys() - carried_parameters(profile, deployment.model_id))

    def read_answer(self, body: bytes, call: UpstreamCall) -> Answer:
        """Return the answer in *body* as a chat completion."""
        native, model = load_payload(body), call.deployment.model_id
        if not takes_native(self.format, call):
            return read_answer(native, model=model)
        answer = read_answer(native, model=model, relays=True)
        return (
            attach_body(answer, self.format, native) if has_all_calls(native, answer["choices"]) else answer
        )

    def read_stream(self, call: UpstreamCall) -> AnyStreamReader:
        """Return a reader for the events of one stream."""
        model = call.deployment.model_id
        return NativeStreamReader(model) if takes_native(self.format, call) else _PayloadReader(model)


class _PayloadReader(StreamReader):
    """Reads the payloads of events. Gemini sends no ``[DONE]``, so a stream ends with its body."""

    ended = False

    @override
    def feed(self, payload: Any) -> list[Chunk]:
        return super().feed(load_payload(payload)) if payload else []


class _Embeddings(_Common):
    most_inputs = MAX_TEXTS

    def url(self, call: TextCall, *, stream: bool) -> str:
        source = call.source
        method = embedding_method(call.parameters["input"]) if source is None else native_method(source)
        return f"{_base(call.deployment)}:{method}"

    def write_request(self, call: TextCall, *, stream: bool) -> bytes:
        if call.source is not None:
            return build_native_embedding(
                call.source, call.parameters, call.extra_body, call.deployment.model_id
            )
        return write_json(build_embedding_request(call.parameters, call.extra_body, call.deployment.model_id))

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        return frozenset(parameters.keys() - EMBEDDING_PARAMETERS)

    def read_answer(self, body: bytes, call: TextCall) -> Answer:
        native, source = load_payload(body), call.source
        answer = read_embeddings(native, model=call.deployment.model_id)
        is_whole = source is not None and has_asked_form(native, source)
        return attach_body(answer, GEMINI_EMBEDDINGS, native) if is_whole else answer


def _base(deployment: Deployment) -> str:
    return f"{deployment.api_base or GEMINI_BASE}/models/{deployment.model_id}"


GEMINI = ProviderWires(chat=ContentsOfChats(), embeddings=_Embeddings())
