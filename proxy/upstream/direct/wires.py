"""Which wire a deployment speaks, and where it is spoken: the table behind the direct transport."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from proxy.config.addresses import GEMINI_BASE, OPENAI_BASES
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.core.json_text import write_json
from proxy.core.upstream_call import Answer, Chunk, PlainCall, UpstreamCall
from proxy.upstream.whole_as_chunks import whole_as_chunks
from proxy.upstream.wires import gemini, openai
from proxy.upstream.wires.payloads import load_payload
from sanitizers import profile_for

CallT = TypeVar("CallT", contravariant=True)


class Reader(Protocol):
    """Reads one stream's payloads into chunks."""

    ended: bool

    def feed(self, payload: bytes) -> list[Chunk]:
        """Return the chunks in one event's payload."""

    def may_end(self, wanted: int) -> bool:
        """Tell whether an answer of *wanted* choices is complete, though the stream does not say that it is over."""

    def is_over(self) -> bool:
        """Tell whether an answer that may end is not expected to go on."""

    def close(self) -> list[Chunk]:
        """Return what is left to say at the end of the stream; raise where it ended too early."""


class Manners(Protocol):
    """What is alike for every call of one provider."""

    def headers(self, deployment: Deployment) -> dict[str, str]:
        """Return the request's headers, the key among them."""

    def read_error(self, status: int, body: bytes) -> str | None:
        """Return the provider's own words out of an error's body."""


class WholeWire(Manners, Protocol[CallT]):
    """One provider's way to be asked for something, and to answer it whole. Pure, but for nothing."""

    def url(self, call: CallT, *, stream: bool) -> str:
        """Return the address of the call."""

    def request(self, call: CallT, *, stream: bool) -> bytes:
        """Return the request's body."""

    def read_answer(self, body: bytes, deployment: Deployment) -> Answer:
        """Return a whole answer."""


class StreamWire(WholeWire[CallT], Protocol[CallT]):
    """One that answers in pieces as well."""

    def reader(self, deployment: Deployment) -> Reader:
        """Return a reader for one stream."""

    def as_chunks(self, answer: Answer) -> list[Chunk]:
        """Return the chunks of a whole answer, which came where a stream was asked for."""


class Wire(StreamWire[UpstreamCall], Protocol):
    """One provider's way to chat."""

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the parameters that the wire does not carry."""


class EmbeddingWire(WholeWire[PlainCall], Protocol):
    """One provider's way to embed."""

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the parameters that the wire does not carry."""


def wire_of(deployment: Deployment) -> Wire:
    """Return the wire of a deployment: Gemini's for ``gemini/…``, OpenAI's for all others."""
    return _GEMINI if deployment.provider == "gemini" else _OPENAI


def embedding_wire_of(deployment: Deployment) -> EmbeddingWire:
    """Return the wire on which a deployment embeds."""
    return _GEMINI_EMBEDDINGS if deployment.provider == "gemini" else _OPENAI_EMBEDDINGS


def text_wire() -> StreamWire[PlainCall]:
    """Return the wire of text completions: OpenAI's, since no other has them."""
    return _OPENAI_TEXTS


class _OpenAIManners:
    def headers(self, deployment: Deployment) -> dict[str, str]:
        headers: dict[str, str] = {}
        if deployment.api_key is not None:
            headers["Authorization"] = f"Bearer {deployment.api_key.get_secret_value()}"
        organization = deployment.credentials.get("organization")
        if isinstance(organization, str):
            headers["OpenAI-Organization"] = organization
        return _headers(deployment, **headers)

    def read_error(self, status: int, body: bytes) -> str | None:
        return openai.read_error(body)


class _OpenAIWire(_OpenAIManners):
    def url(self, call: UpstreamCall, *, stream: bool) -> str:
        return f"{_openai_base(call.deployment)}/chat/completions"

    def request(self, call: UpstreamCall, *, stream: bool) -> bytes:
        return openai.build_request(call, stream=stream)

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        return openai.refused_parameters(deployment, parameters) - deployment.allowed_openai_params

    def read_answer(self, body: bytes, deployment: Deployment) -> Answer:
        return openai.read_answer(body)

    def reader(self, deployment: Deployment) -> Reader:
        return _OpenAIReader()

    def as_chunks(self, answer: Answer) -> list[Chunk]:
        return whole_as_chunks(answer)


class _OpenAIReader(openai.StreamReader):
    """OpenAI's events; a finish reason is the end, behind which there is usage at most."""

    def is_over(self) -> bool:
        return True


class _OpenAIEmbeddings(_OpenAIManners):
    def url(self, call: PlainCall, *, stream: bool) -> str:
        return f"{_openai_base(call.deployment)}/embeddings"

    def request(self, call: PlainCall, *, stream: bool) -> bytes:
        return openai.build_plain_request(call, stream=stream)

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        return frozenset()

    def read_answer(self, body: bytes, deployment: Deployment) -> Answer:
        return openai.read_embeddings(body)


