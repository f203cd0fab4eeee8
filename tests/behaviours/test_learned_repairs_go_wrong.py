"""Tests that no request fails for a probe, or for a repair that is made in advance and should not be.

Most requests are also sent to a gateway with ``learn: false``, whose provider behaves in the same way.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import product
from typing import Any

import pytest

from benchmarks.compaction import gateways
from benchmarks.compaction import provider as compaction_provider
from benchmarks.compaction.faults import USUAL
from benchmarks.learned.conversations import MODEL
from benchmarks.learned.provider import Body, Judge, Reply
from proxy.forwarding.chat.conversation_memory import ConversationMemory
from proxy.state.repairs.repair_key import RepairKey
from tests.behaviours.learned_targets import (
    REFUSES_SEED,
    REFUSES_TEMPERATURE,
    SEED,
    Target,
    no_seed,
    target,
)
from tests.behaviours.test_compaction import rounds, sent_and_settled
from tests.support.builders import assistant, system, user

BAD = Reply(words="Bad request.")
RETRYING: dict[str, Any] = {"router_settings": {"num_retries": 1, "cooldown_time": 0}}


def has_seed(bodies: list[Body]) -> list[bool]:
    """Return for each call of a request if it was made without the repair."""
    return ["seed" in body for body in bodies]


def bad(body: Body) -> Reply:
    """Refuse ``seed``, and a request without it for another reason."""
    return no_seed(body) or BAD


@asynccontextmanager
async def two_targets(
    make_judge: Callable[[], Judge], **sections: Any
) -> AsyncIterator[tuple[Target, Target]]:
    """Serve a target whose repair is learned, and one with ``learn: false``. Each has a judge of its own."""
    async with AsyncExitStack() as stack:
        learning = await stack.enter_async_context(target(make_judge(), **sections))
        plain = await stack.enter_async_context(target(make_judge(), "false", **sections))
        learning.teach(SEED)
        yield learning, plain


WORDS = {"accepted": None, "seed": REFUSES_SEED, "temperature": REFUSES_TEMPERATURE, "bad": BAD}
VERSIONS = ((True, True), (True, False), (False, True), (False, False))
"""The versions of a request: with ``seed`` and ``temperature``, or without one of them or both."""


@pytest.mark.parametrize("probes", [False, True])
async def test_no_refusal_of_any_version_of_a_request_makes_it_fail(probes: bool) -> None:
    """A provider may refuse each version of a request in any words.

    A request that is answered without learning is answered with it. A request costs one call more at most. It costs two
    more where the provider names another fault only after the repair, and then refuses the request without both.
    """
    world: dict[tuple[bool, bool], str] = {}
    async with two_targets(lambda: lambda body: WORDS[world["seed" in body, "temperature" in body]]) as (
        learning,
        plain,
    ):
        [place] = learning.evidence().values()
        for refusals in product(WORDS, repeat=len(VERSIONS)):
            world.update(zip(VERSIONS, refusals, strict=True))
            learning.known.forget(place.id)
            learning.teach(SEED)
            if probes:
                learning.make_due()
            answer, calls = await learning.ask(temperature=0.5)
            expected, plain_calls = await plain.ask(temperature=0.5)

            assert answer.status in (200, expected.status), refusals
            if expected.status == 200:
                assert answer.raw == expected.raw
            misleads = world[False, True] == "temperature" and world[False, False] != "accepted"
            assert len(calls) <= len(plain_calls) + (2 if misleads and not probes else 1), refusals


FAILING = {
    "500": Reply(500, "Internal error."),
    "503": Reply(503, "Overloaded."),
    "429": Reply(429, "Too many requests."),
    "529": Reply(529, "Overloaded."),
    "timeout": Reply(200, delay_s=2.0),
    "cut": Reply(200, cut=True),
}
FAILED_CALLS = [*((name, False) for name in FAILING), ("503", True), ("timeout", True)]


def failing(times: int, reply: Reply) -> Judge:
    """Return a judge that gives *reply* to the first calls, and then refuses ``seed``."""
    left = [reply] * times
    return lambda body: left.pop() if left else no_seed(body)


@pytest.mark.pairwise
@pytest.mark.parametrize("probes", [False, True])
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(("name", "stream"), FAILED_CALLS)
async def test_failed_calls_cost_no_more_and_end_as_without_learning(
    name: str, stream: bool, times: int, probes: bool
) -> None:
    """One failed call is retried, two are not. A retry is never a probe: after a failed probe the repair is made."""
    limits = {"timeout": 0.5 if name == "timeout" else 30}
    make_judge = partial(failing, times, FAILING[name])
    async with two_targets(make_judge, litellm_params=limits, **RETRYING) as (learning, plain):
        if probes:
            learning.make_due()
        answer, calls = await learning.ask(stream=stream)
        expected, plain_calls = await plain.ask(stream=stream)

        assert answer.status == expected.status
        assert (answer.status == 200) is (times == 1)
        assert has_seed(calls) == [probes, False]
        assert len(calls) <= len(plain_calls)
        assert learning.evidence()["", "seed"].evidence.contradicted == 0


@pytest.mark.parametrize("probes", [False, True])
async def test_stream_that_breaks_off_is_neither_repeated_nor_believed(probes: bool) -> None:
    """The client has a part of the answer, so nothing is sent again. A broken answer to a probe proves nothing."""
    async with target(lambda _: Reply(200, cut=True, delay_s=0.2), **RETRYING) as learning:
        learning.teach(SEED)
        if probes:
            learning.make_due()
        answer, calls = await learning.ask(stream=True)

        text, error = answer.events
        assert text["choices"][0]["delta"]["content"] == "Noted"
        assert "error" in error
        assert has_seed(calls) == [probes]
        assert learning.evidence()["", "seed"].evidence.contradicted == 0


async def test_fallback_is_repaired_in_advance_and_never_probes() -> None:
    """The first attempt of another model is not the request's first one."""
    async with target(
        lambda body: BAD if body["model"] == "broken" else no_seed(body),
        others=[("broken", {"model": "openai/broken"})],
        router_settings={"fallbacks": [{"broken": [MODEL]}]},
    ) as learning:
        learning.teach(SEED)
        learning.make_due()
        answer, calls = await learning.ask(model="broken")

        assert answer.status == 200
        assert [(body["model"], "seed" in body) for body in calls] == [("broken", True), ("strict-9", False)]


