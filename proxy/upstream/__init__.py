"""Speaks with providers, and is the only room that does. Its protocol keeps litellm within one folder.

An upstream answers in OpenAI's formats, as plain dicts, and fails with the errors of :mod:`proxy.core.errors`. It
neither retries nor falls back, and it knows nothing of histories. In the order of the data:

    transports, select_transport  which transport asks a deployment
    dialects                      which parameters a provider takes, and how
    media                         images that are fetched, and put into the request
    wires                         what is sent, and what comes back, as values
    signature_carriers            where calls and messages hold a thought signature
    direct                        OpenAI's and Gemini's wire over HTTP
    litellm                       every other provider
    timeouts                      the limits of one call
    faults                        failures as errors; masking, known_secrets, secret_forms and shown_parts keep keys out
    whole_as_chunks               a whole answer as a stream
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any, Protocol

from proxy.config import Settings
from proxy.core.deployment import Deployment
from proxy.core.upstream_call import Answer, Chunk, TextCall, UpstreamCall


class Transport(Protocol):
    """One way to call providers."""

    async def start(self) -> None:
        """Get ready for calls; returns at once when that was done. Runs before the process says it is ready."""

    async def close(self) -> None:
        """Close every connection."""

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that the deployment's provider does not take."""

    async def complete(self, call: UpstreamCall) -> Answer:
        """Return the whole answer. Raises :class:`proxy.core.errors.ProxyError`; cancelling it ends the call."""

    def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """Yield the answer's chunks as they come.

        Raises :class:`proxy.core.errors.ProxyError` from the iteration. Closing the generator ends the call.
        """

    def unsupported_embedding(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that the deployment's provider does not take with an embedding."""

    async def embed(self, call: TextCall) -> Answer:
        """Return the embeddings of ``input``. Raises and ends as :meth:`complete` does."""


class Upstream(Transport, Protocol):
    """What can be called upstream: chats and embeddings by either transport, texts on OpenAI's wire."""

    async def prepare(self, settings: Settings) -> None:
        """Get ready for the deployments of *settings* beside those there are, while calls go on."""

    async def complete_text(self, call: TextCall) -> Answer:
        """Return the whole text completion. Raises and ends as :meth:`complete` does."""

    def stream_text(self, call: TextCall) -> AsyncGenerator[Chunk, None]:
        """Yield a text completion's chunks as they come. Raises and ends as :meth:`stream` does."""
