"""The known use of an attempt at its end, and whether the attempt used anything.

A provider bills for the prompt and for the text so far when a client leaves in mid-stream. Nobody reads the rest of
such an answer only to learn its usage. That would buy an exact number with money (litellm#36008).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from proxy.answers.normalize_answer import TEXTS
from proxy.answers.received_text import ReceivedText
from proxy.answers.usage import normalize_usage
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import Answer
from proxy.core.usage_so_far import UsageReports, UsageSoFar
from proxy.upstream.wires.usage_in_body import usage_in_body

_AT_WORK = frozenset(
    {
        Cause.CONTENT_FILTER,
        Cause.DEADLINE,
        Cause.FIRST_BYTE_TIMEOUT,
        Cause.IDLE_TIMEOUT,
        Cause.INVALID_ARGUMENTS,
        Cause.MALFORMED_CALL,
        Cause.ODD_END,
        Cause.OVERTIME,
        Cause.THINKING_ONLY,
        Cause.TRUNCATED,
        Cause.UNDECLARED_CALL,
        Cause.UNEXPECTED_CALL,
    }
)
"""The causes of failure after which a provider bills: the model had the prompt, and was at work."""

_OK = 200


class MeteredStream(Protocol):
    """The facts of a streamed answer that count for its use."""

    @property
    def usage(self) -> Mapping[str, Any] | None:
        """The usage that the provider reported last, if any."""

    @property
    def service_tier(self) -> str | None:
        """The service tier that the answer names, if any."""

    @property
    def received(self) -> ReceivedText:
        """The text that came after the last report of usage."""

    @property
    def finished(self) -> bool:
        """True where the answer came to its end."""


class AttemptUse:
    """The known use of one attempt. The code that makes the call fills it in."""

    # The defaults stand on the class, since a constructor would cost each request a call.

    usage: Mapping[str, Any] | None = None
    """The usage of the whole answer, once the provider has reported it."""

    service_tier: str | None = None
    answer: Answer | None = None
    """A whole answer as the transport returned it, which may turn out to be of no use."""

    stream: MeteredStream | None = None
    reports: UsageReports | None = None

    def find_usage(self, error: BaseException | None) -> Mapping[str, Any] | None:
        """Return the usage of a whole answer, even of one that ended with *error*. None where no report came."""
        if self.usage:
            return self.usage
        stream = self.stream
        if stream is not None:
            return stream.usage if stream.finished else None
        if self.reports is not None and self.reports.parts:
            return _sum_parts(self.reports.parts)
        if self.answer is not None:
            usage = self.answer.get("usage")
            return normalize_usage(usage) or None if isinstance(usage, dict) else None
        if isinstance(error, UpstreamFault) and error.evidence.status == _OK:
            return normalize_usage(usage_in_body(error.evidence.body)) or None
        return None

    def usage_so_far(self) -> UsageSoFar | None:
        """Return the last report of a stream that broke off, or None without any."""
        stream = self.stream
        if stream is not None and stream.usage is not None:
            return UsageSoFar(stream.usage, covers_text=stream.received.is_empty)
        return None if self.reports is None else self.reports.read()

    def received(self) -> ReceivedText | None:
        """Return the text of the answer that no report covers, or None where no answer came."""
        if self.stream is not None:
            return self.stream.received
        if self.answer is None:
            return None
        received = ReceivedText()
        received.pieces += _texts_of(self.answer)
        return received

    def has_used(self, error: BaseException | None) -> bool:
        """Return True where an attempt without a report of usage, which ended with *error*, has used something."""
        if error is None or (self.stream is not None and not self.stream.received.is_empty):
            return True
        if isinstance(error, UpstreamFault):
            return error.cause in _AT_WORK
        return isinstance(error, asyncio.CancelledError | ConnectionResetError | TimeoutError)


def _texts_of(answer: Answer) -> Iterator[str]:
    """Yield the texts of a whole answer as the transport returned it: of its messages, calls and completions."""
    for choice in answer.get("choices") or ():
        message = choice.get("message") or {}
        calls = message.get("tool_calls") or ()
        functions = (message.get("function_call"), *(call.get("function") for call in calls))
        texts = [choice.get("text"), *map(message.get, TEXTS)]
        texts += [function.get(name) for function in functions if function for name in ("name", "arguments")]
        yield from (text for text in texts if isinstance(text, str))


def _sum_parts(parts: Sequence[Mapping[str, Any] | None]) -> Mapping[str, Any] | None:
    """Return the usage of a request that was sent in *parts*, or None where a part has no report."""
    known = [part for part in parts if part]
    if len(known) < len(parts):
        return None
    return {"prompt_tokens": sum(part["prompt_tokens"] for part in known), "completion_tokens": 0}
