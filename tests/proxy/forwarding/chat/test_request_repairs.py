"""Tests of a request's learned repairs: what its plans get in advance, and what its answers teach."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from typing_extensions import override

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import TooMuchWork, UpstreamFault
from proxy.core.offload import LARGE
from proxy.core.upstream_call import UpstreamCall
from proxy.forwarding.chat import request_repairs
from proxy.forwarding.chat.request_repairs import conversation_of, without_advance
from proxy.planning.plan import Advance
from proxy.planning.repairs import Repaired
from proxy.planning.repairs.use_repaired import use_repaired
from proxy.state.repairs.learned_repairs import ListedRepair
from tests.proxy.forwarding.attempting import refused
from tests.proxy.planning.repairs.test_unseal_items import ITEMS, plan_of
from tests.support.builders import assistant, system, user
from tests.support.proxied import MODEL, Proxied, proxied, settings_of
from tests.support.scripted_upstream import Exchange, ScriptedUpstream, Step

TARGET = "openai/gpt-9"
Rule = Callable[[UpstreamCall], str]
"""Returns the words of the refusal of a call, or "" for a call that is accepted."""


class StrictUpstream(ScriptedUpstream):
    """An upstream that refuses calls by *rule*, which a test may replace at any time."""

    def __init__(self, rule: Rule) -> None:
        super().__init__()
        self.rule = rule

    @override
    def _open(self, call: UpstreamCall, *, stream: bool) -> tuple[Exchange, list[Step]]:
        words = self.rule(call)
        if words and not self.script:
            self.then(refusal(words))
        return super()._open(call, stream=stream)


def refusal(words: str) -> UpstreamFault:
    """Build a 400 in OpenAI's envelope."""
    return refused(400, words, {"error": {"message": words, "type": "invalid_request_error"}})


def no_temperature(call: UpstreamCall) -> str:
    """Refuse the parameter ``temperature``."""
    return (
        "Unsupported parameter: 'temperature' is not supported." if "temperature" in call.parameters else ""
    )


def no_seed(call: UpstreamCall) -> str:
    """Refuse the parameter ``seed``."""
    return "Unsupported parameter: 'seed' is not supported." if "seed" in call.parameters else ""


def anything(_: UpstreamCall) -> str:
    """Accept every call."""
    return ""


def first_of(*rules: Rule) -> Rule:
    """Return a rule that gives the first refusal of *rules*."""
    return lambda call: next((words for rule in rules if (words := rule(call))), "")


@asynccontextmanager
async def serving(
    upstream: StrictUpstream, learn: str = "true", mode: str = "repair"
) -> AsyncIterator[Proxied]:
    """Serve one model whose provider is *upstream*."""
    settings = settings_of({MODEL: TARGET}, router_settings={"learn": learn}, sanitize={"mode": mode})
    async with proxied(settings, upstream) as proxy:
        yield proxy


async def ask(proxy: Proxied, upstream: ScriptedUpstream, text: str, **fields: Any) -> int:
    """Send a request that must be answered. Return the number of calls that it cost."""
    before = len(upstream.calls)
    body = {"model": MODEL, "messages": [user(text)], "temperature": 0.5, **fields}
    reply = await proxy.post(body)
    assert reply.status == 200, reply.raw
    return len(upstream.calls) - before


async def teach(
    proxy: Proxied, upstream: ScriptedUpstream, conversations: Iterable[int], **fields: Any
) -> None:
    """Have each of *conversations* refused, repaired and answered."""
    for number in conversations:
        assert await ask(proxy, upstream, f"conversation {number}", **fields) == 2


def evidence(proxy: Proxied) -> dict[str, ListedRepair]:
    """Return the evidence by feature."""
    listed = proxy.server.gateway.learned_repairs.list_evidence([""])
    return {one.key.feature: one for one in listed}


async def test_four_confirmed_conversations_teach_a_repair() -> None:
    """The fifth conversation's first request costs one call. The repair and its changes are those of a refusal."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream) as proxy:
        await teach(proxy, upstream, range(4))
        assert await ask(proxy, upstream, "conversation 4") == 1
        assert await proxy.count("learned_applied_total", model=MODEL, fault="parameter") == 1
    assert upstream.calls[-1].parameters == upstream.calls[-2].parameters


async def test_repeated_refusals_of_one_conversation_count_once() -> None:
    """A conversation whose repair is made at once after the first refusal teaches other conversations nothing."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream) as proxy:
        assert await ask(proxy, upstream, "same") == 2
        for _ in range(5):
            assert await ask(proxy, upstream, "same") == 1
        assert await ask(proxy, upstream, "another") == 2
        assert evidence(proxy)["temperature"].evidence.confirmed == pytest.approx(2, abs=0.001)


