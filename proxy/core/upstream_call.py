"""One call to a provider, and the shapes of its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Protocol

from proxy.core.deployment import Deployment
from proxy.core.source import Source
from proxy.core.text_request import EmbeddingSource, separate_inputs
from proxy.core.usage_so_far import UsageReports
from sanitizers import Messages, Profile, profile_for
from sanitizers.record import record

Answer = dict[str, Any]
"""A ``chat.completion`` object, a list of embeddings, or a ``text_completion``."""

Chunk = dict[str, Any]
"""A ``chat.completion.chunk`` object, or one of a ``text_completion``."""


@record
class Timeouts:
    """Limits of one upstream call, in seconds: to connect, to the first byte, between bytes, and in total."""

    connect_s: float
    first_byte_s: float
    idle_s: float
    total_s: float


class CallTrace(Protocol):
    """One call upstream, as a part of a request's trace."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers that pass the trace to the provider. They are plain ASCII, made of hexadecimal ids."""

    def read_part(self, part: Mapping[str, Any]) -> None:
        """Note the facts in *part*, an answer or a chunk of unchecked content. Must not raise."""


@record
class UpstreamCall:
    """One call: its deployment, history and parameters.

    *parameters* are the client's parameters that the proxy's allow-list names. *extra_body* holds parameters outside
    OpenAI's format that the deployment allows by name.
    """

    deployment: Deployment
    messages: Messages
    parameters: Mapping[str, Any]
    timeouts: Timeouts
    ask_usage: bool = True
    """True if a stream is to report its usage. The usage corrects later token estimates."""

    source: Source | None = None
    """The request as the client sent it.

    The history may have changed since. The wire (:mod:`proxy.upstream.wires`) decides whether to send the client's own
    bytes.
    """

    weight: int = 0
    """The cost of writing the request, as the bytes of a usual body."""

    extra_body: Mapping[str, Any] = field(default_factory=dict)
    profile: Profile | None = None
    """The rules that *messages* were made for, if they differ from those of the deployment's model."""

    trace: CallTrace | None = None
    """The call's part in a trace. Its headers are sent with the call."""

    reports: UsageReports | None = None
    """Gets the reports of usage in a stream. None for a whole answer, which has one report."""

    @property
    def rules(self) -> Profile:
        """The rules that *messages* were made for."""
        return self.profile or profile_for(self.deployment.model, self.deployment.profile)

    @property
    def choices(self) -> int:
        """The number of requested choices."""
        return self.parameters.get("n") or 1

    @property
    def is_gemini(self) -> bool:
        """True for a Gemini model, whichever provider serves it."""
        return self.rules.name.startswith("gemini")


@record
class TextCall:
    """One call for embeddings or a text completion.

    *parameters* holds ``input`` or ``prompt``, and parameters of an allow-list. *extra_body* holds further parameters
    that the deployment allows by name. *ask_usage* is true if the client wants the usage of a stream.
    """

    deployment: Deployment
    parameters: Mapping[str, Any]
    timeouts: Timeouts
    ask_usage: bool = False
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    trace: CallTrace | None = None
    weight: int = 0
    """The cost of writing the request, as the bytes of a usual body."""

    source: EmbeddingSource | None = None
    """The client's own request, which is sent in place of ``input``. None where the provider has another API."""

    reports: UsageReports | None = None
    """Gets the reports of usage in a stream, and those of each part of a request for embeddings."""

    @property
    def choices(self) -> int:
        """The number of choices that a text completion requests, over all its prompts."""
        return (self.parameters.get("n") or 1) * len(separate_inputs(self.parameters["prompt"]))
