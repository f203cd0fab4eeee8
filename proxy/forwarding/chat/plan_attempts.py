"""Plans the requests that are sent for one chat: the history, its memory, its media, its signatures, its repairs.

Each plan is made from the original messages, since one provider needs what another refuses. A plan is kept for later
attempts at the same deployment. A new plan is made for a repair, a shorter history, a note to the model, or a fallback.
:mod:`proxy.planning.plan` and :mod:`proxy.planning.repairs` decide what is sent. This module loads the facts that those
modules need.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import AnswerUnusable, InvalidRequest, UpstreamFault
from proxy.core.instructions import Instructions
from proxy.core.offload import MEDIUM, run_offloaded
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.core.usage_so_far import UsageReports
from proxy.forwarding.attempt_planner import Failure
from proxy.forwarding.chat.answer_signatures import load_signatures, note_refused
from proxy.forwarding.chat.answer_thoughts import load_thoughts
from proxy.forwarding.chat.conversation_memory import RequestMemory
from proxy.forwarding.chat.repair_plan import repair_plan
from proxy.forwarding.chat.request_repairs import RequestRepairs
from proxy.forwarding.fallback_chain import FallbackChain
from proxy.forwarding.gateway import Gateway
from proxy.forwarding.limits.plan_size import PlanSize, chat_size
from proxy.observability.request_record import AttemptTrace, RequestRecord
from proxy.planning.answer_room import find_room, with_room
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.budgets.fit_request import estimate_sent, has_media
from proxy.planning.budgets.limits import asked_output
from proxy.planning.client_places import words_for_client
from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.corrective_note import note_for, with_note
from proxy.planning.native_formats import rules_in_format
from proxy.planning.plan import Plan, plan_request, planning_weight
from proxy.planning.plan_target import PlanTarget, plan_target
from proxy.planning.provider_needs import able_to_serve, find_lost
from proxy.planning.signatures.restoring import signature_keys
from proxy.planning.signatures.thoughts import wants_thoughts
from proxy.planning.windows import window_of
from proxy.resilience.failure_table import OVERFLOW, Kind
from proxy.resilience.read_overflow import Overflow
from proxy.state.kept_signatures import StoredSignature
from proxy.state.kept_thoughts import StoredThoughts
from proxy.state.learn_overflow import Refused
from proxy.upstream.media.inlining import RequestMedia
from sanitizers import Change, Messages, Profile

_NOTHING_KEPT: Mapping[str, StoredSignature] = MappingProxyType({})


class ChatAttemptPlanner:
    """Plans the attempts of *chat* (:class:`proxy.forwarding.attempt_planner.AttemptPlanner`).

    A chat of the proxy itself (*is_own*) gets none of the operator's instructions, and may use every model.
    """

    not_blamed: frozenset[Kind] = frozenset()

    def __init__(
        self,
        chat: ChatRequest,
        record: RequestRecord,
        gateway: Gateway,
        memory: RequestMemory | None = None,
        *,
        is_own: bool = False,
    ) -> None:
        self.chain = FallbackChain(
            chat.model,
            gateway.settings,
            partial(able_to_serve, request=chat) if chat.needs else None,
            None if is_own else record.allowed,
        )
        self._asked = self._chat = chat
        self._record = record
        self._gateway = gateway
        self._plans: dict[tuple[int, str], Plan] = {}
        self._kept: Mapping[str, StoredSignature] | None = None
        self._thoughts: Mapping[int, StoredThoughts] | None = None
        self._memory = memory
        self._instructions = None if is_own or gateway.instructions.is_off else gateway.instructions
        self._applied: AppliedMemory | None = None
        self._repairs: RequestRepairs | None = None
        self.answer_teaches = False
        self._is_commissioned = False
        repairs = gateway.settings.sanitize.mode == "repair"
        media = gateway.media if repairs else None
        self._media = None if media is None else RequestMedia(media, record.client)
        self._doubted: Messages | None = None
        self._overflowed: dict[tuple[int, str], int | None] = {}  # with the most tokens to send again
        self._rooms: dict[tuple[int, str], int] = {}  # the most tokens of an answer beside a long prompt
        self._noted: tuple[Change, ...] = ()
        guarded = record.guarded
        self._guarded: tuple[Change, ...] = () if guarded is None else guarded.changes
        self._wrapped_up = guarded is not None and guarded.turn.wrap_up != ""
        self._is_advanced = False
        self._is_fallback = False

    @property
    def noted(self) -> bool:
        """True where more than the client's body decides what is sent: a note, a learned repair, or an ended turn.

        Texts that the turn guard writes within a history do not count, since they follow from the client's body.
        """
        return bool(self._noted) or self._wrapped_up or self._is_advanced

    async def plan(self, deployment: Deployment, now: float, deadline: float) -> Plan:
        """Return the plan for *deployment*, with any note to the model and any repair.

        Later calls for *deployment* return the same plan, unless a note, a repair or a fallback came between.
        """
        key = deployment.key
        plan = self._plans.get(key)
        if plan is None:
            gateway = self._gateway
            target = plan_target(deployment, gateway.settings.sanitize, gateway.upstream.unsupported)
            needs_signatures = self._kept is None and target.profile.signs_calls
            memory = self._memory
            self._applied = None
            looked_up = False
            if memory is not None and memory.look_up.is_likely(deployment):
                looked_up = True
                await self._look_up(memory, deployment, now, needs_signatures=needs_signatures)
            elif needs_signatures:
                await self._load_signatures()
            if target.profile.keeps_thoughts and wants_thoughts(self._chat, deployment):
                target = await self._with_thoughts(target)
            if self._media is not None:
                profile = rules_in_format(self._chat, deployment, target.profile)
                await self._fetch_media(self._media, profile, deadline)
            plan = await self._planned(target, now)
            if (
                memory is not None
                and not looked_up
                and memory.look_up.is_needed(plan.budget)
                and await self._look_up(memory, deployment, now, needs_signatures=False)
            ):
                plan = await self._planned(target, now)
            self._plans[key] = plan
            if plan.advance is not None:
                self._request_repairs().note_planned(plan)
                self.answer_teaches = self.answer_teaches or bool(plan.advance.withheld)
        elif plan.advance is not None and plan.advance.withheld and self.chain.tries:
            plan = self._plans[key] = await self._request_repairs().end_probe(plan)
        advance = plan.advance
        self._is_advanced = advance is not None and advance.made != ()
        return plan

    async def _load_signatures(self) -> None:
        keys = await self._find_keys()
        self._kept = await load_signatures(self._gateway.store, self._record.key, keys)

    async def _with_thoughts(self, target: PlanTarget) -> PlanTarget:
        if self._thoughts is None:
            self._thoughts = await load_thoughts(self._gateway.store, self._record.key, self._asked)
        return replace(target, thoughts=self._thoughts)

    async def _look_up(
        self, memory: RequestMemory, deployment: Deployment, now: float, *, needs_signatures: bool
    ) -> bool:
        """Look up the conversation's memory, and load the signatures at the same time where they are needed.

        The first look-up of a request also begins the summary that is due. Returns True where a memory was found.
        """
        gateway, tenant = self._gateway, self._record.key
        lessons = gateway.learned_windows.lessons_for_plan(deployment, now, tenant)
        finding = memory.look_up.find(facts_of(deployment, gateway.settings.budget, lessons))
        if needs_signatures:
            self._applied, _ = await asyncio.gather(finding, self._load_signatures())
        else:
            self._applied = await finding
        if not self._is_commissioned:
            self._is_commissioned = True
            await memory.follow(now)
        return self._applied is not None

    async def _find_keys(self) -> Sequence[str]:
        """Return the keys under which signatures of the history may be stored.

        A long history is read in a worker thread.
        """
        chat = self._chat
        if chat.weight <= MEDIUM:
            return signature_keys(chat.messages, chat.outline)
        return await run_offloaded(chat.weight, partial(signature_keys, chat.messages, chat.outline))

    async def _fetch_media(self, media: RequestMedia, profile: Profile, deadline: float) -> None:
        """Fetch the media that the deployment cannot fetch itself.

        The wait counts as upstream time, like a wait for a provider.
        """
        now = asyncio.get_running_loop().time()
        try:
            await media.fetch(self._chat.messages, profile, deadline=deadline)
        finally:
            self._record.upstream_wait += asyncio.get_running_loop().time() - now

    async def _planned(self, target: PlanTarget, now: float) -> Plan:
        gateway, deployment = self._gateway, target.deployment
        chat = self._chat
        fetched: tuple[Change, ...] = ()
        if self._media is not None:
            profile = rules_in_format(chat, deployment, target.profile)
            chat, fetched = self._media.put_in(chat, profile)
        if self._rooms and (room := self._rooms.get(deployment.key)) is not None:
            chat, lowered = with_room(chat, room)
            fetched += lowered
        lessons = gateway.learned_windows.lessons_for_plan(deployment, now, self._record.key)
        tight, most = deployment.key in self._overflowed, self._overflowed.get(deployment.key)
        facts = facts_of(
            deployment,
            gateway.settings.budget,
            lessons,
            tight=tight,
            most=most,
            allows_cuts=chat.allows_cuts,
        )
        make = partial(plan_request, chat, target, self._kept or _NOTHING_KEPT, facts, memory=self._applied)
        if self._instructions is not None:
            make = partial(make, instructions=self._instructions.find(deployment, self._record.key))
        plan = await run_offloaded(planning_weight(self._chat, target), make)
        if plan.budget is not None and plan.budget.factor is not None:
            gateway.learned_windows.raise_factor(
                deployment, plan.budget.factor, asyncio.get_running_loop().time(), self._record.key
            )
        if not lessons.reports_usage:
            plan = replace(plan, ask_usage=False)
        if fetched or self._noted or self._guarded:
            plan = replace(plan, later_changes=(*fetched, *self._guarded, *self._noted))
        unrepaired = plan
        if gateway.learned_repairs.may_have_some:
            plan = await self._repair_in_advance(plan)
        if self.chain.repair_cause is not None:
            plan = await repair_plan(plan, self.chain.repair_cause) or plan
        if plan.request.needs and find_lost(plan) is not None:
            return unrepaired
        return plan

    async def _repair_in_advance(self, plan: Plan) -> Plan:
        """Return *plan* with the learned repairs that it needs."""
        repairs = self._request_repairs()
        learned = await repairs.find(plan.deployment)
        if not learned:
            return plan
        is_first = self.chain.tries == 0 and not self._is_fallback
        return await repairs.make_in_advance(plan, learned, is_first=is_first)

    def _request_repairs(self) -> RequestRepairs:
        if self._repairs is None:
            self._repairs = RequestRepairs(self._asked, self._record.key, self._gateway)
        return self._repairs

    @staticmethod
    def values_of(plan: Plan) -> tuple[Any, ...]:
        """Return every value in *plan* that is sent and that a client may have written.

        Items hold more than their messages: ids, for one, which a provider repeats in its errors.
        """
        source = plan.request.source
        if source is not None and source.native is not None:
            native = source.native
            return plan.messages, plan.parameters, plan.extra_body, native.items, native.fields
        return plan.messages, plan.parameters, plan.extra_body

    @staticmethod
    def instructions_of(plan: Plan) -> Instructions | None:
        """Return the operator's instructions in *plan*, or None without any."""
        return plan.instructions

    @staticmethod
    def words_for_client(plan: Plan, words: str) -> str:
        """Return *words*, the provider's error for *plan*, with the places of the client's own messages."""
        return words_for_client(plan, words)

    @staticmethod
    def size_of(plan: Plan) -> PlanSize:
        """Return the size of *plan*."""
        return chat_size(plan.messages, plan.parameters, plan.request.weight)

    @staticmethod
    def call_of(plan: Plan, timeouts: Timeouts, trace: AttemptTrace | None = None) -> UpstreamCall:
        """Return the upstream call of *plan*."""
        request = plan.request
        return UpstreamCall(
            deployment=plan.deployment,
            messages=plan.messages,
            parameters=plan.parameters,
            timeouts=timeouts,
            ask_usage=plan.ask_usage,
            extra_body=plan.extra_body,
            source=request.source,
            weight=request.weight,
            profile=plan.profile,
            trace=trace,
            reports=UsageReports() if request.stream or plan.deployment.stream else None,
        )

    async def repair(self, failure: Failure[Plan]) -> Plan | None:
        """Return a plan that avoids the provider's error, or None where no change helps.

        From a context overflow, the proxy also learns the size of the model's window (:meth:`_cut_further`).
        """
        if failure.plan is None:
            return None
        if failure.row is OVERFLOW:
            return await self._lower_limit(failure) or await self._cut_further(failure)
        repairs = self._request_repairs()
        if self.chain.repair_cause is not None:
            repaired = await repairs.repair_again(failure, self.chain.repair_cause)
        else:
            repaired = await repairs.repair(failure)
        if repaired is not None and repaired.request.needs and find_lost(repaired) is not None:
            return None
        return repaired

    def use_repair(self, failure: Failure[Plan], repaired: Plan) -> None:
        """Send *repaired* next.

        Every further plan for this model gets the same repair, except after a context overflow. A request that is sent
        without its learned repairs has all of its tries and its repair still before it.
        """
        key = failure.deployment.key
        self._plans = {key: repaired}
        if failure.row is OVERFLOW:
            return
        self.answer_teaches = True
        withdrawal = self._request_repairs().use(failure)
        if withdrawal is not None:
            self.chain.tries -= withdrawal.refused
            if withdrawal.is_plain:
                self.chain.repair_cause = self._doubted = None
            return
        self._doubt(failure, repaired)
        self.chain.repair_cause = failure.said
        if failure.said.refuses_usage:
            self._gateway.learned_windows.refuses_usage(
                failure.deployment, asyncio.get_running_loop().time(), self._record.key
            )

    def note_retry(self, failure: Failure[Plan]) -> None:
        """Add a note for the model on what was wrong with its answer.

        A request gets at most one note for each model.
        """
        plan, error = failure.plan, failure.error
        if not failure.row.note or plan is None or plan.mode != "repair":
            return
        if self._noted or not isinstance(error, UpstreamFault):
            return
        detail = error.detail if isinstance(error, AnswerUnusable) else ""
        self._chat, change = with_note(self._chat, note_for(error.cause, plan.parameters, detail))
        self._noted = (change,)
        self._plans.clear()

    def begin_fallback(self) -> None:
        """Plan from the client's request again: the note is about another model's answer."""
        self._chat, self._noted, self.answer_teaches = self._asked, (), False
        self._is_fallback = True
        self._plans.clear()

    async def note_answered(self, plan: Plan) -> None:
        """Record what an answer proves of learned repairs, and store suspected signatures as refused."""
        await self._request_repairs().note_answered(plan)
        if self._doubted is not None and self.chain.repair_cause is not None:
            await note_refused(self._gateway.store, self._record.key, self._doubted)

    def _doubt(self, failure: Failure[Plan], repaired: Plan) -> None:
        """Keep the refused messages after a repair of signatures, until an answer proves the cause."""
        if failure.plan is None or failure.said.says("missing a thought_signature"):
            return
        if any(change.reason == "signature" for change in repaired.later_changes):
            self._doubted = failure.plan.messages

    async def _lower_limit(self, failure: Failure[Plan]) -> Plan | None:
        """Return a plan with room for the prompt, or None where a lower limit of the answer would not help.

        Each deployment's limit is lowered once. Nothing is learned, since the prompt fits.
        """
        plan, key = failure.plan, failure.deployment.key
        overflow = failure.said.overflow
        if plan is None or plan.mode != "repair" or overflow is None or key in self._rooms:
            return None
        room = find_room(overflow, self._chat)
        if room is None:
            return None
        self._rooms[key] = room
        try:
            target = plan_target(
                failure.deployment, self._gateway.settings.sanitize, self._gateway.upstream.unsupported
            )
            roomier = await self._planned(
                replace(target, thoughts=self._thoughts), asyncio.get_running_loop().time()
            )
        except InvalidRequest:
            return None
        return None if roomier.parameters == plan.parameters else roomier

    async def _cut_further(self, failure: Failure[Plan]) -> Plan | None:
        """Learn from an overflow and return a plan with a shorter history, or None where nothing can be cut.

        Each deployment gets one shorter plan per request. This plan already uses all that was learned from the refusal.
        """
        gateway, plan, deployment = self._gateway, failure.plan, failure.deployment
        key = deployment.key
        if plan is None or plan.mode != "repair" or key in self._overflowed:
            return None
        now = asyncio.get_running_loop().time()
        tenant = self._record.key
        family = gateway.learned_windows.lessons_of(deployment, now, tenant).family
        count = partial(estimate_sent, plan.messages, plan.parameters, family)
        window = window_of(deployment)
        refused = Refused(
            await run_offloaded(plan.request.weight, count),
            asked_output(plan.parameters),
            window.max_input_tokens,
            has_media(plan.messages),
            configured=window.source == "configured",
        )
        lesson = gateway.learned_windows.learn(
            deployment, failure.said.overflow or Overflow(), refused, now, tenant
        )
        self._overflowed[key] = lesson.most
        try:
            target = plan_target(deployment, gateway.settings.sanitize, gateway.upstream.unsupported)
            tighter = await self._planned(replace(target, thoughts=self._thoughts), now)
        except InvalidRequest:
            return None
        same = tighter.messages == plan.messages and tighter.parameters == plan.parameters
        return None if same else tighter
