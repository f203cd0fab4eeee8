"""Writes summaries of long conversations in the background.

No request waits for a summary or fails because of one. A job first takes the conversation's lease, so that no other
process writes the same summary. It asks the summarizing model (:mod:`proxy.forwarding.chat.ask_summarizer`), and stores
the summary and the conversation's index. Later requests of the conversation find the summary
(:mod:`proxy.forwarding.chat.conversation_memory`).
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from functools import partial

from proxy.config.pools import resolve
from proxy.core.worker_threads import THREADS
from proxy.forwarding.chat.ask_summarizer import Failed, ask_for_meta, ask_for_segment
from proxy.forwarding.gateway import Gateway
from proxy.observability.logs import get_log
from proxy.planning.compact.job_limits import SummaryOutcome
from proxy.planning.compact.summary_job import SummaryJob
from proxy.planning.compact.write_summary import NextSummary, is_full, write_summary
from proxy.state.spaces import CONVERSATIONS, LEASES, SUMMARIES
from proxy.state.summaries import (
    IndexEntry,
    Reflection,
    Summary,
    pack_index,
    pack_reflection,
    pack_summary,
    unpack_index,
    unpack_reflection,
    unpack_summary,
    with_entry,
)

_STEPS = 2_000_000
_JOB_S = 110.0
"""Seconds that a job may take, so that the job ends before its lease of two minutes."""

_INDEX_TRIES = 4
"""The most tries to add an entry to an index that other processes change at the same moment."""

_MOST_REFLECTIONS = 2
"""The most reflections of a summary, in multiples of ``reflect_after``, while summarizing them all fails."""


def commission_summary(job: SummaryJob, *, gateway: Gateway) -> None:
    """Begin *job* in the background, unless a limit forbids the job. Returns at once and never raises.

    A process runs two jobs at most: one for each client key, and one for each conversation. The other limits are a wait
    after failures, the tenant's share of tokens and its budget, and the circuits of the summarizing model.
    """
    jobs, tenant = gateway.summaries, job.tenant
    if jobs.is_running(tenant, job.root):
        return
    now = asyncio.get_running_loop().time()
    pool = resolve(gateway.settings, job.policy.model)
    refused = None
    if not jobs.has_room(tenant, is_shared=bool(gateway.settings.general_settings.keys)):
        refused = SummaryOutcome.BUSY
    elif not jobs.delays.may_try(tenant, job.root, job.digest.hex(), now):
        refused = SummaryOutcome.DELAYED
    elif not jobs.shares.may_begin(tenant, job.policy.max_share):
        refused = SummaryOutcome.OVER_SHARE
    elif (gateway.limiter.used_share(tenant) or 0.0) >= 1:
        refused = SummaryOutcome.OVER_BUDGET
    elif not pool or not gateway.balancer.another_ready(pool, now, (), tenant):
        refused = SummaryOutcome.NOT_READY
    if refused is not None:
        gateway.metrics.compactions.labels(refused.value).inc()
        return
    jobs.start(job, _run(job, gateway))


async def _run(job: SummaryJob, gateway: Gateway) -> None:
    """Write the summary of *job* under the conversation's lease. Errors are counted and logged."""
    store, root, tenant = gateway.store, job.root, job.tenant
    owner = gateway.token().encode()
    standing = await store.put(LEASES, {root: owner}, tenant=tenant, absent_only=True)
    if standing.get(root) != owner:
        gateway.metrics.compactions.labels(SummaryOutcome.LEASED.value).inc()
        return
    clock = asyncio.get_running_loop().time
    deadline = clock() + _JOB_S
    try:
        async with asyncio.timeout_at(deadline):
            written = await _write(job, gateway)
        if isinstance(written, Summary):
            gateway.summaries.delays.note_success(tenant, root)
            if is_full(written, job.policy):
                with suppress(TimeoutError):  # the next summary asks again
                    async with asyncio.timeout_at(deadline):
                        await _meta_of(job, written, gateway)
        elif written is not None:
            _note_failure(written.reason, job, gateway, clock())
    except TimeoutError:
        _note_failure("timeout", job, gateway, clock())
    except Exception as error:  # noqa: BLE001 - a background job has no caller to raise to
        get_log().error("summary_error", error=type(error).__name__)
        _note_failure("internal_error", job, gateway, clock())
    finally:
        await store.swap(LEASES, root, owner, None, tenant=tenant)


def _note_failure(reason: str, job: SummaryJob, gateway: Gateway, now: float) -> None:
    """Count and log a failed summary. The conversation then waits before the next try."""
    tenant, root = job.tenant, job.root
    gateway.summaries.delays.note_failure(tenant, root, job.digest.hex(), now)
    gateway.metrics.compactions.labels(SummaryOutcome.FAILED.value).inc()
    get_log().warning(
        "summary_failed",
        key=tenant or None,
        conversation=gateway.summaries.log_digest(bytes.fromhex(root)),
        summarizer=job.policy.model,
        reason=reason,
    )


