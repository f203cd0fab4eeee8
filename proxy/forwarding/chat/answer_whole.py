"""Answers a chat with a whole answer: makes the attempts, and returns the first good answer."""

from __future__ import annotations

from proxy.answers.find_empty import find_empty
from proxy.answers.normalize_answer import normalize_answer
from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.source import GEMINI_NATIVE, SOURCE
from proxy.core.upstream_call import Answer, UpstreamCall
from proxy.forwarding.answer_stamp import AnswerStamp
from proxy.forwarding.attempt import Attempt
from proxy.forwarding.attempts import Attempts
from proxy.forwarding.chat.answer_signatures import call_ids, client_tool_names, keep_signatures
from proxy.forwarding.chat.answer_thoughts import keep_thoughts
from proxy.forwarding.chat.correct_answer import correct_answer, is_corrected
from proxy.forwarding.chat.gate_answer import ends_turn, write_wrap_up_answer
from proxy.forwarding.fallback_chain import FallbackChain
from proxy.forwarding.plan_attempt import plan_attempt
from proxy.forwarding.write_events import keep_source
from proxy.planning.plan import Plan
from proxy.resilience.failure_table import FILTERED
from sanitizers.turns import gate_answer

_SAID_NOTHING = {
    Cause.EMPTY: "The provider's answer holds nothing.",
    Cause.CONTENT_FILTER: "The provider's content filter stopped the answer.",
    Cause.THINKING_ONLY: "The model's answer holds thoughts, and neither text nor a call.",
}


async def answer_whole(attempts: Attempts[Plan, UpstreamCall], stamp: AnswerStamp) -> Answer:
    """Return the first good answer, otherwise the last unusable answer or the turn guard's closing text."""
    record = attempts.record
    try:
        while True:
            async with await plan_attempt(attempts) as attempt:
                return await _ask(attempts, attempt, stamp)
    except UpstreamFault as fault:
        if isinstance(fault, AnswerUnusable) and fault.answer is not None:
            return dict(fault.answer)
        if not ends_turn(fault, record.guarded):
            raise
        answer, change = write_wrap_up_answer(record, stamp)
        record.answer_changes.append(change)
        return answer


async def _ask(
    attempts: Attempts[Plan, UpstreamCall], attempt: Attempt[Plan, UpstreamCall], stamp: AnswerStamp
) -> Answer:
    """Make the call of *attempt* and return its answer.

    Raises :class:`AnswerUnusable` for an answer that cannot be used.
    """
    record, gateway, call, plan = attempts.record, attempts.gateway, attempt.call, attempt.plan
    asked = attempts.clock()
    try:
        projected = await gateway.upstream.complete(call)
    finally:
        record.upstream_wait += attempts.clock() - asked
    attempt.use.answer = projected
    answer, findings = normalize_answer(
        projected,
        fallback_id=stamp.id,
        created=stamp.created,
        model=call.deployment.model_id,
        ids=call_ids(call, plan, gateway.token),
        names=client_tool_names(plan),
        with_places=plan.request.source is not None and plan.request.source.format == GEMINI_NATIVE,
    )
    if "usage" in answer:
        attempt.use.usage = answer["usage"]
        if "service_tier" in answer:
            attempt.use.service_tier = answer["service_tier"]
    if findings.signed or findings.changes or findings.thoughts:
        await keep_signatures(findings.signed, call, record.key, gateway.store)
        for thoughts in findings.thoughts:
            await keep_thoughts(thoughts, call, plan, record.key, gateway.store)
        record.answer_changes += findings.changes
    guarded = record.guarded
    if guarded is not None and guarded.gate is not None:
        answer, held_back = gate_answer(answer, guarded.gate)
        record.answer_changes += held_back
    if SOURCE in projected:
        answer = keep_source(projected, answer)
    check_answer(answer, call, attempts.chain)
    if is_corrected(plan, gateway.settings.router_settings.self_correction, stream=False):
        corrected, corrections = await correct_answer(answer, plan)
        record.answer_changes += corrections
        return corrected if SOURCE not in answer else keep_source(answer, corrected)
    return answer


def check_answer(answer: Answer, call: UpstreamCall, chain: FallbackChain | None = None) -> None:
    """Raise :class:`AnswerUnusable` for an answer that is empty or holds only thoughts.

    An answer that a content filter emptied is accepted, unless *chain* has a fallback for filtered requests.

    Gemini sometimes sends an empty answer with ``stop`` by mistake (python-genai#1289). Other models may have nothing
    to add, for example after a tool's result. Their empty answer is passed on.
    """
    cause = find_empty(answer)
    if cause is None:
        return
    if not answer["choices"]:
        raise AnswerUnusable(_SAID_NOTHING[Cause.EMPTY], cause=Cause.EMPTY)
    if cause is Cause.CONTENT_FILTER:
        if chain is not None and chain.can_fall_back(FILTERED):
            raise AnswerUnusable(_SAID_NOTHING[cause], cause=cause, answer=answer)
        return
    tolerable = not call.is_gemini
    if cause is Cause.EMPTY and tolerable:
        return
    raise AnswerUnusable(_SAID_NOTHING[cause], cause=cause, answer=answer if tolerable else None)
