"""OpenAI's wires: chats, embeddings and text completions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.config.addresses import base_of
from proxy.core.deployment import Deployment
from proxy.core.source import OPENAI_CHAT
from proxy.core.upstream_call import Answer, TextCall, UpstreamCall
from proxy.upstream.wires.openai.answers import StreamReader, read_answer
from proxy.upstream.wires.openai.azure import azure_headers, azure_url
from proxy.upstream.wires.openai.embeddings import read_embeddings
from proxy.upstream.wires.openai.parameters import refused_parameters
from proxy.upstream.wires.openai.provider_forms import address_of
from proxy.upstream.wires.openai.refusals import read_error
from proxy.upstream.wires.openai.requests import build_request, build_text_request
from proxy.upstream.wires.openai.texts import TextStreamReader, read_text_answer
from proxy.upstream.wires.protocol import ProviderWires
from proxy.upstream.wires.request_headers import request_headers

_PLAIN_EMBEDDINGS = frozenset({"databricks", "mistral"})
"""Providers that refuse unknown fields, and whose embeddings have no options (litellm 1.105.3 sends none)."""

_OPTIONS = frozenset({"dimensions", "user"})


class _Common:
    """The request's headers and the reading of errors, the same for chats, embeddings and text completions."""

    client_headers = None

    def headers(self, deployment: Deployment) -> dict[str, str]:
        if deployment.provider == "azure":
            return azure_headers(deployment)
        headers: dict[str, str] = {}
        if deployment.api_key is not None:
            headers["Authorization"] = f"Bearer {deployment.api_key.get_secret_value()}"
        organization = deployment.credentials.get("organization")
        if isinstance(organization, str):
            headers["OpenAI-Organization"] = organization
        return request_headers(deployment, **headers)

    def read_error(self, status: int, body: bytes) -> str | None:
        return read_error(body)


class _Chats(_Common):
    format = OPENAI_CHAT

    def url(self, call: UpstreamCall, *, stream: bool) -> str:
        return _url(call.deployment, "chat/completions")

    def write_request(self, call: UpstreamCall, *, stream: bool) -> bytes:
        return build_request(call, stream=stream)

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        return refused_parameters(deployment, parameters) - deployment.allowed_openai_params

    def read_answer(self, body: bytes, call: UpstreamCall) -> Answer:
        return read_answer(body)

    def read_stream(self, call: UpstreamCall) -> StreamReader:
        return StreamReader()


class _Embeddings(_Common):
    most_inputs = None

    def url(self, call: TextCall, *, stream: bool) -> str:
        return _url(call.deployment, "embeddings")

    def write_request(self, call: TextCall, *, stream: bool) -> bytes:
        return build_text_request(call, stream=stream)

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        if deployment.provider not in _PLAIN_EMBEDDINGS:
            return frozenset()
        return (_OPTIONS & parameters.keys()) - deployment.allowed_openai_params

    def read_answer(self, body: bytes, call: TextCall) -> Answer:
        return read_embeddings(body)


class _Texts(_Common):
    def url(self, call: TextCall, *, stream: bool) -> str:
        return _url(call.deployment, "completions")

    def write_request(self, call: TextCall, *, stream: bool) -> bytes:
        return build_text_request(call, stream=stream)

    def read_answer(self, body: bytes, call: TextCall) -> Answer:
        return read_text_answer(body)

    def read_stream(self, call: TextCall) -> TextStreamReader:
        return TextStreamReader()


def _url(deployment: Deployment, path: str) -> str:
    if deployment.provider == "azure":
        return azure_url(deployment, path)
    base = base_of(deployment.provider, deployment.api_base)
    assert base is not None, "a deployment without an address goes through litellm"
    return f"{address_of(deployment.provider, base)}/{path}"


OPENAI = ProviderWires(chat=_Chats(), embeddings=_Embeddings(), texts=_Texts())
AZURE = ProviderWires(chat=_Chats(), embeddings=_Embeddings())