@pytest.mark.parametrize("learn", ["observe", "false"])
async def test_setting_decides_if_a_repair_is_learned_or_only_observed(learn: str) -> None:
    """``observe`` collects the evidence, ``false`` does not, and neither repairs a request in advance."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream, learn) as proxy:
        await teach(proxy, upstream, range(6))
        assert await ask(proxy, upstream, "conversation 0") == 2
        assert bool(evidence(proxy)) is (learn == "observe")


async def test_observed_repair_that_is_needed_no_longer_is_unlearned() -> None:
    """In ``observe`` every accepted request without the repair is a contradiction."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream, "observe") as proxy:
        await teach(proxy, upstream, range(5))
        upstream.rule = anything
        assert await ask(proxy, upstream, "x") == 1
        assert evidence(proxy)["temperature"].evidence.contradicted == pytest.approx(1, abs=0.001)
        assert await ask(proxy, upstream, "y") == 1
        assert not evidence(proxy)["temperature"].is_learned


async def test_quoted_words_are_no_contradiction_under_observe() -> None:
    """The request was refused for the fault. So nothing shows that the repair is needed no longer."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream, "observe") as proxy:
        await teach(proxy, upstream, range(4))
        await ask(proxy, upstream, f"why: {no_temperature(upstream.calls[-2])}")
        standing = evidence(proxy)["temperature"].standing
        assert (round(standing.confirmed, 2), standing.contradicted) == (4.0, 0.0)


@pytest.mark.parametrize("mode", ["observe", "off"])
async def test_other_modes_of_sanitizing_teach_nothing(mode: str) -> None:
    """Only mode ``repair`` repairs a refused request, so nothing is learned in other modes."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream, mode=mode) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": [user("x")], "temperature": 0.5})
        assert reply.status == 400
        assert not evidence(proxy)


async def test_probe_is_repaired_and_answered_and_the_next_one_comes_later() -> None:
    """The fiftieth request goes without the repair, is refused, repaired and answered."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream) as proxy:
        await teach(proxy, upstream, range(4))
        costs = [await ask(proxy, upstream, f"request {number}") for number in range(150)]
        assert [at for at, cost in enumerate(costs, 1) if cost == 2] == [50, 150]
        assert await proxy.count("learned_probes_total", outcome="confirmed") == 2


async def test_mended_target_is_unlearned_by_two_probes_in_a_row() -> None:
    """The probe that is accepted is followed by another one. Then nothing is made in advance any more."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream) as proxy:
        await teach(proxy, upstream, range(4))
        known, target = proxy.server.gateway.learned_repairs, upstream.calls[-1].deployment
        for number in range(16):  # with four confirmations, one contradiction is enough
            known.confirm(target, "", [evidence(proxy)["temperature"].key], f"seed {number}")
        upstream.rule = anything
        for number in range(51):
            assert await ask(proxy, upstream, f"request {number}") == 1
        sent = ["temperature" in call.parameters for call in upstream.calls[8:]]
        assert sent == [False] * 49 + [True, True]
        assert await ask(proxy, upstream, "later") == 1
        assert "temperature" in upstream.calls[-1].parameters
        assert await proxy.count("learned_probes_total", outcome="contradicted") == 2


async def test_probe_that_is_refused_for_another_fault_is_answered_with_both_repairs() -> None:
    """The withheld repair is made as well, since a request is repaired once. The probe told nothing."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream) as proxy:
        await teach(proxy, upstream, range(4))
        for number in range(49):
            await ask(proxy, upstream, f"request {number}")
        upstream.rule = first_of(no_seed, no_temperature)
        assert await ask(proxy, upstream, "probe", seed=1) == 2
        assert not {"seed", "temperature"} & upstream.calls[-1].parameters.keys()
        assert await proxy.count("learned_probes_total", outcome="unclear") == 1


async def test_failed_call_of_a_probe_teaches_nothing() -> None:
    """A 500 says nothing of the repair."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream) as proxy:
        await teach(proxy, upstream, range(4))
        for number in range(49):
            await ask(proxy, upstream, f"request {number}")
        upstream.then(refused(500))
        assert (await proxy.post({"model": MODEL, "messages": [user("x")], "temperature": 0.5})).status == 500
        held = evidence(proxy)["temperature"]
        assert held.is_learned
        assert held.evidence.contradicted == 0