async def _write(job: SummaryJob, gateway: Gateway) -> Summary | Failed | None:
    """Write and store the summary of *job*, and return the stored summary, or the reason of a failure.

    Returns None where the summary is in the index already.
    """
    began = asyncio.get_running_loop().time()
    entries = await _load_index(job, gateway)
    if any(entry.digest == job.digest for entry in entries):
        return None
    meta = None
    if job.previous is not None and is_full(job.previous, job.policy):
        meta = await _meta_of(job, job.previous, gateway)
        if meta is None and len(job.previous.reflections) >= _MOST_REFLECTIONS * job.policy.reflect_after:
            return Failed("no_meta")
    reflection = await ask_for_segment(job, gateway)
    if isinstance(reflection, Failed):
        return reflection
    given = NextSummary(
        job.history.messages,
        job.history.start,
        job.cut,
        job.previous,
        meta,
        job.tokens,
        job.kept_tokens,
        job.policy,
        job.measured.size,
        int(time.time()),  # noqa: TID251 - operators read when a summary was written
    )
    summary = await THREADS.run(partial(write_summary, given, reflection), _STEPS)
    if not summary.text:
        return Failed("not_shorter")
    key = job.digest.hex()
    values = {key: pack_summary(summary)}
    standing = await gateway.store.put(SUMMARIES, values, tenant=job.tenant, absent_only=True)
    if key not in standing or not await _add_to_index(job, gateway):
        return Failed("not_stored")
    gateway.metrics.compactions.labels(SummaryOutcome.WRITTEN.value).inc()
    summary = unpack_summary(standing[key]) or summary  # a process that was faster has stored another text
    _log_written(job, summary, gateway, asyncio.get_running_loop().time() - began)
    return summary


async def _meta_of(job: SummaryJob, full: Summary, gateway: Gateway) -> Reflection | None:
    """Return the reflection that summarizes all reflections of *full*: the stored one, or a new one, or None.

    Where it is None, the next summary keeps the reflections as they are.
    """
    key = f"meta-{_digest_of(job, full)}"
    found = (await gateway.store.get(SUMMARIES, [key], tenant=job.tenant)).get(key)
    stored = None if found is None else unpack_reflection(found)
    if stored is not None:
        return stored
    before = () if full.meta is None else (full.meta,)
    meta = await ask_for_meta(job, gateway, (*before, *full.reflections))
    if isinstance(meta, Failed):
        gateway.metrics.compactions.labels(SummaryOutcome.META_FAILED.value).inc()
        return None
    packed = {key: pack_reflection(meta)}
    standing = await gateway.store.put(SUMMARIES, packed, tenant=job.tenant, absent_only=True)
    gateway.metrics.compactions.labels(SummaryOutcome.META_WRITTEN.value).inc()
    return unpack_reflection(standing[key]) if key in standing else meta


def _digest_of(job: SummaryJob, summary: Summary) -> str:
    return job.history.chain[summary.end].hex()


async def _load_index(job: SummaryJob, gateway: Gateway) -> tuple[IndexEntry, ...]:
    found = await gateway.store.get(CONVERSATIONS, [job.root], tenant=job.tenant)
    return unpack_index(found[job.root]) if job.root in found else ()


async def _add_to_index(job: SummaryJob, gateway: Gateway) -> bool:
    """Add the summary to the conversation's index. Returns False where the store does not take the entry."""
    store, root, tenant = gateway.store, job.root, job.tenant
    jobs = gateway.summaries
    used = b"" if job.previous is None else job.history.digest_at(job.previous.end)
    for _ in range(_INDEX_TRIES):
        entry = IndexEntry(job.cut.end, jobs.newest(job) + 1, job.digest)
        old = (await store.get(CONVERSATIONS, [root], tenant=tenant)).get(root)
        entries = with_entry(() if old is None else unpack_index(old), entry, used)
        new = pack_index(entries)
        if old is None:
            standing = await store.put(CONVERSATIONS, {root: new}, tenant=tenant, absent_only=True)
            done = standing.get(root) == new
        else:
            done = await store.swap(CONVERSATIONS, root, old, new, tenant=tenant)
        if done:
            jobs.conversations.should_renew(tenant, entry.key, asyncio.get_running_loop().time())
            jobs.conversations.note_entries(tenant, root, entries)
            return True
    return False


def _log_written(job: SummaryJob, summary: Summary, gateway: Gateway, seconds: float) -> None:
    """Log a written summary for audits: digests, counts and names, but no text of the conversation."""
    get_log().info(
        "summary_written",
        key=job.tenant or None,
        conversation=gateway.summaries.log_digest(bytes.fromhex(job.root)),
        summary=gateway.summaries.log_digest(job.digest),
        messages=f"{job.history.start}-{job.cut.end - 1}",
        pinned=len(job.cut.pinned),
        reflections=len(summary.reflections),
        has_meta=summary.meta is not None,
        characters=len(summary.text),
        tokens=summary.tokens,
        summarizer=job.policy.model,
        duration_ms=round(seconds * 1000, 1),
    )
