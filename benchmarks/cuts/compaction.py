"""The proxy's compaction, driven as a request drives it, by the functions of :mod:`proxy.planning.compact`.

The request that triggers a summary is sent without that summary. The next request uses the summary. A request that is
too long in spite of its memory is cut by the preset ``balanced``. The cut leaves the memory whole. Three parts are
simpler than in the proxy: the store, the estimate of the tokens, and the stand-in for the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from benchmarks.cuts.evictions import fitted, marks_of
from benchmarks.cuts.summaries import FENCE, MOST_CHARACTERS, SummaryWriter
from benchmarks.cuts.window import TOOLS, Window
from benchmarks.sanitize import History
from proxy.planning.compact.accept_summary import Accepted, SummaryLimits, accept_summary
from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.compact.choose_cut import Cut, choose_cut
from proxy.planning.compact.choose_summary import (
    HistoryDigests,
    apply_summary,
    matching_entries,
    start_of,
    tokens_with,
)
from proxy.planning.compact.job_limits import SummaryShares
from proxy.planning.compact.measure import MeasuredHistory
from proxy.planning.compact.policies import CompactionPolicy
from proxy.planning.compact.summary_call import SummaryCall, meta_call, segment_call
from proxy.planning.compact.transcript import write_transcript
from proxy.planning.compact.write_summary import (
    NextSummary,
    is_full,
    meta_tokens,
    reflection_tokens,
    segment_indexes,
    write_summary,
)
from proxy.state.summaries import IndexEntry, Reflection, Summary, with_entry
from sanitizers import Messages

_TENANT = "key"


@dataclass(frozen=True)
class _Job:
    """A summary that is due: the history, the cut at which the summary ends, and the summary used so far.

    *tokens* are those of the whole request as it is sent now.
    """

    history: HistoryDigests
    measured: MeasuredHistory
    cut: Cut
    previous: Summary | None
    tokens: int


class Compaction:
    """The way that replaces older messages by a memory, once a history has the share *trigger* of the window."""

    def __init__(self, window: Window, trigger: float = 0.7) -> None:
        self._window = window
        self._policy = CompactionPolicy("summarizer", trigger)
        self._writer = SummaryWriter()
        self.calls = self._writer.calls
        self._shares = SummaryShares()
        self._entries: tuple[IndexEntry, ...] = ()
        self._summaries: dict[str, Summary] = {}
        self._metas: dict[int, Reflection] = {}
        """The reflections that stand for all reflections of a summary, by the summary's end."""

    def send(self, history: History) -> History:
        """Return the messages to send for *history*."""
        plan: History = history
        pinned: Messages = ()
        memory, job = self._look_up(self._digests(history), self._measure(history))
        if memory is not None:
            plan, pinned = memory.apply_to(history), (memory.message,)
        sent = fitted(plan, self._window, pinned)
        self._shares.count_request(_TENANT, self._window.tokens(sent))
        if job is not None and self._shares.may_begin(_TENANT, self._policy.max_share):
            self._write(job)
        return sent

    def _digests(self, history: History) -> HistoryDigests:
        start = start_of(history)
        assert start is not None
        return HistoryDigests(history, start, _TENANT)

    def _measure(self, history: History) -> MeasuredHistory:
        """Return the tokens of *history*, and the mark from which a summary is due."""
        limit, marks = self._window.limit(history), marks_of(history, self._window)
        trigger = ceil(self._policy.trigger * limit)
        if marks.high is not None:
            trigger = min(trigger, marks.high + marks.fixed)
        sizes = [*map(self._window.size, history)]
        return MeasuredHistory(sizes, TOOLS, limit, trigger, self._window.size)

    def _look_up(
        self, history: HistoryDigests, measured: MeasuredHistory
    ) -> tuple[AppliedMemory | None, _Job | None]:
        """Return the memory of *history*, and the next summary where it is due."""
        matching = matching_entries(self._entries, history, self._policy.keep_messages)
        usable = [entry for entry in matching if entry.since <= len(history.messages)]
        memory, summary = None, None
        for entry in usable:
            summary = self._summaries[entry.key]
            memory = apply_summary(summary, entry, history, measured, self._policy.memory_tokens)
            if memory is not None:
                break
        tokens = tokens_with(memory, measured)
        if len(usable) < len(matching) or tokens < measured.trigger:
            return memory, None
        covered = 0 if memory is None else memory.end
        cut = choose_cut(history, measured, self._policy.keep_messages, covered)
        if cut is None or any(entry.digest == history.chain[cut.end] for entry in self._entries):
            return memory, None
        return memory, _Job(history, measured, cut, None if memory is None else summary, tokens)

    def _write(self, job: _Job) -> None:
        """Write the summary of *job*, which serves the requests after this one."""
        history, measured, cut, previous = job.history, job.measured, job.cut, job.previous
        indexes = segment_indexes(history.start, cut, previous)
        segment = [history.messages[at] for at in indexes]
        most = reflection_tokens(self._policy)
        transcript = write_transcript(segment, indexes[0], limit_characters=MOST_CHARACTERS)
        limits = SummaryLimits(most, sum(measured.sizes[at] for at in indexes), measured.size)
        begin = history.start if previous is None else previous.end
        text = self._ask(segment_call(transcript, FENCE, most), limits)
        sizes = measured.sizes
        pinned = sum(sizes[at] for at in cut.pinned)
        kept = measured.fixed + sum(sizes[: history.start]) + pinned + sum(sizes[cut.end :])
        given = NextSummary(
            history.messages,
            history.start,
            cut,
            previous,
            None if previous is None else self._metas.get(previous.end),
            job.tokens,
            kept,
            self._policy,
            measured.size,
            0,
        )
        summary = write_summary(given, Reflection(begin, cut.end, text))
        entry = IndexEntry(cut.end, len(history.messages) + 1, history.chain[cut.end])
        self._entries = with_entry(self._entries, entry)
        self._summaries[entry.key] = summary
        if is_full(summary, self._policy):
            self._metas[summary.end] = self._meta_of(summary, measured)

    def _meta_of(self, full: Summary, measured: MeasuredHistory) -> Reflection:
        """Return the reflection that stands for all reflections of *full*."""
        reflections = (*(() if full.meta is None else (full.meta,)), *full.reflections)
        most = meta_tokens(self._policy)
        limits = SummaryLimits(most, 4 * most, measured.size)
        text = self._ask(meta_call(reflections, FENCE, most), limits)
        return Reflection(reflections[0].start, reflections[-1].end, text)

    def _ask(self, call: SummaryCall, limits: SummaryLimits) -> str:
        """Return the stand-in's summary. Raises :class:`AssertionError` where the proxy would not accept it."""
        text = self._writer.answer(call.messages, limits.most_tokens)
        answer = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
        accepted = accept_summary(answer, limits)
        assert isinstance(accepted, Accepted), accepted
        self._shares.count_summary(_TENANT, self.calls[-1].read + self.calls[-1].written)
        return accepted.text
