"""The seam to the providers: a small protocol, so that nothing outside one module knows litellm.

An upstream answers in OpenAI's formats, as plain dicts, and fails with the errors of
:mod:`proxy.errors`. It neither retries nor falls back, and it knows nothing of histories.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import field
from typing import Any, Protocol

from proxy.config import Deployment, Settings
from proxy.inputs import separate_inputs
from proxy.tracing import AttemptTrace
from sanitizers import Messages, Profile, profile_for
from sanitizers.record import record

Answer = dict[str, Any]
"""A ``chat.completion`` object, a list of embeddings, or a ``text_completion``."""

Chunk = dict[str, Any]
"""A ``chat.completion.chunk`` object, or one of a ``text_completion``."""


@record
class Timeouts:
    """Limits of one upstream call, in seconds: to connect, to the first byte, between bytes, in all."""

    connect_s: float
    first_byte_s: float
    idle_s: float
    total_s: float


@record
class UpstreamCall:
    """One call: where to, what history, which parameters.

    *parameters* come from the allow-list; *extra_body* holds the parameters that the deployment allows by name
    and that OpenAI's format does not know.
    """

    deployment: Deployment
    messages: Messages
    parameters: Mapping[str, Any]
    timeouts: Timeouts
    ask_usage: bool = True
    """Whether a stream is asked for its usage, which the budget learns from, whoever else wants it."""

    body: bytes | None = None
    """The request as the client sent it, when *messages* are just those that are in it."""

    weight: int = 0
    """What writing it costs, as the bytes of a usual body."""

    extra_body: Mapping[str, Any] = field(default_factory=dict)
    profile: Profile | None = None
    """The rules that *messages* were made for, where they are not those of the deployment's model."""

    trace: AttemptTrace | None = None
    """The call's part in a trace, whose headers go with it."""

    @property
    def rules(self) -> Profile:
        """The rules that *messages* were made for."""
        return self.profile or profile_for(self.deployment.model, self.deployment.profile)

    @property
    def choices(self) -> int:
        """How many choices are asked for."""
        return self.parameters.get("n") or 1

    @property
    def is_gemini(self) -> bool:
        """Whether a Gemini model is behind it, by whichever route."""
        return self.rules.name.startswith("gemini")


@record
class PlainCall:
    """One call without a history: *parameters* hold ``input`` or ``prompt``, and otherwise come from an allow-list.

    *extra_body* holds what the deployment allows by name beside them. A stream is asked for its usage where the client
    wants it.
    """

    deployment: Deployment
    parameters: Mapping[str, Any]
    timeouts: Timeouts
    ask_usage: bool = False
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    trace: AttemptTrace | None = None
    weight: int = 0
    """What writing it costs, as the bytes of a usual body."""

    @property
    def choices(self) -> int:
        """How many choices are asked for: so many for each prompt."""
        return (self.parameters.get("n") or 1) * len(separate_inputs(self.parameters["prompt"]))


class Transport(Protocol):
    """One way to call providers."""

    async def start(self) -> None:
        """Get ready for calls; returns at once when that was done. Runs before the process says it is ready."""

    async def close(self) -> None:
        """Close every connection."""

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that the deployment's provider does not take."""

    async def complete(self, call: UpstreamCall) -> Answer:
        """Return the whole answer. Raises :class:`proxy.errors.ProxyError`; cancelling it ends the call."""

    def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """Yield the answer's chunks as they come.

        Raises :class:`proxy.errors.ProxyError` from the iteration. Closing the generator ends the call.
        """

    def unsupported_embedding(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that the deployment's provider does not take with an embedding."""

    async def embed(self, call: PlainCall) -> Answer:
        """Return the embeddings of ``input``. Raises and ends as :meth:`complete` does."""


class Upstream(Transport, Protocol):
    """What can be called upstream: chats and embeddings by either transport, texts on OpenAI's wire."""

    async def prepare(self, settings: Settings) -> None:
        """Get ready for the deployments of *settings* beside those there are, while calls go on."""

    async def complete_text(self, call: PlainCall) -> Answer:
        """Return the whole text completion. Raises and ends as :meth:`complete` does."""

    def stream_text(self, call: PlainCall) -> AsyncGenerator[Chunk, None]:
        """Yield a text completion's chunks as they come. Raises and ends as :meth:`stream` does."""
