"""Streams one chat: makes attempts until an answer begins, and sends the answer's chunks as they come.

:mod:`proxy.forwarding.end_stream` ends the stream. A client that leaves cancels the upstream call at once. Where
self-correction checks streams, an answer is held back whole (:mod:`proxy.forwarding.answer_buffer`). Comments keep
the connection alive meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from proxy.answers.find_empty import AnswerStart, is_filtered
from proxy.answers.normalize import ChunkNormalizer
from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.source import GEMINI_NATIVE
from proxy.core.upstream_call import Chunk, UpstreamCall
from proxy.forwarding.answer_buffer import AnswerBuffer
from proxy.forwarding.answer_stamp import AnswerStamp
from proxy.forwarding.attempt import Attempt
from proxy.forwarding.attempts import Attempts
from proxy.forwarding.chat.answer_signatures import call_ids, client_tool_names, keep_signatures
from proxy.forwarding.chat.answer_thoughts import keep_thoughts
from proxy.forwarding.chat.correct_answer import correct_answer, is_corrected
from proxy.forwarding.chat.gate_answer import ends_turn, gate_of, stream_wrap_up_answer
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.plan_attempt import plan_attempt
from proxy.forwarding.relay import broken_off, relay_chunks, send_end, send_held
from proxy.forwarding.write_events import Held
from proxy.planning.plan import Plan
from proxy.resilience.failure_table import FILTERED
from sanitizers import Change
from sanitizers.turns import ChunkGate


async def stream_chat(
    out: EventStream, attempts: Attempts[Plan, UpstreamCall], stamp: AnswerStamp, *, include_usage: bool
) -> None:
    """Send the answer to *out*, from the first attempt that begins to answer.

    Raises :class:`proxy.core.errors.ProxyError` for a request without an answer, and for an answer that breaks off.
    """
    record, correction = attempts.record, attempts.gateway.settings.router_settings.self_correction
    unusable: Sequence[Held] = ()
    try:
        while True:
            async with await plan_attempt(attempts) as attempt:
                answer = StreamedChat(attempts, attempt, stamp, include_usage=include_usage)
                held = AnswerBuffer() if is_corrected(attempt.plan, correction, stream=True) else None
                try:
                    await _stream_attempt(out, attempts, attempt, answer, held)
                    return
                except AnswerUnusable as fault:
                    if held is not None and fault.answer is not None and not out.committed:
                        unusable = held.chunks()
                    raise
                finally:
                    record.answer_changes += answer.held_back
    except UpstreamFault as fault:
        if isinstance(fault, AnswerUnusable) and fault.answer is not None:
            await send_held(unusable, out)
        elif not out.committed and ends_turn(fault, record.guarded):
            words, change = stream_wrap_up_answer(record, stamp)
            record.answer_changes.append(change)
            await out.commit(b"".join(map(out.writer.write_chunk, words)))
        else:
            raise


async def _stream_attempt(
    out: EventStream,
    attempts: Attempts[Plan, UpstreamCall],
    attempt: Attempt[Plan, UpstreamCall],
    answer: StreamedChat,
    held: AnswerBuffer | None,
) -> None:
    """Stream the answer of one attempt.

    With *held*, the answer is sent once it is complete and its calls are checked. An answer that fills *held* is sent
    unchecked.
    """
    record, use = attempts.record, attempt.use
    use.stream = answer
    chunks = attempts.gateway.upstream.stream(attempt.call)
    relayed = await relay_chunks(chunks, answer, attempt, out, held)
    use.usage, use.service_tier = relayed.usage, answer.service_tier
    record.usage, record.writing_s = relayed.usage, relayed.writing_s
    await send_end(answer, relayed, out, held)
    if held is not None and not out.committed:
        corrected, corrections = await correct_answer(held.whole(), attempt.plan)
        record.answer_changes += corrections
        await send_held(held.chunks(corrected), out)


class StreamedChat:
    """One attempt's answer to a chat (:class:`proxy.forwarding.relay.StreamedAnswer`)."""

    normalize: Callable[[Chunk], Chunk | None]

    def __init__(
        self,
        attempts: Attempts[Plan, UpstreamCall],
        attempt: Attempt[Plan, UpstreamCall],
        stamp: AnswerStamp,
        *,
        include_usage: bool,
    ) -> None:
        record, gateway, source = attempts.record, attempts.gateway, attempt.plan.request.source
        self._call, self._plan, self._record, self._store = attempt.call, attempt.plan, record, gateway.store
        self._normalizer = normalizer = ChunkNormalizer(
            fallback_id=stamp.id,
            created=stamp.created,
            model=attempt.call.deployment.model_id,
            include_usage=include_usage,
            ids=call_ids(attempt.call, attempt.plan, gateway.token),
            names=client_tool_names(attempt.plan),
            with_places=source is not None and source.format == GEMINI_NATIVE,
        )
        self._watch = AnswerStart()
        gate = gate_of(record.guarded)
        self._gate = None if gate is None else ChunkGate(gate)
        self.normalize = normalizer.normalize if gate is None else self._normalize_gated
        self.findings = normalizer.findings
        self.received = normalizer.received
        self._chain = attempts.chain
        has_chains = gateway.settings.router_settings.content_policy_fallbacks
        self.opens = self._opens_unfiltered if has_chains else self._watch.opens
        self.head_chunk = normalizer.head_chunk
        self.last_chunk = normalizer.last_chunk

    def _normalize_gated(self, chunk: Chunk) -> Chunk | None:
        normalized = self._normalizer.normalize(chunk)
        return None if normalized is None or self._gate is None else self._gate.pass_chunk(normalized)

    def _opens_unfiltered(self, chunk: Chunk) -> bool:
        """Return True where *chunk* opens the answer.

        Raises :class:`AnswerUnusable` where the chunk was filtered and another model may be asked.
        """
        if is_filtered(chunk) and self._chain.can_fall_back(FILTERED):
            fault = AnswerUnusable(
                "The provider's content filter stopped the answer.", cause=Cause.CONTENT_FILTER
            )
            fault.upstream_status = HTTPStatus.BAD_REQUEST
            raise fault
        return self._watch.opens(chunk)

    @property
    def held_back(self) -> Sequence[Change]:
        """The changes of the turn guard: tool calls that were held back, and the text that replaces them."""
        return () if self._gate is None else self._gate.changes

    @property
    def usage(self) -> Mapping[str, Any] | None:
        """The usage that the provider reported last, if any."""
        return self._normalizer.usage

    @property
    def service_tier(self) -> str | None:
        """The service tier that the chunk with the usage names, if any."""
        return self._normalizer.service_tier

    @property
    def finished(self) -> bool:
        """True where the answer came to its end."""
        return self._normalizer.finished

    @property
    def has_reasoned(self) -> bool:
        """True where the model has only reasoned so far."""
        return self._watch.missing is not Cause.EMPTY

    async def keep_notes(self) -> None:
        """Store the new signatures, and add the new changes to the record."""
        findings = self.findings
        await keep_signatures(findings.signed, self._call, self._record.key, self._store)
        for thoughts in findings.thoughts:
            await keep_thoughts(thoughts, self._call, self._plan, self._record.key, self._store)
        self._record.answer_changes += findings.changes
        findings.signed.clear()
        findings.thoughts.clear()
        findings.changes.clear()

    def find_broken(self, *, began: bool) -> UpstreamFault | None:
        """Return the fault of a stream that held no answer or broke off, or None for a complete stream."""
        if not began:
            return AnswerUnusable("The provider's stream ended without an answer.", cause=Cause.EMPTY)
        return None if self._normalizer.finished else broken_off()

    def find_unopened(self) -> AnswerUnusable | None:
        """Return the error for an answer without text or call, or None where such an answer is valid.

        Reasoning alone is an error for every model. An empty answer is an error only for Gemini.
        """
        missing = self._watch.missing
        if self._call.is_gemini or missing is not Cause.EMPTY:
            return AnswerUnusable("The model's answer says nothing.", cause=missing)
        return None
