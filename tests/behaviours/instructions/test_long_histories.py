"""Tests that no memory replaces the instructions, that no cut shortens them, and that every limit counts them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from benchmarks.compaction.faults import USUAL
from benchmarks.compaction.gateways import MAIN, config_for, read_budget, serving, settle
from benchmarks.compaction.provider import Answer, Provider, providing
from benchmarks.sanitize import History
from proxy.upstream.select_transport import SelectingUpstream
from tests.behaviours.instructions.configured import (
    GATEWAY,
    KEY,
    MODEL,
    bearing,
    configured,
    entry,
    general,
    joined,
)
from tests.behaviours.instructions.configured import ask as ask_chat
from tests.support.builders import assistant, call, system, tool, user
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import Proxied, Reply, proxied

LONG = f"{GATEWAY} " * 40
TEXT = joined(LONG, MODEL, KEY)
PROFILES = {
    "a message of their own": None,
    "joined to the system message": "chat-template",
    "joined to the user's message": "chat-template-gemma",
}


def rounds(count: int, words: int, first: int = 0) -> History:
    """Return *count* rounds of one call, whose results have so many *words*."""
    return [
        message
        for number in range(first, first + count)
        for message in (
            assistant("", [call(f"c{number}", "read", f'{{"part": {number}}}')]),
            tool(f"c{number}", f"{number}: " + "batch token index " * (words // 3)),
        )
    ]


def config(provider: Provider, limit: int, *, profile: str | None = None, **given: Any) -> dict[str, Any]:
    """Return a configuration with instructions for a model with *limit* tokens for a prompt."""
    made = config_for(provider, limit, **given)
    made["general_settings"] |= general(LONG)
    for listed in made["model_list"]:
        listed["instructions"] = MODEL
        if profile is not None and listed["model_name"] == MAIN:
            listed["profile"] = profile
    return made


async def send(proxy: Proxied, messages: History) -> Reply:
    """Send *messages*, and wait until the gateway writes no summary any more."""
    reply = await proxy.post({"model": MAIN, "messages": messages}, headers=bearing("own"))
    await settle(proxy)
    return reply


def first_text(messages: History) -> str:
    """Return the text of the first message. The instructions must stand at its beginning, and nowhere else."""
    content = messages[0]["content"]
    text: str = content if isinstance(content, str) else content[0]["text"]
    assert text.startswith(TEXT)
    assert str(messages).count(KEY) == 1
    return text


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
async def test_ten_compactions_leave_the_instructions_as_they_are(profile: str | None) -> None:
    """Each request begins with the same bytes, up to the memory. The summarizer gets no instructions."""
    history = [system("Be brief."), user("Read it.")]
    memories: list[str] = []
    begins: set[str] = set()
    async with (
        providing(lambda _: Answer(f"{USUAL}\nIt was number {len(provider.summaries)}.")) as provider,
        serving(config(provider, 9_000, profile=profile)) as proxy,
    ):
        while len(memories) < 10:
            history += rounds(3, 300, first=len(history))
            reply = await send(proxy, history)
            assert reply.status == 200, reply.raw
            sent = provider.messages("")
            begins.add(first_text(sent).partition("<conversation_memory")[0].rstrip())
            numbers = str(re.findall(r"It was number \d+", str(sent)))
            assert ("compaction=1" in reply.headers["x-turnright-changes"]) == (numbers != "[]")
            if numbers != "[]" and numbers not in memories:
                memories.append(numbers)

    assert len(begins) == 1
    assert len(provider.summaries) >= 10
    assert not any(KEY in str(body) or MODEL in str(body) for body in provider.summaries)


async def summaries_of(history: History, limit: int, profile: str | None) -> tuple[int, int]:
    """Return the estimated tokens of *history* with its instructions, and the summaries that are asked for."""
    async with (
        providing(lambda _: Answer(USUAL)) as provider,
        serving(config(provider, limit, profile=profile)) as proxy,
    ):
        reply = await send(proxy, history)
        return read_budget(reply.headers["x-turnright-budget"])["est"], len(provider.summaries)


async def test_the_trigger_of_a_summary_counts_the_instructions() -> None:
    """A request of 70 % of the limit gets a summary. At a limit of one token more it gets none."""
    history = [system("Be brief."), user("Read it."), *rounds(20, 120)]
    tokens, _ = await summaries_of(history, 4_000, None)
    limit = tokens * 10 // 7

    assert await summaries_of(history, limit, None) == (tokens, 1)
    assert await summaries_of(history, limit + 1, None) == (tokens, 0)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
async def test_a_cut_history_keeps_its_instructions_whole(profile: str | None) -> None:
    history = [system("Be brief."), user("Read it. " * 50), *rounds(40, 300)]
    async with (
        providing(lambda _: Answer(USUAL)) as provider,
        serving(config(provider, 4_000, enabled=False, profile=profile)) as proxy,
    ):
        reply = await send(proxy, history)
        sent = provider.messages("")

    assert reply.status == 200, reply.raw
    assert "budget=" in reply.headers["x-turnright-changes"]
    assert len(sent) < len(history)
    first_text(sent)
    budget = read_budget(reply.headers["x-turnright-budget"])
    assert budget["sent"] <= 4_000 < budget["est"]


@pytest.mark.parametrize(
    ("profile", "largest"),
    [
        (None, r"instructions of the operator \d+, messages\[0\] \d+, messages\[1\] \d+"),
        ("chat-template", r"messages\[0\] \d+, messages\[1\] \d+"),
        ("chat-template-gemma", r"messages\[1\] \d+"),
    ],
    ids=PROFILES,
)
async def test_a_request_that_fits_only_without_its_instructions_is_refused(
    profile: str | None, largest: str
) -> None:
    """The error names the instructions, or the client's message that holds them, and no word of them."""
    history = [system("Be brief. " * 100), user("Read it. " * 100)]
    async with (
        providing(lambda _: Answer(USUAL)) as provider,
        serving(config(provider, 300, enabled=False, profile=profile)) as proxy,
        serving(config_for(provider, 300, enabled=False)) as without,
    ):
        passed = await without.post({"model": MAIN, "messages": history})
        refused = await send(proxy, history)

    assert (passed.status, provider.requests) == (200, 1)
    assert (refused.status, refused.error["code"]) == (400, "context_length_exceeded")
    assert re.search(f"Largest: {largest}\\.$", refused.error["message"]), refused.error["message"]
    assert "courteously" not in refused.raw.decode()