async def test_request_that_is_refused_for_its_repair_has_all_retries_before_it() -> None:
    """The refused call with the repair counts for nothing."""
    replies = [Reply(words="A seed is needed."), Reply(503, "Overloaded."), None]
    async with target(lambda _: replies.pop(0), **RETRYING) as learning:
        learning.teach(SEED)
        answer, calls = await learning.ask()

        assert (answer.status, has_seed(calls)) == (200, [False, True, True])


async def test_note_to_the_model_follows_a_withdrawn_repair() -> None:
    """A new plan of the same request is made without the repairs that were refused."""
    malformed = {"candidates": [{"index": 0, "finishReason": "MALFORMED_FUNCTION_CALL"}]}
    replies = [BAD, Reply(200, answer=malformed), None]
    words = "function calling with a response mime type"
    async with target(lambda _: replies.pop(0), route="gemini", **RETRYING) as learning:
        learning.teach(RepairKey("json_with_tools", "", words, loosens=True), conversations=15)
        tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
        answer, calls = await learning.ask(tools=[tool], response_format={"type": "json_object"})

        assert answer.status == 200
        assert ["responseMimeType" in body["generationConfig"] for body in calls] == [False, True, True]
        assert "note=1" in answer.headers["x-turnright-changes"]


async def test_client_gets_the_error_of_a_bad_request_and_not_that_of_the_fault() -> None:
    """A request that is refused in any case costs one call more than without learning. Its error is the same."""
    async with two_targets(lambda: bad) as (learning, plain):
        answer, calls = await learning.ask()
        expected, plain_calls = await plain.ask()

        assert (answer.status, answer.raw) == (expected.status, expected.raw)
        assert answer.error["message"] == "Bad request."
        assert (has_seed(calls), has_seed(plain_calls)) == ([False, True, False], [True, False])