async def test_request_that_is_refused_for_its_repair_is_sent_once_without_it() -> None:
    """A target that now needs the parameter is asked again with it, and the answer contradicts the repair."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream) as proxy:
        await teach(proxy, upstream, range(4))
        upstream.rule = lambda call: "" if "temperature" in call.parameters else "A temperature is needed."
        assert await ask(proxy, upstream, "x") == 2
        assert await ask(proxy, upstream, "y") == 1, "the next request probes"
        assert await ask(proxy, upstream, "z") == 1, "nothing is made in advance any more"
        assert not evidence(proxy)["temperature"].is_learned


async def test_fault_that_is_named_again_after_its_repair_contradicts_it() -> None:
    """A target that goes on refusing in the same words has another fault than it says."""
    upstream = StrictUpstream(lambda call: "Unsupported parameter: 'temperature' is not supported.")
    async with serving(upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": [user("x")], "temperature": 0.5})
        assert reply.status == 400
        assert evidence(proxy)["temperature"].evidence.contradicted == pytest.approx(1, abs=0.001)


async def test_words_that_the_client_wrote_teach_nothing() -> None:
    """A provider that quotes the request may seem to refuse a parameter. The repair after the refusal is made."""
    upstream = StrictUpstream(
        lambda call: f"Bad request: {call.messages[0]['content']}" if "temperature" in call.parameters else ""
    )
    async with serving(upstream) as proxy:
        for number in range(5):
            assert await ask(proxy, upstream, f"{number} Unsupported parameter: 'temperature'") == 2
        assert not evidence(proxy)


async def named(*messages: Any, tenant: str = "", weight: int = 0) -> str:
    """Return the digest of a conversation."""
    return await conversation_of(
        ChatRequest("m", list(messages), False, False, {}, {}, weight=weight), tenant
    )


async def test_conversation_is_named_by_its_messages_up_to_the_users_first() -> None:
    """Later messages do not change the digest. Another tenant or another first message does."""
    begun = await named(system("s"), user("a"))
    assert await named(system("s"), user("a"), assistant("b"), user("c")) == begun
    assert await named(system("s"), user("b")) != begun
    assert await named(system("s"), user("a"), tenant="t") != begun
    assert await named(system("only")) != await named(system("other"))


@pytest.mark.parametrize(("weight", "is_here"), [(LARGE, True), (LARGE + 1, False)])
async def test_digest_of_a_long_conversation_is_computed_in_a_worker_thread(
    monkeypatch: pytest.MonkeyPatch, weight: int, is_here: bool
) -> None:
    """A body of 32 MiB would hold the event loop for a second."""
    threads = []

    def digest(*_: Any) -> str:
        threads.append(threading.get_ident())
        return "digest"

    monkeypatch.setattr(request_repairs, "_digest_of", digest)
    assert await named(user("a"), weight=weight) == "digest"
    assert (threads == [threading.get_ident()]) is is_here


async def test_conversation_that_takes_too_much_work_to_name_teaches_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without its name it might count again and again. The request is repaired all the same."""

    def refuse(*_: Any) -> str:
        raise TooMuchWork("too many steps")

    monkeypatch.setattr(request_repairs, "_digest_of", refuse)
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream) as proxy:
        await teach(proxy, upstream, range(5))
        assert not evidence(proxy)


def test_request_of_items_without_its_learned_repairs_has_the_items_before_them() -> None:
    plan = plan_of([*ITEMS, {"type": "reasoning", "id": "rs_9", "summary": []}])
    repaired = use_repaired(plan, Repaired([*plan.messages[:1]], plan.parameters, None, ()))
    advanced = replace(repaired, advance=Advance((), (), plan))

    assert repaired.request.source != plan.request.source
    assert without_advance(advanced) == plan
