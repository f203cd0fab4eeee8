"""Asks the summarizing model for one reflection, a summary of a part of a conversation.

The call is made by the proxy's own attempts, with retries and fallbacks like a client's request. The call has no memory
of its own, no turn guard and no client. The client's key pays for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from proxy.config.pools import choose_pool
from proxy.core.chat_request import ChatRequest
from proxy.core.errors import ProxyError
from proxy.core.upstream_call import Answer
from proxy.core.worker_threads import THREADS
from proxy.forwarding.answer_stamp import AnswerStamp
from proxy.forwarding.attempts import Attempts
from proxy.forwarding.chat.answer_whole import answer_whole
from proxy.forwarding.chat.plan_attempts import ChatAttemptPlanner
from proxy.forwarding.gateway import Gateway
from proxy.forwarding.limits.settle_request import settle_request
from proxy.forwarding.summary_jobs import reported_tokens
from proxy.observability.request_record import RequestRecord
from proxy.planning.compact.accept_summary import Rejected, SummaryLimits, accept_summary
from proxy.planning.compact.blank_secrets import blank_secrets
from proxy.planning.compact.summary_call import SummaryCall, meta_call, segment_call, without_thinking
from proxy.planning.compact.summary_job import SummaryJob
from proxy.planning.compact.transcript import write_transcript
from proxy.planning.compact.write_summary import meta_tokens, reflection_tokens, segment_indexes
from proxy.planning.windows import window_of
from proxy.state.summaries import Reflection

CALL_S = 60.0
"""Seconds that one call may take, retries included."""

_ROUTE = "summary"
"""The path of the record. A client's request has its URL's path there. A summary's call has none."""

_CHARACTERS_PER_TOKEN = 2
"""The characters of a transcript for each token of the summarizing model's window.

Even dense text has two to three characters for a token. So the transcript usually leaves a part of the window for the
instruction and the answer.
"""

_MOST_CHARACTERS = 400_000
"""The most characters of a transcript where the window is larger or unknown: some 100,000 tokens of usual text."""

_FENCE_DIGITS = 16
_STEPS = 2_000_000
"""The most steps (:mod:`sanitizers.work_limit`) for writing a call's texts, and for checking its answer.

A worker thread does this work, for at most two summaries at one time.
"""


class Failed(NamedTuple):
    """A reflection or summary that was not made, with the reason."""

    reason: str


async def ask_for_segment(job: SummaryJob, gateway: Gateway) -> Reflection | Failed:
    """Return the summary of the messages that no earlier reflection of *job* covers, or the reason of a failure."""
    history, measured = job.history, job.measured
    indexes = segment_indexes(history.start, job.cut, job.previous)
    most = reflection_tokens(job.policy)
    pool = choose_pool(job.policy.model, gateway.settings)
    window = min(window_of(one).max_input_tokens or _MOST_CHARACTERS for one in pool)
    characters = min(_MOST_CHARACTERS, window * _CHARACTERS_PER_TOKEN)

    fence = gateway.token()[:_FENCE_DIGITS]
    blank = partial(_without_secrets, gateway=gateway)

    def write() -> SummaryCall:
        segment = [history.messages[at] for at in indexes]
        text = write_transcript(segment, indexes, limit_characters=characters, blank=blank)
        return without_thinking(segment_call(text, fence, most), pool)

    limits = SummaryLimits(most, sum(measured.sizes[at] for at in indexes), measured.size)
    make = partial(Reflection, history.start if job.previous is None else job.previous.end, job.cut.end)
    return await _ask(job, gateway, _Question(write, limits, fence, make))


async def ask_for_meta(
    job: SummaryJob, gateway: Gateway, reflections: Sequence[Reflection]
) -> Reflection | Failed:
    """Return one reflection that summarizes *reflections*, which are in the order of their messages."""
    most = meta_tokens(job.policy)

    pool = choose_pool(job.policy.model, gateway.settings)
    fence = gateway.token()[:_FENCE_DIGITS]

    def write() -> SummaryCall:
        return without_thinking(meta_call(reflections, fence, most), pool)

    # The reflections were short already, so their summary need not be half as long.
    limits = SummaryLimits(most, 4 * most, job.measured.size)
    make = partial(Reflection, reflections[0].start, reflections[-1].end)
    return await _ask(job, gateway, _Question(write, limits, fence, make))


class _Question(NamedTuple):
    """One call: the functions that *write* the request and *make* the result, and the limits of the answer."""

    write: Callable[[], SummaryCall]
    limits: SummaryLimits
    fence: str
    make: Callable[[str], Reflection]


async def _ask(job: SummaryJob, gateway: Gateway, question: _Question) -> Reflection | Failed:
    call = await THREADS.run(question.write, _STEPS)
    now = asyncio.get_running_loop().time()
    record = RequestRecord(f"sum_{gateway.token()[:24]}", _ROUTE, now, key=job.tenant)
    record.model = choose_pool(job.policy.model, gateway.settings)[0].label
    try:
        answer = await _complete(call, job, record, gateway)
        record.usage = answer.get("usage") or {}
    except ProxyError as error:
        return Failed(error.code)
    finally:
        settle_request(record, gateway)
        _count_tokens(record, sum(map(job.measured.size, call.messages)), gateway)
    check = partial(accept_summary, answer, question.limits, fence=question.fence)
    accepted = await THREADS.run(check, _STEPS)
    return Failed(accepted.reason) if isinstance(accepted, Rejected) else question.make(accepted.text)


async def _complete(call: SummaryCall, job: SummaryJob, record: RequestRecord, gateway: Gateway) -> Answer:
    """Return the model's answer. Raises :class:`ProxyError` where no attempt succeeds within :data:`CALL_S`."""
    model = job.policy.model
    weight = sum(len(message["content"]) for message in call.messages)
    chat = ChatRequest(model, list(call.messages), False, False, call.parameters, {}, weight)
    body = "".join(message["content"] for message in call.messages).encode("utf-8", "surrogatepass")
    attempts = Attempts(ChatAttemptPlanner(chat, record, gateway, is_own=True), body, record, gateway)
    attempts.limits = None  # the client sent no request, so no limit of rate counts one
    attempts.deadline = min(attempts.deadline, record.started + CALL_S)
    created = int(time.time())  # noqa: TID251 - `created` is a wall-clock field of OpenAI's format
    await gateway.upstream.start()
    return await answer_whole(attempts, AnswerStamp(record.request_id, created))


def _count_tokens(record: RequestRecord, estimate: int, gateway: Gateway) -> None:
    """Count the tokens that the provider reports against the tenant's share and in the metrics.

    Where no answer reports tokens, *estimate*, the tokens of the request, counts once for each attempt. The provider
    may charge for a failed attempt too.
    """
    tokens = reported_tokens(record.usage)
    spent = tokens or estimate * record.attempts
    if spent:
        gateway.summaries.shares.count_summary(record.key, spent)
    if tokens:
        gateway.metrics.tokens.labels(record.model, "summary").inc(tokens)


def _without_secrets(text: str, *, gateway: Gateway) -> str:
    """Return *text* without the keys of the configuration, and without texts that look like credentials."""
    return blank_secrets(gateway.secrets.mask(text))