async def test_repeated_bad_request_is_refused_by_the_proxy_after_one_call() -> None:
    """The refusal of the client's own body is stored. With its repair the body may have become good meanwhile."""
    async with target(bad) as learning:
        learning.teach(SEED)

        assert [len((await learning.ask(mark="9.9"))[1]) for _ in range(4)] == [3, 3, 1, 1]


async def test_probe_whose_repair_is_refused_is_not_sent_a_third_time() -> None:
    """A target that refuses both versions gets two calls, as without learning."""
    async with two_targets(lambda: bad) as (learning, plain):
        learning.make_due()
        _, calls = await learning.ask()
        _, plain_calls = await plain.ask()

        assert has_seed(calls) == has_seed(plain_calls) == [True, False]


async def test_probe_that_is_refused_for_its_length_contradicts_nothing() -> None:
    """The shorter request is made with the repair, so its answer says nothing of it."""
    words = (
        "This model's maximum context length is 1000 tokens. However, your messages resulted in 1200 tokens."
    )
    replies = [Reply(words=words), None]
    async with target(lambda _: replies.pop(0)) as learning:
        learning.teach(SEED)
        learning.make_due()
        long = [
            message
            for number in range(9)
            for message in (user(f"{number}. " + "word " * 99), assistant("Yes."))
        ]
        answer, calls = await learning.ask(messages=long)

        assert (answer.status, has_seed(calls)) == (200, [True, False])
        assert learning.evidence()["", "seed"].evidence.contradicted == 0


async def test_observed_repair_after_a_refusal_is_not_contradicted_by_another_attempt() -> None:
    """Under ``observe``, another deployment gets the repaired request. Its answer says nothing of the repair."""
    replies = [REFUSES_SEED, Reply(503, "Overloaded."), None]
    others, router = [(MODEL, {"api_key": "another"})], {"num_retries": 2}
    async with target(
        lambda _: replies.pop(0), "observe", others=others, router_settings=router
    ) as observing:
        observing.teach(SEED)
        answer, calls = await observing.ask()

        assert (answer.status, has_seed(calls)) == (200, [True, False, False])
        assert observing.evidence()["", "seed"].evidence.contradicted == 0


async def test_probe_that_is_planned_again_with_its_memory_goes_without_the_repair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A plan that is not sent is no probe, and its repairs count as made once."""
    # so that the first plan finds the memory
    monkeypatch.setattr(ConversationMemory, "is_likely", lambda *_: False)
    history = [system(), user("Read it."), *rounds(20, 300)]
    async with (
        compaction_provider.providing(lambda _: compaction_provider.Answer(USUAL)) as provider,
        gateways.serving(gateways.config_for(provider, 10_000)) as gateway,
    ):
        known = gateway.server.gateway.learned_repairs
        [deployment] = gateway.server.gateway.settings.routes.exact[gateways.MAIN]
        await sent_and_settled(gateway, history)
        for number in range(20):
            known.confirm(deployment, "", [SEED], str(number))
        known.note_sent(deployment, "", [], SEED)
        known.note_unclear(deployment, "", SEED)
        probe = await gateways.ask(gateway, [*history, *rounds(1, 300, first=20)], seed=7)

        assert probe.memory
        assert b'"seed"' in provider.last[""]
        [listed] = known.list_evidence([""])
        assert listed.evidence.contradicted == pytest.approx(1, abs=0.001)
        assert await gateway.count("learned_applied_total") == 0


async def test_refused_probe_of_a_client_that_writes_the_same_words_is_not_repeated_at_once() -> None:
    """The words may be quoted, so they confirm nothing. A conversation about them would otherwise only probe."""
    async with target(no_seed) as learning:
        learning.teach(SEED)
        learning.make_due()
        about = [user("What does \"Unsupported parameter: 'seed'\" mean?")]

        assert [await learning.cost(messages=about) for _ in range(3)] == [2, 1, 1]
        assert learning.evidence()["", "seed"].evidence.doublings == 0
