"""Tests which of the operator's texts a request gets, and in which order."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamUnreachable
from proxy.core.failures import Cause
from proxy.upstream.select_transport import SelectingUpstream
from tests.behaviours.instructions.configured import (
    GATEWAY,
    KEY,
    MODEL,
    TEAM,
    ask,
    bearing,
    configured,
    entry,
    general,
    joined,
)
from tests.support.builders import assistant, system, user
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import proxied
from tests.support.scripted_upstream import ScriptedUpstream

CLIENTS_TEXT = [system("Be brief."), user("Hello."), assistant("Good day."), user("And now?")]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    ("key", "special"),
    [("", []), ("own", [KEY]), ("member", [TEAM]), ("both", [KEY]), ("none", []), ("other", [])],
    ids=["master key", "a key's", "a team's", "the key's before the team's", "no text", "team without text"],
)
async def test_texts_stand_before_the_clients_system_text_from_the_general_to_the_special(
    upstream: ScriptedUpstream, key: str, special: list[str], stream: bool
) -> None:
    async with proxied(configured(), upstream) as proxy:
        reply = await ask(proxy, CLIENTS_TEXT, key, stream=stream)

    assert reply.status == 200
    assert upstream.calls[0].messages == [system(joined(GATEWAY, MODEL, *special)), *CLIENTS_TEXT]


@pytest.mark.parametrize("gateway", [None, GATEWAY])
@pytest.mark.parametrize("model", [None, MODEL])
@pytest.mark.parametrize(("key", "special"), [("none", None), ("own", KEY), ("member", TEAM)])
async def test_each_level_may_be_left_out(
    upstream: ScriptedUpstream, gateway: str | None, model: str | None, key: str, special: str | None
) -> None:
    settings = configured(entry("chat", text=model), general_settings=general(gateway))
    async with proxied(settings, upstream) as proxy:
        await ask(proxy, CLIENTS_TEXT, key)

    texts = [text for text in (gateway, model, special) if text is not None]
    assert upstream.calls[0].messages == [*([system(joined(*texts))] if texts else []), *CLIENTS_TEXT]


async def test_each_entry_gives_its_own_text(upstream: ScriptedUpstream) -> None:
    """A retry at an entry of the same name, and a fallback to another name, get the texts of those entries."""
    settings = configured(
        entry("chat", text="First.", litellm_params={"model": "openai/gpt-4.1", "order": 1}),
        entry("chat", text=None, litellm_params={"model": "openai/gpt-4o", "order": 2}),
        entry("spare", "openai/o3", text="Third."),
        router_settings={"num_retries": 1, "fallbacks": [{"chat": ["spare"]}]},
    )
    for _ in range(2):
        upstream.then(UpstreamUnreachable("x", cause=Cause.UNREACHABLE))
    async with proxied(settings, upstream) as proxy:
        reply = await ask(proxy, CLIENTS_TEXT)

    assert reply.status == 200
    first = [call.messages[0]["content"] for call in upstream.calls]
    assert first == [joined(GATEWAY, "First.", KEY), joined(GATEWAY, KEY), joined(GATEWAY, "Third.", KEY)]
    assert [call.messages[1:] for call in upstream.calls] == [CLIENTS_TEXT] * 3


async def test_the_text_of_a_wildcard_holds_for_each_of_its_models(upstream: ScriptedUpstream) -> None:
    settings = configured(
        entry("openai/*", "openai/*", text="Of the wildcard."),
        entry("openai/gpt-4.1", text="Of the name."),
    )
    async with proxied(settings, upstream) as proxy:
        for model in ("openai/o3", "openai/gpt-4o", "openai/gpt-4.1"):
            await ask(proxy, model=model, key="none")

    assert [call.messages[0]["content"] for call in upstream.calls] == [
        joined(GATEWAY, text) for text in ("Of the wildcard.", "Of the wildcard.", "Of the name.")
    ]


async def test_an_alias_gets_the_texts_of_its_model(upstream: ScriptedUpstream) -> None:
    settings = configured(router_settings={"model_group_alias": {"best": "chat"}})
    async with proxied(settings, upstream) as proxy:
        await ask(proxy, model="best")

    assert upstream.calls[0].messages[0] == system(joined(GATEWAY, MODEL, KEY))


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/v1/completions", {"prompt": "Hello."}),
        ("/v1/completions", {"prompt": "Hello.", "stream": True}),
        ("/v1/embeddings", {"input": ["Hello."]}),
    ],
    ids=["completion", "streamed completion", "embeddings"],
)
async def test_text_completions_and_embeddings_get_none(
    openai: OpenAIEmulator, path: str, fields: dict[str, Any]
) -> None:
    """The provider gets the same bytes as from a gateway without instructions."""
    at = {"api_base": openai.base_url, "api_key": "emulated"}
    params = {
        "model": "openai/text-embedding-3-small" if "input" in fields else "openai/gpt-3.5-turbo-instruct",
        **at,
    }
    for settings in (
        configured(entry("chat", litellm_params=params)),
        configured(entry("chat", litellm_params=params, text=None), general_settings={}),
    ):
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            reply = await proxy.post({"model": "chat", **fields}, path, headers=bearing("own"))
            assert reply.status == 200, reply.raw
            assert "x-turnright-changes" not in reply.headers

    first, second = openai.requests
    assert first.raw == second.raw