async def test_a_users_text_that_holds_the_instructions_is_refused_and_not_shortened() -> None:
    """A provider without a role for system messages gets the instructions in the user's message, which stays whole."""
    history = [user("Read it. " * 900)]
    async with (
        providing(lambda _: Answer(USUAL)) as provider,
        serving(config(provider, 2_000, enabled=False)) as own_message,
        serving(config(provider, 2_000, enabled=False, profile="chat-template-gemma")) as joined_message,
    ):
        cut = await send(own_message, history)
        refused = await send(joined_message, history)

    assert (cut.status, refused.status, provider.requests) == (200, 400, 1)
    assert refused.error["code"] == "context_length_exceeded"


async def test_a_history_that_is_cut_after_a_refusal_keeps_its_instructions(openai: OpenAIEmulator) -> None:
    """The provider says that its window is smaller than known. The shorter request begins with the same bytes."""
    said = (
        "This model's maximum context length is 4000 tokens. However, your messages resulted in 5000 tokens."
    )
    params = {"model": "openai/gpt-4.1", "api_base": openai.base_url, "api_key": "emulated"}
    settings = configured(
        entry("chat", transport="direct", litellm_params=params), general_settings=general(LONG)
    )
    history = [system("Be brief."), user("Read it."), *rounds(12, 300)]
    openai.faults.append({"status": 400, "message": said, "code": "context_length_exceeded"})
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        reply = await ask_chat(proxy, history)

    assert reply.status == 200, reply.raw
    first, second = (request.body["messages"] for request in openai.requests)
    assert first_text(first) == first_text(second)
    assert len(str(second)) < len(str(first))
