"""Streams one text completion: makes attempts until a text begins, and sends the text's chunks as they come.

A text has no calls to correct, so an answer is never held back whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxy.answers.normalize_answer import AnswerFindings
from proxy.answers.texts import Defaults, TextChunks, opens
from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import Chunk, TextCall
from proxy.forwarding.attempts import Attempts
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.plan_attempt import plan_attempt
from proxy.forwarding.relay import broken_off, relay_chunks, send_end
from proxy.forwarding.text.completing import may_be_empty, stream_text
from proxy.forwarding.text.plans import TextPlan


async def stream_completion(
    out: EventStream,
    attempts: Attempts[TextPlan, TextCall],
    defaults: Callable[[str], Defaults],
    *,
    include_usage: bool,
) -> None:
    """Send the text to *out*, from the first attempt that yields text. *defaults* returns the defaults for a model.

    *include_usage* is true where the client asked for the usage.

    Raises :class:`proxy.core.errors.ProxyError` for a request without an answer, and for an answer that breaks off.
    """
    record, upstream = attempts.record, attempts.gateway.upstream
    while True:
        async with await plan_attempt(attempts) as attempt:
            answer = StreamedText(
                attempt.call, defaults(attempt.call.deployment.model_id), include_usage=include_usage
            )
            attempt.use.stream = answer
            relayed = await relay_chunks(stream_text(upstream, attempt.call), answer, attempt, out)
            attempt.use.usage, attempt.use.service_tier = relayed.usage, answer.service_tier
            await send_end(answer, relayed, out)
            record.usage, record.writing_s = relayed.usage, relayed.writing_s
            return


class StreamedText:
    """The streamed text of one attempt (:class:`proxy.forwarding.relay.StreamedAnswer`)."""

    has_reasoned = False

    def __init__(self, call: TextCall, defaults: Defaults, *, include_usage: bool) -> None:
        self._chunks = chunks = TextChunks(defaults, include_usage=include_usage)
        self.received = chunks.received
        self._may_be_empty = may_be_empty(call.deployment)
        self.findings = AnswerFindings()
        self.normalize = chunks.normalize
        self.last_chunk = chunks.last_chunk

    @property
    def usage(self) -> Mapping[str, Any] | None:
        """The usage that the provider reported last, if any."""
        return self._chunks.usage

    @property
    def service_tier(self) -> str | None:
        """The service tier that the chunk with the usage names, if any."""
        return self._chunks.service_tier

    @property
    def finished(self) -> bool:
        """True where the text came to its end."""
        return self._chunks.finished

    def opens(self, chunk: Chunk) -> bool:
        """Return True where *chunk* begins the text, or has a finish reason that allows an empty text."""
        return opens(chunk, may_be_empty=self._may_be_empty)

    def head_chunk(self) -> Chunk:
        """Return a chunk without choices."""
        return {"choices": []}

    async def keep_notes(self) -> None:
        """Do nothing: a text completion has no signatures and no changes."""

    def find_broken(self, *, began: bool) -> UpstreamFault | None:
        """Return the fault of a text that broke off, even before its first chunk, or None for a complete text."""
        return None if self._chunks.finished else broken_off()

    def find_unopened(self) -> AnswerUnusable:
        """Return the error for a text that never began."""
        return AnswerUnusable("The provider's answer holds nothing.", cause=Cause.EMPTY)
