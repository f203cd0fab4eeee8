"""Tests of storing and loading thoughts: the keys, the client's key, and the clients that keep their own."""

from __future__ import annotations

from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.source import ANTHROPIC_MESSAGES, Source
from proxy.core.upstream_call import UpstreamCall
from proxy.forwarding.chat.answer_thoughts import keep_thoughts, load_thoughts, restores_thoughts
from proxy.planning.plan import Plan
from proxy.state.kept_thoughts import Called, Thoughts
from proxy.state.memory import MemoryStore
from sanitizers.provider_profiles import ANTHROPIC_STRICT
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.support.builders import assistant, call, tool, user

Item = dict[str, Any]
RULES = ANTHROPIC_STRICT.over_messages(is_claude=True, takes_systems=False)
OWN = "call_" + "a" * 24
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
HISTORY = [user("go")]


def call_of(rules: Any = RULES, source: Source | None = None) -> UpstreamCall:
    """Return a call to Claude."""
    return UpstreamCall(
        deployment_of("anthropic/claude-opus-4-6"), HISTORY, {}, LIMITS, source=source, profile=rules
    )


def plan_of(asked: UpstreamCall) -> Plan:
    """Return the plan of a call, which changes nothing."""
    request = ChatRequest("m", HISTORY, False, False, {}, {}, 1)
    return Plan(request, asked.deployment, RULES, "repair", HISTORY, None, {}, {}, ())


async def kept(thoughts: Thoughts, history: list[Item], tenant: str = "blue") -> list[list[Item]]:
    """Store *thoughts* for the tenant blue, and return the entries that *tenant* finds for *history*."""
    store, asked = MemoryStore(1_000_000), call_of()
    await keep_thoughts(thoughts, asked, plan_of(asked), "blue", store)
    found = await load_thoughts(store, tenant, ChatRequest("m", history, False, False, {}, {}, 1))
    return [[*found[id(message)].entries] for message in history if id(message) in found]


def called(call_id: str = OWN) -> tuple[Thoughts, list[Item]]:
    """Return thoughts before a call, and a history with the call."""
    thoughts = Thoughts([THOUGHT], "", [Called(call_id, "f", "{}")])
    return thoughts, [*HISTORY, assistant(None, calls=[call(call_id)]), tool(call_id)]


async def test_thoughts_are_found_under_the_call_s_id() -> None:
    """Another client's key finds nothing."""
    assert await kept(*called()) == [[THOUGHT]]
    assert await kept(*called(), tenant="green") == []


async def test_provider_s_id_is_no_key() -> None:
    """Two clients may get the same one."""
    assert await kept(*called("toolu_01A")) == []


async def test_thoughts_of_a_text_are_found_under_the_conversation() -> None:
    """Another conversation with the same text finds nothing, and neither does another client."""
    thoughts = Thoughts([THOUGHT, {"type": "text", "length": 2}], "Hi", [])
    history = [*HISTORY, assistant("Hi"), user("on")]
    assert await kept(thoughts, history) == [[*thoughts.entries]]
    assert await kept(thoughts, [user("went"), *history[1:]]) == []
    assert await kept(thoughts, history, tenant="green") == []


async def test_that_calls_had_no_thoughts_is_kept() -> None:
    """An answer that says nothing at all is not kept."""
    _, history = called()
    assert await kept(Thoughts([], "", [Called(OWN, "f", "{}")]), history) == [[]]
    assert await kept(Thoughts([], "Hi", []), [*HISTORY, assistant("Hi")]) == []


def test_clients_of_the_provider_s_format_keep_their_own() -> None:
    """So do all clients of models that sign no thoughts."""
    assert restores_thoughts(call_of())
    assert not restores_thoughts(call_of(ANTHROPIC_STRICT))
    assert not restores_thoughts(call_of(source=Source(ANTHROPIC_MESSAGES, b"{}", HISTORY)))
