"""The learned repairs of one chat request: those that its plans get in advance, and what its answers teach.

    refused, repaired, accepted                    confirms the repair
    refused without a learned repair (a probe)     the fault still exists
    accepted without a learned repair (a probe)    contradicts the repair
    refused for the same fault after the repair    contradicts the repair
    refused with a repair, accepted without it     contradicts the repair

:mod:`proxy.state.repairs` keeps the evidence. A request never fails for a probe, or for a wrong repair: it is sent once
more, with the repair or without it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment, Key
from proxy.core.errors import TooMuchWork
from proxy.core.offload import run_offloaded
from proxy.forwarding.attempt_planner import Failure
from proxy.forwarding.chat.repair_plan import repair_refused
from proxy.forwarding.gateway import Gateway
from proxy.planning.compact.choose_summary import start_of
from proxy.planning.compact.hash_chain import HashChain
from proxy.planning.learned.name_repairs import name_repairs
from proxy.planning.learned.repair_in_advance import make_withheld, repair_in_advance
from proxy.planning.learned.repair_words import is_named
from proxy.planning.plan import Plan
from proxy.planning.repairs.draft import Draft
from proxy.resilience.read_error import ProviderError
from proxy.resilience.request_words import RequestWords
from proxy.state.repairs.repair_key import LearnedRepair, RepairKey
from sanitizers.messages import Entry
from sanitizers.record import record


@record
class _Lesson:
    """What an answer of one deployment would prove: repairs that were needed, and repairs that were not."""

    deployment: Key
    confirmed: tuple[RepairKey, ...] = ()
    contradicted: tuple[RepairKey, ...] = ()


class RequestRepairs:
    """The learned repairs of *chat*, a request of *tenant*, under the setting ``router_settings.learn``."""

    def __init__(self, chat: ChatRequest, tenant: str, gateway: Gateway) -> None:
        self._chat = chat
        self._tenant = tenant
        self._known = gateway.learned_repairs
        self._metrics = gateway.metrics
        self._learn = gateway.settings.router_settings.learn
        self._lesson: _Lesson | None = None
        self._next_lesson: _Lesson | None = None
        self._conversation: str | None = None

    def find(self, deployment: Deployment) -> tuple[LearnedRepair, ...]:
        """Return the repairs that a request to *deployment* gets in advance, if it needs them."""
        if self._learn == "false":
            return ()
        return self._known.find(deployment, self._tenant, self._find_conversation)

    async def make_in_advance(
        self, plan: Plan, learned: tuple[LearnedRepair, ...], *, may_probe: bool
    ) -> Plan:
        """Return *plan* with the repairs of *learned* that it needs. A long history is repaired in a worker thread.

        With *may_probe*, a repair that is due for a probe is withheld. Only a first attempt may probe, since a refused
        request is repaired once.
        """
        if not may_probe:
            learned = tuple(replace(repair, probe_due=False) for repair in learned)
        make = partial(repair_in_advance, plan, learned, only_observe=self._learn == "observe")
        try:
            plan = await run_offloaded(plan.request.weight, make)
        except TooMuchWork:
            return plan  # the request may still be sent without them
        if plan.advance is None:
            return plan
        made, withheld = plan.advance.made, plan.advance.withheld
        for repair in made:
            self._metrics.learned_applied.labels(plan.deployment.label, repair.key.fault).inc()
        probed = withheld[0].key if withheld and self._learn == "true" else None
        self._known.note_sent(plan.deployment, self._tenant, [repair.key for repair in made], probed)
        if withheld:
            contradicted = tuple(repair.key for repair in withheld)
            self._lesson = _Lesson(plan.deployment.key, contradicted=contradicted)
        return plan

    async def repair(self, failure: Failure[Plan]) -> Plan | None:
        """Return the plan that follows a refusal, or None where no change helps.

        After a probe the withheld repair is made too. Where the error asks for no repair, a request with learned
        repairs is sent once more without them.
        """
        plan = failure.plan
        assert plan is not None
        for repair in () if plan.advance is None else plan.advance.made:
            if is_named(repair.key, failure.said):
                self._known.contradict(plan.deployment, self._tenant, repair.key)
        return await run_offloaded(plan.request.weight, partial(self._repair, plan, failure.said))

    def _repair(self, plan: Plan, said: ProviderError) -> Plan | None:
        refused = plan
        plan_repaired, repaired = repair_refused(plan, said)
        keys: tuple[RepairKey, ...] = ()
        if repaired is not None and self._learn != "false":
            draft = Draft(
                tuple(Entry(message, at) for at, message in enumerate(plan.messages)),
                plan.parameters,
                plan.profile,
            )
            words = RequestWords(plan.messages, plan.parameters, plan.extra_body)
            keys = name_repairs(repaired.made, draft, said, words)
        result = plan_repaired or plan
        contradicted: tuple[RepairKey, ...] = ()
        advance = plan.advance
        if advance is not None and advance.withheld:
            if self._learn == "true":
                result = make_withheld(result)
            else:
                left = tuple(repair for repair in advance.withheld if repair.key not in keys)
                contradicted = tuple(repair.key for repair in left)
                if result is not refused:
                    result = replace(result, advance=replace(advance, withheld=left))
        if result is refused and advance is not None and advance.made:
            result = without_advance(plan)
            contradicted = tuple(repair.key for repair in advance.made)
        self._next_lesson = _Lesson(plan.deployment.key, keys, contradicted)
        return None if result is refused else result

    def use(self, failure: Failure[Plan]) -> None:
        """Record that the plan of :meth:`repair` is sent, and what the refusal itself proves."""
        self._lesson, self._next_lesson = self._next_lesson, None
        plan, lesson = failure.plan, self._lesson
        if plan is None or plan.advance is None or lesson is None or self._learn != "true":
            return
        for repair in plan.advance.withheld:
            if repair.key in lesson.confirmed:
                self._known.confirm_probe(plan.deployment, self._tenant, repair.key)
            self._count_probe("confirmed" if repair.key in lesson.confirmed else "unclear")
            if repair.key not in lesson.confirmed:
                self._known.note_unclear(plan.deployment, self._tenant, repair.key)

    def repair_again(self, failure: Failure[Plan]) -> Plan | None:
        """Return the plan that follows a refusal after a repair: without learned repairs, or None without any.

        A repaired fault that is named again contradicts its repair.
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
        self._next_lesson = _Lesson(deployment.key, contradicted=made)
        return without_advance(plan)

    def note_answered(self, plan: Plan) -> None:
        """Record what the answer to *plan* proves."""
        lesson, self._lesson = self._lesson, None
        deployment, tenant = plan.deployment, self._tenant
        if lesson is None or lesson.deployment != deployment.key:
            return
        if lesson.confirmed:
            self._known.confirm(deployment, tenant, lesson.confirmed, self._find_conversation())
        for key in lesson.contradicted:
            self._known.contradict(deployment, tenant, key)
        if plan.advance is not None and plan.advance.withheld and self._learn == "true":
            self._count_probe("contradicted")

    def _count_probe(self, outcome: str) -> None:
        self._metrics.learned_probes.labels(outcome).inc()

    def _find_conversation(self) -> str:
        if self._conversation is None:
            self._conversation = conversation_of(self._chat, self._tenant)
        return self._conversation


def without_advance(plan: Plan) -> Plan:
    """Return *plan* without its learned repairs."""
    advance = plan.advance
    if advance is None:
        return plan
    plain = advance.plain
    return replace(
        plan,
        messages=plain.messages,
        parameters=plain.parameters,
        profile=plain.profile,
        signatures=plain.signatures,
        later_changes=plain.later_changes,
        advance=None,
    )


def conversation_of(chat: ChatRequest, tenant: str) -> str:
    """Return the digest of a conversation: of its messages up to the user's first one, or of all messages."""
    messages = chat.messages
    start = start_of(messages)
    return HashChain(messages, tenant)[len(messages) if start is None else start].hex()[:16]