class _OpenAITexts(_OpenAIManners):
    def url(self, call: PlainCall, *, stream: bool) -> str:
        return f"{_openai_base(call.deployment)}/completions"

    def request(self, call: PlainCall, *, stream: bool) -> bytes:
        return openai.build_plain_request(call, stream=stream)

    def read_answer(self, body: bytes, deployment: Deployment) -> Answer:
        return openai.read_text_answer(body)

    def reader(self, deployment: Deployment) -> Reader:
        return openai.TextStreamReader()

    def as_chunks(self, answer: Answer) -> list[Chunk]:
        return [answer]  # both have one shape


class _GeminiManners:
    def headers(self, deployment: Deployment) -> dict[str, str]:
        if deployment.api_key is None:
            return _headers(deployment)
        return _headers(deployment, **{"x-goog-api-key": deployment.api_key.get_secret_value()})

    def read_error(self, status: int, body: bytes) -> str | None:
        return gemini.read_error(status, body)


class _GeminiWire(_GeminiManners):
    def url(self, call: UpstreamCall, *, stream: bool) -> str:
        base = _gemini_base(call.deployment)
        return f"{base}:streamGenerateContent?alt=sse" if stream else f"{base}:generateContent"

    def request(self, call: UpstreamCall, *, stream: bool) -> bytes:
        model = call.deployment.model_id
        body = gemini.build_request(call.messages, call.parameters, call.rules, model)
        try:
            return write_json(gemini.with_extras(body, call.extra_body))
        except (
            RecursionError
        ):  # arguments are texts, whose depth nobody has looked at; Gemini refuses 100 levels
            raise InvalidRequest(
                "The arguments of a tool call are nested too deeply for this model.", param="messages"
            ) from None

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        carried = gemini.carried_parameters(
            profile_for(deployment.model, deployment.profile), deployment.model_id
        )
        return frozenset(parameters.keys() - carried)

    def read_answer(self, body: bytes, deployment: Deployment) -> Answer:
        return gemini.read_answer(load_payload(body), model=deployment.model_id)

    def reader(self, deployment: Deployment) -> Reader:
        return _GeminiReader(deployment.model_id)

    def as_chunks(self, answer: Answer) -> list[Chunk]:
        return whole_as_chunks(answer)


class _GeminiEmbeddings(_GeminiManners):
    def url(self, call: PlainCall, *, stream: bool) -> str:
        return f"{_gemini_base(call.deployment)}:{gemini.embedding_method(call.parameters['input'])}"

    def request(self, call: PlainCall, *, stream: bool) -> bytes:
        model = call.deployment.model_id
        return write_json(gemini.build_embedding_request(call.parameters, call.extra_body, model))

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        return frozenset(parameters.keys() - gemini.EMBEDDING_PARAMETERS)

    def read_answer(self, body: bytes, deployment: Deployment) -> Answer:
        return gemini.read_embeddings(load_payload(body), model=deployment.model_id)


class _GeminiReader:
    """Gemini's events as chunks; there is no ``[DONE]``, the stream ends with its body."""

    def __init__(self, model: str) -> None:
        self.ended = False
        self._reader = gemini.StreamReader(model)

    def feed(self, payload: bytes) -> list[Chunk]:
        return self._reader.feed(load_payload(payload)) if payload else []

    def may_end(self, wanted: int) -> bool:
        return self._reader.may_end(wanted)

    def is_over(self) -> bool:
        return self._reader.is_over()

    def close(self) -> list[Chunk]:
        return self._reader.close()


def _openai_base(deployment: Deployment) -> str:
    return deployment.api_base or OPENAI_BASES[deployment.provider]


def _gemini_base(deployment: Deployment) -> str:
    return f"{deployment.api_base or GEMINI_BASE}/models/{deployment.model_id}"


def _headers(deployment: Deployment, **ours: str) -> dict[str, str]:
    """Return *ours* with the deployment's own over them: a header is never sent twice in two spellings."""
    own = {name: value.get_secret_value() for name, value in deployment.extra_headers.items()}
    named = {name.lower() for name in own}
    given = {"Content-Type": "application/json", **ours}
    return {**{name: value for name, value in given.items() if name.lower() not in named}, **own}


_OPENAI: Wire = _OpenAIWire()
_GEMINI: Wire = _GeminiWire()
_OPENAI_EMBEDDINGS: EmbeddingWire = _OpenAIEmbeddings()
_GEMINI_EMBEDDINGS: EmbeddingWire = _GeminiEmbeddings()
_OPENAI_TEXTS: StreamWire[PlainCall] = _OpenAITexts()
