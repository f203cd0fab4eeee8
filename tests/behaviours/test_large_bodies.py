"""Tests that large bodies are planned in a worker thread, with the same result as on the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from proxy.core import offload
from proxy.core.chat_request import MAX_KNOWN, KnownTools
from proxy.core.offload import LARGE, MEDIUM
from proxy.forwarding import calibrate
from proxy.forwarding.chat import plan_attempts as chat_planning
from proxy.forwarding.chat import repair_plan
from proxy.ingress.openai_chat.known_tools import known_tools
from proxy.planning.budgets.fit_request import estimate_sent
from proxy.planning.clean_tools import clean_declared, cleaning_weight
from proxy.planning.plan import plan_request
from proxy.planning.repairs import repair_request
from proxy.state.learned_windows import LearnedWindows
from sanitizers.schemas import GEMINI, Target
from tests.proxy.forwarding.attempting import refused
from tests.support.builders import assistant, tool, user
from tests.support.proxied import MODEL, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

HISTORY = [user("go"), assistant("a"), tool("gone", "x"), user("on")]


def noting(into: list[int], work: Callable[..., object]) -> Callable[..., object]:
    """Return a function that does *work* and appends its thread's id to *into*."""

    def noted(*arguments: object, **options: object) -> object:
        into.append(threading.get_ident())
        return work(*arguments, **options)

    return noted


async def test_it_comes_to_the_same(upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large request is planned in a worker thread, with the same repairs and report as a small one."""
    planned_in: list[int] = []

    monkeypatch.setattr(chat_planning, "plan_request", noting(planned_in, plan_request))
    seen = []
    for largest in (LARGE, 10):
        monkeypatch.setattr(offload, "LARGE", largest)
        async with proxied(settings_of(), upstream) as proxy:
            reply = await proxy.post({"model": MODEL, "messages": HISTORY})
        seen.append((reply.status, reply.headers["x-turnright-changes"], upstream.calls[-1].messages))

    assert seen[0] == seen[1]
    assert [thread == threading.get_ident() for thread in planned_in] == [True, False]


async def test_many_small_messages_are_large(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many small messages count as a large body: each message counts for 1,024 bytes."""
    planned_in: list[int] = []

    monkeypatch.setattr(chat_planning, "plan_request", noting(planned_in, plan_request))
    async with proxied(settings_of(), upstream) as proxy:
        for number in (LARGE // 1024, LARGE // 1024 + 1):
            history = [user("a"), assistant("b")] * (number // 2) + [user("c")] * (number % 2)
            await proxy.post({"model": MODEL, "messages": history})

    assert [thread == threading.get_ident() for thread in planned_in] == [True, False]


async def test_a_large_request_is_no_sample(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large request's tokens are not counted to calibrate the estimate: counting would block the event loop."""
    seen = []
    for largest in (1_000_000, 10):
        monkeypatch.setattr(calibrate, "LARGE", largest)
        async with proxied(settings_of(), upstream) as proxy:
            await proxy.post({"model": MODEL, "messages": [user("count me " * 3_000)]})
            seen.append((await proxy.metrics())["turnright_estimate_error_ratio_count", (("model", MODEL),)])

    assert seen == [1, 0]


async def test_a_long_prompt_is_counted_in_a_thread(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long prompt's tokens are counted in a worker thread, and a short prompt's on the event loop.

    Both prompts calibrate the proxy's estimate of tokens.
    """
    counted_in: list[int] = []

    monkeypatch.setattr(calibrate, "estimate_sent", noting(counted_in, estimate_sent))
    learned = asyncio.Semaphore(0)

    observe = LearnedWindows.observe

    def learn(*arguments: Any) -> None:
        assert threading.get_ident() == here
        observe(*arguments)
        learned.release()

    here = threading.get_ident()
    monkeypatch.setattr(LearnedWindows, "observe", learn)
    async with proxied(settings_of(), upstream) as proxy:
        for number in (3_000, MEDIUM // 9):
            await proxy.post({"model": MODEL, "messages": [user("count me " * number)]})
            await asyncio.wait_for(learned.acquire(), 30)
        observed = await proxy.count("estimate_error_ratio_count", model=MODEL)

    assert observed == 2
    assert [thread == threading.get_ident() for thread in counted_in] == [True, False]


async def test_tools_are_cleaned_in_a_thread(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large tool schema that the proxy sees for the first time is cleaned in a worker thread.

    The next request with the same ``tools`` is planned on the event loop.
    """
    planned_in: list[int] = []

    monkeypatch.setattr(chat_planning, "plan_request", noting(planned_in, plan_request))
    schema = {"type": "object", "properties": {f"never_seen_{n}": {"type": "string"} for n in range(200)}}
    tools = [{"type": "function", "function": {"name": "f", "parameters": schema}}]
    async with proxied(settings_of(), upstream) as proxy:
        declared: tuple[dict[str, Any], ...] = (
            {},
            {"tools": []},
            {"tools": tools},
            {"tools": tools},
            {"functions": [tools[0]["function"]]},
        )
        for request in declared:
            await proxy.post({"model": MODEL, "messages": [user("go")], **request})

    assert [thread == threading.get_ident() for thread in planned_in] == [True, True, False, True, False]


async def test_a_second_plan_is_made_in_a_thread(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that was too long for the provider is counted and cut in a worker thread again."""
    worked_in: list[int] = []

    monkeypatch.setattr(chat_planning, "plan_request", noting(worked_in, plan_request))
    monkeypatch.setattr(chat_planning, "estimate_sent", noting(worked_in, estimate_sent))
    monkeypatch.setattr(offload, "LARGE", 10)
    words = (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 20000 tokens."
    )
    upstream.then(refused(400, words))
    history = [
        user("go"),
        *(turn for n in range(40) for turn in (assistant(f"Step {n}."), user("word " * 400))),
    ]
    async with proxied(settings_of({MODEL: "openai/gpt-unheard-of"}), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": history})

    assert (reply.status, len(upstream.calls)) == (200, 2)
    assert len(worked_in) == 3
    assert threading.get_ident() not in worked_in


async def test_a_repair_is_made_in_a_thread(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repair after a provider's refusal is made once, in a worker thread."""
    repaired_in: list[int] = []

    monkeypatch.setattr(repair_plan, "repair_request", noting(repaired_in, repair_request))
    monkeypatch.setattr(offload, "LARGE", 10)
    upstream.then(refused(400, "Unsupported parameter: 'top_p' is not supported with this model."))
    async with proxied(settings_of({MODEL: "openai/gpt-unheard-of"}), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": [user("go")], "top_p": 0.5})

    assert (reply.status, len(upstream.calls)) == (200, 2)
    assert "top_p" not in upstream.calls[1].parameters
    assert len(repaired_in) == 1
    assert threading.get_ident() not in repaired_in


def test_forgotten_tools_weigh_again() -> None:
    """Tools that left the cache count as heavy work again, since they must be cleaned again."""
    target = Target(GEMINI)

    def known(number: int) -> KnownTools:
        found = known_tools([{"type": "function", "function": {"name": f"forgotten_{number}"}}])
        assert found is not None
        clean_declared({"tools": found.tools}, target, found)
        return found

    first = known(0)
    assert cleaning_weight(first, 0, target) == 0

    for number in range(1, 2 * MAX_KNOWN + 1):
        known(number)
    assert cleaning_weight(first, 0, target) > 0
