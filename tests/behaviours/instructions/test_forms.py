"""Tests where the instructions stand, and in which form, for any beginning of a history and in every mode."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviours.instructions.configured import GATEWAY, ask, configured, entry, general
from tests.support.builders import assistant, call, developer, image, system, text, tool, user
from tests.support.proxied import proxied
from tests.support.scripted_upstream import ScriptedUpstream

OPENAI = "openai/gpt-4.1"
TEMPLATE = "hosted_vllm/Qwen/Qwen3.5-35B"
"""A model on a server that takes one system message."""

GEMMA = "hosted_vllm/google/gemma-3-12b-it"
"""A model without a role for system messages."""

STARTS = "[The conversation starts here; earlier messages are not included.]"
SPACED = f"{GATEWAY}\n\n"
ROUND = [user("Hello."), assistant(None, [call("c1")]), tool("c1")]

Message = dict[str, Any]
CASES: dict[str, tuple[str, list[Message], list[Message]]] = {
    "no system message": (OPENAI, [user()], [system(GATEWAY), user()]),
    "a system message": (OPENAI, [system("A."), user()], [system(GATEWAY), system("A."), user()]),
    "a developer message": (OPENAI, [developer("A."), user()], [developer(GATEWAY), developer("A."), user()]),
    "no such role": (
        "mistral/mistral-large-latest",
        [developer("A."), user()],
        [system(GATEWAY), system("A."), user()],
    ),
    "a late developer message": (
        OPENAI,
        [user(), developer("A."), user()],
        [system(GATEWAY), user(), developer("A."), user()],
    ),
    "the model first": (OPENAI, [assistant("A."), user()], [system(GATEWAY), assistant("A."), user()]),
    "the model first, which is illegal": (
        "anthropic/claude-opus-4-6",
        [assistant("A."), user()],
        [system(GATEWAY), user(STARTS), assistant("A."), user()],
    ),
    "a result first": (OPENAI, [tool("c0"), user()], [system(GATEWAY), user()]),
    "system messages alone": (OPENAI, [system("A.")], [system(GATEWAY), system("A.")]),
    "a prefill": (OPENAI, [user(), assistant("It is")], [system(GATEWAY), user(), assistant("It is")]),
    "a round of calls": (OPENAI, ROUND, [system(GATEWAY), *ROUND]),
    "joined to one system message": (
        TEMPLATE,
        [system("A.", name="a"), user()],
        [system(f"{SPACED}A.", name="a"), user()],
    ),
    "joined to several": (
        TEMPLATE,
        [system("A."), system("B."), user()],
        [system(f"{SPACED}A.\n\nB."), user()],
    ),
    "joined to parts": (
        TEMPLATE,
        [system([text("A.")]), user()],
        [system([text(SPACED), text("A.")]), user()],
    ),
    "nothing to join": (TEMPLATE, [user()], [system(GATEWAY), user()]),
    "joined to the user's text": (GEMMA, [user()], [user(f"{SPACED}Hello.")]),
    "joined to the user's parts": (
        GEMMA,
        [user([text("A."), image()])],
        [user([text(SPACED), text("A."), image()])],
    ),
    "joined before a folded system message": (
        GEMMA,
        [system("A."), user()],
        [user(f"{SPACED}A.\n\nHello.")],
    ),
    "joined to an inserted text": (
        GEMMA,
        [assistant("A."), user()],
        [user(f"{SPACED}{STARTS}"), assistant("A."), user()],
    ),
}


@pytest.mark.parametrize(("model", "messages", "sent"), CASES.values(), ids=CASES)
async def test_instructions_stand_first_in_the_form_that_the_target_takes(
    upstream: ScriptedUpstream, model: str, messages: list[Message], sent: list[Message]
) -> None:
    async with proxied(configured(entry("chat", model, None)), upstream) as proxy:
        reply = await ask(proxy, messages, "none")

    assert reply.status == 200
    assert upstream.calls[0].messages == sent
    assert "instructions=1" in reply.headers["x-turnright-changes"].split(",")


async def test_instructions_do_not_make_an_empty_history_a_request(upstream: ScriptedUpstream) -> None:
    async with proxied(configured(), upstream) as proxy:
        reply = await ask(proxy, [])

    assert (reply.status, reply.error["param"], upstream.calls) == (400, "messages", [])


BROKEN = [assistant("Hi."), tool("nobody", "lost"), user("Hello."), assistant("Bye.")]
"""A history that no target of these tests takes as it is."""


@pytest.mark.parametrize(
    ("mode", "header"),
    [
        ("observe", "orphan_drop=1,user_prepend=1,tail=1;observed,instructions=1"),
        ("off", "instructions=1"),
    ],
)
async def test_instructions_stand_before_a_history_that_is_not_sanitized(
    upstream: ScriptedUpstream, mode: str, header: str
) -> None:
    """The client's messages go as they are. The metrics count the instructions as made, and the rest as observed."""
    settings = configured(entry("chat", "gemini/gemini-3.6-flash", None), sanitize={"mode": mode})
    async with proxied(settings, upstream) as proxy:
        reply = await ask(proxy, BROKEN, "none")
        made, observed = await proxy.count("changes_total"), await proxy.count("observed_changes_total")

    assert upstream.calls[0].messages == [system(GATEWAY), *BROKEN]
    assert reply.headers["x-turnright-changes"] == header
    assert (made, observed) == (1, 3 if mode == "observe" else 0)


async def test_strict_mode_refuses_for_the_clients_history_alone(upstream: ScriptedUpstream) -> None:
    """A legal history gets its instructions. The refusal of another one names none of them, and its own indexes."""
    settings = configured(entry("chat", "gemini/gemini-3.6-flash", None), sanitize={"mode": "strict"})
    async with proxied(settings, upstream) as proxy:
        passed = await ask(proxy, [user()], "none")
        refused = await ask(proxy, BROKEN, "none")

    assert (passed.status, passed.headers["x-turnright-changes"]) == (200, "instructions=1")
    assert [call.messages for call in upstream.calls] == [[system(GATEWAY), user()]]
    assert (refused.status, refused.error["code"]) == (400, "illegal_history")
    assert [found["index"] for found in refused.error["violations"]] == [0, 1, 3]
    assert {change["step"] for change in refused.error["changes"]} == {"orphan_drop", "user_prepend", "tail"}


@pytest.mark.parametrize("mode", ["repair", "observe", "strict", "off"])
@pytest.mark.parametrize("text", [GATEWAY, " Leading and trailing space. ", 'Quotes " and \\ and \t and {}.'])
async def test_a_text_is_sent_as_it_was_written(upstream: ScriptedUpstream, mode: str, text: str) -> None:
    settings = configured(general_settings=general(text), sanitize={"mode": mode})
    async with proxied(settings, upstream) as proxy:
        await ask(proxy, [user()], "none")

    assert upstream.calls[0].messages[0]["content"].startswith(text)
