"""Sends requests to providers and reads their answers.

An upstream answers in OpenAI's formats, as plain dicts. It fails with the errors of :mod:`proxy.core.errors`. It
neither retries nor falls back, and it does not change histories. An import contract keeps litellm in ``litellm``. The
packages ``dialects`` and ``wires`` are pure, which another import contract checks. The modules, in the order of the
data:

    transports           chooses the transport and the endpoints of a deployment
    select_transport     passes each call to that transport
    dialects             request parameters, fitted to the provider
    media                images that are fetched and put into the request
    wires                requests and answers in the provider's format, as values
    signature_carriers   the fields in which calls and messages carry a thought signature
    direct               OpenAI's and Gemini's wire over HTTP
    litellm              every other provider
    timeouts             the time limits of one call
    faults               provider errors, made ready for the client
    masking              takes a deployment's secrets out of a text
    known_secrets        takes the secrets of the whole configuration out of a text
    secret_forms         the encodings in which a secret may appear
    shown_parts          the parts of a secret beside a mask
    whole_as_chunks      a whole answer as the chunks of a stream
    chunks_as_whole      the chunks of a stream as a whole answer
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any, Protocol

from proxy.config import Settings
from proxy.core.deployment import Deployment
from proxy.core.upstream_call import Answer, Chunk, TextCall, UpstreamCall


class Transport(Protocol):
    """A way to call providers."""

    async def start(self) -> None:
        """Create what calls need, such as the connection pool. Return at once if the transport was started before.

        The server calls this before it reports that it is ready.
        """

    async def close(self) -> None:
        """Close every connection."""

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that the deployment's provider does not take."""

    async def complete(self, call: UpstreamCall) -> Answer:
        """Return the whole answer.

        Raises :class:`proxy.core.errors.ProxyError`. Cancelling the coroutine ends the call.
        """

    def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """Yield the answer's chunks as they arrive.

        The iteration raises :class:`proxy.core.errors.ProxyError`. Closing the generator ends the call.
        """

    def unsupported_embedding(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that the deployment's provider does not take for embeddings."""

    async def embed(self, call: TextCall) -> Answer:
        """Return the embeddings of ``input``. Errors and cancellation are as in :meth:`complete`."""


class Upstream(Transport, Protocol):
    """A transport for all deployments. It also takes text completions, which use OpenAI's format."""

    async def prepare(self, settings: Settings) -> None:
        """Start the transports that *settings* need and that are not started yet. Calls go on meanwhile."""

    async def count_tokens(self, call: UpstreamCall) -> Answer:
        """Return the number of the input's tokens, as ``input_tokens``.

        The call's deployment speaks the Messages API. Errors and cancellation are as in :meth:`complete`.
        """

    async def complete_text(self, call: TextCall) -> Answer:
        """Return the whole text completion. Errors and cancellation are as in :meth:`complete`."""

    def stream_text(self, call: TextCall) -> AsyncGenerator[Chunk, None]:
        """Yield a text completion's chunks as they arrive. Errors and closing are as in :meth:`stream`."""
