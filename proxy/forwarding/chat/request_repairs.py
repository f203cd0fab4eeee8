"""The learned repairs of one chat request: those that its plans get in advance, and what its answers teach.

    refused, repaired, accepted                    confirms the repair
    refused without a learned repair (a probe)     the fault still exists
    accepted without a learned repair (a probe)    contradicts the repair
    refused for the same fault after the repair    contradicts the repair
    refused with a repair, accepted without it     contradicts the repair

:mod:`proxy.state.repairs` keeps the evidence. A request never fails for a probe, or for a wrong repair. After a refused
probe the repair is made. A request that is refused with learned repairs is sent without them, and is then treated as if
nothing was ever learned.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment, Key
from proxy.core.errors import TooMuchWork
from proxy.core.offload import run_offloaded
from proxy.forwarding.attempt_planner import Failure
from proxy.forwarding.chat.repair_plan import repair_plan, repair_refused
from proxy.forwarding.gateway import Gateway
from proxy.planning.compact.choose_summary import start_of
from proxy.planning.compact.hash_chain import HashChain
from proxy.planning.learned.name_repairs import name_repairs
from proxy.planning.learned.repair_in_advance import make_withheld, repair_in_advance
from proxy.planning.learned.repair_words import is_named
from proxy.planning.plan import Plan
from proxy.planning.repairs import Repaired
from proxy.planning.repairs.draft import Draft
from proxy.resilience.read_error import ProviderError
from proxy.resilience.request_words import RequestWords
from proxy.state.repairs.repair_key import LearnedRepair, RepairKey
from sanitizers.messages import Entry, Messages
from sanitizers.record import record


@record
class _Lesson:
    """The repairs that an answer of one deployment would confirm."""

    deployment: Key
    confirmed: tuple[RepairKey, ...]


@record
class Withdrawal:
    """The end of the learned repairs of a request: one deployment has refused the request with them.

    *refused* is the number of such calls, which count for nothing. *is_plain* is True where the request is sent next as
    if nothing was ever learned, with its repair still before it.
    """

    deployment: Key
    keys: tuple[RepairKey, ...]
    refused: int
    is_plain: bool


class RequestRepairs:
    """The learned repairs of *chat*, a request of *tenant*, under the setting ``router_settings.learn``."""

    def __init__(self, chat: ChatRequest, tenant: str, gateway: Gateway) -> None:
        self._chat = chat
        self._tenant = tenant
        self._known = gateway.learned_repairs
        self._metrics = gateway.metrics
        self._learn = gateway.settings.router_settings.learn
        self._lesson: _Lesson | None = None
        self._next: _Lesson | Withdrawal | None = None
        """The lesson or the withdrawal that counts from the next call on, if the repaired plan is sent."""

        self._withdrawal: Withdrawal | None = None
        self._plain_was_sent = False
        self._conversation: str | None = None

    async def find(self, deployment: Deployment) -> tuple[LearnedRepair, ...]:
        """Return the repairs that a request to *deployment* gets in advance, if it needs them.

        There are none after a deployment has refused the request because of them.
        """
        if self._learn == "false" or self._withdrawal is not None:
            return ()
        known = self._known
        conversation = (
            await self._find_conversation() if known.needs_conversation(deployment, self._tenant) else ""
        )
        return known.find(deployment, self._tenant, conversation)

    async def make_in_advance(
        self, plan: Plan, learned: tuple[LearnedRepair, ...], *, is_first: bool
    ) -> Plan:
        """Return *plan* with the repairs of *learned* that it needs. A long history is repaired in a worker thread.

        A repair that is due for a probe is withheld, if *is_first* tells that this is the request's first attempt.
        Under ``observe`` every repair is withheld, and later attempts tell nothing.
        """
        only_observe = self._learn == "observe"
        if not is_first:
            if only_observe:
                return plan
            learned = tuple(replace(repair, probe_due=False) for repair in learned)
        make = partial(repair_in_advance, plan, learned, only_observe=only_observe)
        try:
            return await run_offloaded(plan.request.weight, make)
        except TooMuchWork:
            return plan  # the request may still be sent without them

    def note_planned(self, plan: Plan) -> None:
        """Record that *plan* is about to be sent, with its learned repairs or as a probe."""
        advance = plan.advance
        if advance is None:
            return
        for repair in advance.made:
            self._metrics.learned_applied.labels(plan.deployment.label, repair.key.fault).inc()
        probed = advance.withheld[0].key if advance.withheld and self._learn == "true" else None
        self._known.note_sent(plan.deployment, self._tenant, [repair.key for repair in advance.made], probed)

    async def end_probe(self, plan: Plan) -> Plan:
        """Return *plan* with the repairs that were withheld for a probe, since a later attempt is none."""
        if self._learn != "true":
            return plan
        try:
            return await run_offloaded(plan.request.weight, partial(make_withheld, plan))
        except TooMuchWork:
            return plan

    async def repair(self, failure: Failure[Plan]) -> Plan | None:
        """Return the plan that follows a refusal, or None where no change helps.

        After a probe the withheld repair is made too. Where the error asks for no repair, a request with learned
        repairs is sent without them.
        """
        plan, said = failure.plan, failure.said
        assert plan is not None
        advance = plan.advance
        made = () if advance is None else tuple(repair.key for repair in advance.made)
        for key in made:
            if is_named(key, said):
                self._known.contradict(plan.deployment, self._tenant, key)
        repaired_plan, repaired = await run_offloaded(
            plan.request.weight, partial(repair_refused, plan, said)
        )
        keys = () if repaired is None else await self._name(plan, repaired, said)
        result = repaired_plan or plan
        if advance is not None and advance.withheld:
            left = tuple(repair for repair in advance.withheld if not is_named(repair.key, said))
            result = replace(result, advance=replace(advance, withheld=left)) if repaired_plan else result
            result = await self.end_probe(result)
        self._plain_was_sent = not made
        self._next = _Lesson(plan.deployment.key, keys)
        if result is plan and made:
            self._next = Withdrawal(plan.deployment.key, made, refused=1, is_plain=True)
            return without_advance(plan)
        return None if result is plan else result

    async def _name(self, plan: Plan, repaired: Repaired, said: ProviderError) -> tuple[RepairKey, ...]:
        """Return the names of the repairs that were made after *said*, none where nothing is to be learned."""
        if self._learn == "false":
            return ()
        try:
            return await run_offloaded(plan.request.weight, partial(_name_repairs, plan, repaired, said))
        except TooMuchWork:
            return ()

    def use(self, failure: Failure[Plan]) -> Withdrawal | None:
        """Record that the plan of :meth:`repair` or :meth:`repair_again` is sent, and what the refusal itself proves.

        Returns the withdrawal where the request is sent without its learned repairs.
        """
        decided, self._next = self._next, None
        self._lesson = decided if isinstance(decided, _Lesson) else None
        if isinstance(decided, Withdrawal):
            self._withdrawal = decided
            return decided
        plan, lesson = failure.plan, self._lesson
        if plan is None or plan.advance is None or lesson is None or self._learn != "true":
            return None
        for repair in plan.advance.withheld:
            self._note_probe_refused(plan.deployment, repair.key, failure.said, lesson)
        return None

    def _note_probe_refused(
        self, deployment: Deployment, key: RepairKey, said: ProviderError, lesson: _Lesson
    ) -> None:
        """Record that the probe of the repair *key* was refused.

        Words that may be quoted from the request tell neither that the fault exists, nor that another probe is due.
        """
        if key in lesson.confirmed:
            self._known.confirm_probe(deployment, self._tenant, key)
        elif not is_named(key, said):
            self._known.note_unclear(deployment, self._tenant, key)
        self._count_probe("confirmed" if key in lesson.confirmed else "unclear")

    async def repair_again(self, failure: Failure[Plan], cause: ProviderError) -> Plan | None:
        """Return the plan that follows a refusal after the repair for *cause*, or None where none is left.

        A request with learned repairs is sent without them. It keeps the repair for *cause* only if it was refused
        without learned repairs, by a probe. A repaired fault that is named again contradicts its repair.
        """
        lesson, deployment, plan = self._lesson, failure.deployment, failure.plan
        if lesson is not None and lesson.deployment == deployment.key:
            self._lesson = None
            for key in lesson.confirmed:
                if is_named(key, failure.said):
                    self._known.contradict(deployment, self._tenant, key)
        if plan is None or plan.advance is None or not plan.advance.made:
            return None
        made = tuple(repair.key for repair in plan.advance.made)
        plain = without_advance(plan)
        if not self._plain_was_sent:
            self._next = Withdrawal(deployment.key, made, refused=2, is_plain=True)
            return plain
        self._next = Withdrawal(deployment.key, made, refused=1, is_plain=False)
        return await repair_plan(plain, cause)

    async def note_answered(self, plan: Plan) -> None:
        """Record what the answer to *plan* proves."""
        lesson, self._lesson = self._lesson, None
        deployment, tenant = plan.deployment, self._tenant
        confirmed: tuple[RepairKey, ...] = ()
        if lesson is not None and lesson.deployment == deployment.key and lesson.confirmed:
            confirmed = lesson.confirmed
            conversation = await self._find_conversation()
            if conversation:  # an unknown one might count again and again
                self._known.confirm(deployment, tenant, confirmed, conversation)
        withdrawal, self._withdrawal = self._withdrawal, None
        if withdrawal is not None and withdrawal.deployment == deployment.key:
            for key in withdrawal.keys:
                if key not in confirmed:
                    self._known.contradict(deployment, tenant, key)
        if plan.advance is None or not plan.advance.withheld:
            return
        for repair in plan.advance.withheld:
            self._known.contradict(deployment, tenant, repair.key)
        if self._learn == "true":
            self._count_probe("contradicted")

    def _count_probe(self, outcome: str) -> None:
        self._metrics.learned_probes.labels(outcome).inc()

    async def _find_conversation(self) -> str:
        if self._conversation is None:
            self._conversation = await conversation_of(self._chat, self._tenant)
        return self._conversation


def _name_repairs(plan: Plan, repaired: Repaired, said: ProviderError) -> tuple[RepairKey, ...]:
    entries = tuple(Entry(message, at) for at, message in enumerate(plan.messages))
    draft = Draft(entries, plan.parameters, plan.profile)
    words = RequestWords(plan.messages, plan.parameters, plan.extra_body)
    return name_repairs(repaired.made, draft, said, words)


def without_advance(plan: Plan) -> Plan:
    """Return *plan* without its learned repairs."""
    advance = plan.advance
    if advance is None:
        return plan
    plain = advance.plain
    return replace(
        plan,
        request=plain.request,
        item_changes=plain.item_changes,
        messages=plain.messages,
        parameters=plain.parameters,
        profile=plain.profile,
        signatures=plain.signatures,
        later_changes=plain.later_changes,
        advance=None,
    )


async def conversation_of(chat: ChatRequest, tenant: str) -> str:
    """Return the digest of a conversation: of its messages up to the user's first one, or of all messages.

    The digest of a long history is computed in a worker thread. It is empty where that takes too much work.
    """
    try:
        return await run_offloaded(chat.weight, partial(_digest_of, chat.messages, tenant))
    except TooMuchWork:
        return ""


def _digest_of(messages: Messages, tenant: str) -> str:
    start = start_of(messages)
    return HashChain(messages, tenant)[len(messages) if start is None else start].hex()[:16]
