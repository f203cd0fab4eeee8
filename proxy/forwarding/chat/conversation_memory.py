"""Looks up the stored memory of a long conversation, and finds out that a new summary is due.

By default, a request below 60 % of its limit costs only an upper bound of its tokens. A longer request is counted and
hashed, and the index of its conversation's summaries is read from the store. Where the store does not answer, the
request may be sent without a memory, but never fails for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import TooMuchWork
from proxy.core.offload import run_offloaded
from proxy.forwarding.summary_jobs import SummaryJobs
from proxy.observability.logs import get_log
from proxy.planning.budgets.budget_facts import BudgetFacts
from proxy.planning.budgets.report import Report
from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.compact.choose_summary import (
    HistoryDigests,
    apply_summary,
    matching_entries,
    start_of,
)
from proxy.planning.compact.known_prefixes import KnownPrefixes
from proxy.planning.compact.measure import MeasuredHistory, look_up_share, measure_history
from proxy.planning.compact.policies import CompactionPolicy
from proxy.planning.compact.summary_job import SentHistory, SummaryJob, find_due
from proxy.planning.instruction_policies import InstructionPolicies
from proxy.planning.windows import window_of
from proxy.state import Store
from proxy.state.known_conversations import KnownConversations
from proxy.state.spaces import CONVERSATIONS, SUMMARIES
from proxy.state.summaries import (
    IndexEntry,
    Summary,
    pack_index,
    pack_summary,
    unpack_index,
    unpack_summary,
)
from sanitizers.record import record

_BYTES_PER_TOKEN = 3
"""The bytes of a body that are assumed for each of its tokens: rather too few. Usual bodies have four or five."""

_SMALLEST_SHARE = 0.5
"""The smallest share of a limit that a preset of the budget lets a request fill: half of it, by ``lango``."""


class ConversationMemory:
    """Looks up the memory for one chat request of *tenant*, once for each deployment that gets the request.

    *conversations* holds the indexes that this process has seen, and *prefixes* the digests that it has computed.
    *instructions* are the operator's, which take a part of the limit.
    """

    def __init__(
        self,
        chat: ChatRequest,
        tenant: str,
        store: Store,
        policy: CompactionPolicy,
        conversations: KnownConversations,
        prefixes: KnownPrefixes | None = None,
        instructions: InstructionPolicies | None = None,
    ) -> None:
        self._chat = chat
        self.tenant = tenant
        self._store = store
        self._policy = policy
        self._conversations = conversations
        self._prefixes = prefixes
        self._instructions = instructions
        self.history: HistoryDigests | None = None
        """The history with its digests.

        None before a look-up, and where the request is too short or has no user message.
        """

        self._entries: tuple[IndexEntry, ...] | None = None
        self._summaries: dict[str, Summary | None] = {}
        self.due: SummaryJob | None = None
        """The summary that the last look-up found to be due, or None."""

        self.used: IndexEntry | None = None
        """The entry of the memory that the last look-up returned, or None."""

    def is_likely(self, deployment: Deployment) -> bool:
        """Return True where the request is probably long enough for a look-up, by the length of its body.

        The plan of a short request shows more cheaply that the request needs no look-up (:meth:`is_needed`).
        """
        window = window_of(deployment).max_input_tokens
        return (
            window is not None
            and self._chat.body_bytes > _BYTES_PER_TOKEN * look_up_share(self._policy) * window
        )

    def is_needed(self, report: Report | None) -> bool:
        """Return True where *report*, of a plan without a memory, does not show that the request is too short."""
        if report is None or not report.limit.tokens:
            return False
        return report.estimate >= _SMALLEST_SHARE * look_up_share(self._policy) * report.limit.tokens

    def note_entries(self) -> None:
        """Keep the index of the conversation in this process, for the time when the store does not answer."""
        if self.history is not None and self._entries:
            self._conversations.note_entries(self.tenant, self.history.root, self._entries)

    async def renew(self, now: float) -> None:
        """Write the used summary and its index to the store again, so that they do not expire, at most once a day.

        *now* is the event loop's time.
        """
        entry, history, tenant = self.used, self.history, self.tenant
        if entry is None or history is None:
            return
        if not self._conversations.should_renew(tenant, entry.key, now):
            return
        index, summary = pack_index(self._entries or ()), self._summaries.get(entry.key)
        await self._store.swap(CONVERSATIONS, history.root, index, index, tenant=tenant)
        if summary is not None:
            await self._store.put(SUMMARIES, {entry.key: pack_summary(summary)}, tenant=tenant)

    async def find(self, facts: BudgetFacts) -> AppliedMemory | None:
        """Return the memory for the deployment of *facts*, or None where there is none or the look-up fails.

        Never raises.
        """
        self.due = self.used = None
        try:
            return await self._find(facts)
        except TooMuchWork:
            return None  # planning the request itself may take as much
        except Exception as error:  # noqa: BLE001 - a defect of the memory must not fail the request
            get_log().error("memory_error", error=type(error).__name__)
            return None

    async def _find(self, facts: BudgetFacts) -> AppliedMemory | None:
        policy, weight = self._policy, self._chat.weight
        measured = await run_offloaded(weight, partial(self._measure, facts))
        history = self.history
        if measured is None or history is None:
            return None
        entries = await self._load_index(history)
        choose = partial(matching_entries, entries, history, policy.keep_messages)
        matching = await run_offloaded(weight, choose) if entries else []
        usable = [entry for entry in matching if entry.since <= len(history.messages)]
        memory, summary = None, None
        for at, entry in enumerate(usable):
            if entry.key not in self._summaries:
                await self._load_summaries(usable[at:] if at else usable[:1])
            summary = self._summaries[entry.key]
            if summary is not None:
                memory = apply_summary(summary, entry, history, measured, policy.memory_tokens)
            if memory is not None:
                self.used = entry
                break
        sent = SentHistory(history, measured, memory, summary)
        self.due = await run_offloaded(weight, partial(find_due, sent, self.tenant, policy, entries))
        return memory

    def _measure(self, facts: BudgetFacts) -> MeasuredHistory | None:
        """Return the tokens of the history, and set up its digests where it is long enough for a memory."""
        found = None if self._instructions is None else self._instructions.find(facts.deployment, self.tenant)
        added = [] if found is None else [{"role": "system", "content": found.text}]
        measured = measure_history(self._chat, facts, self._policy, added)
        messages = self._chat.messages
        if measured is None or self.history is not None:
            return measured
        start = start_of(messages)
        if start is not None:
            self.history = HistoryDigests(messages, start, self.tenant, self._prefixes)
        return measured

    async def _load_index(self, history: HistoryDigests) -> tuple[IndexEntry, ...]:
        """Return the index of the conversation: the store's, or the one that this process has seen last."""
        if self._entries is None:
            root, tenant = history.root, self.tenant
            found = (await self._store.get(CONVERSATIONS, [root], tenant=tenant)).get(root)
            if found is None:
                self._entries = self._conversations.entries(tenant, root)
            else:
                self._entries = unpack_index(found)
        return self._entries

    async def _load_summaries(self, entries: Sequence[IndexEntry]) -> None:
        """Load the summaries of *entries* with one call to the store."""
        keys = [entry.key for entry in entries]
        found = await self._store.get(SUMMARIES, keys, tenant=self.tenant)
        self._summaries |= {key: unpack_summary(found[key]) if key in found else None for key in keys}


@record
class RequestMemory:
    """The look-up of a conversation's memory for one request, and the jobs that may follow from it.

    *commission* begins a summary in the background.
    """

    look_up: ConversationMemory
    jobs: SummaryJobs
    commission: Callable[[SummaryJob], None]

    async def follow(self, now: float) -> None:
        """Record a long conversation's request, renew the used summary, and begin the summary that is due.

        *now* is the event loop's time.
        """
        look_up = self.look_up
        if look_up.history is None:
            return
        look_up.note_entries()
        self.jobs.note_request(look_up.tenant, look_up.history)
        await look_up.renew(now)
        if look_up.due is not None:
            self.commission(look_up.due)
