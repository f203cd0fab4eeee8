"""Tests that explanations and the inspector show the operator's text to the master key alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.config import Settings, load_settings
from proxy.core.errors import UpstreamFault
from proxy.ingress.routes import paths
from tests.proxy.forwarding.attempting import refused
from tests.proxy.planning.operator_texts import GATEWAY, MODEL, WORDS, words_in
from tests.support.builders import assistant, call, developer, system, tool, user
from tests.support.proxied import CHAT, Proxied, Reply, proxied
from tests.support.scripted_upstream import ScriptedUpstream

MASTER, TEAM, OTHER = "sk-master-0123456789", "sk-team-0123456789", "sk-other-0123456789"
SECRET = "Xylophones are policy."
WIRES = {
    "openai": "openai/gpt-4.1",
    "gemini": "gemini/gemini-2.5-pro",
    "litellm": "anthropic/claude-sonnet-4-5",
    "template": "hosted_vllm/gemma-3-27b-it",
}
HISTORIES: list[list[dict[str, Any]]] = [
    [user("Hello.")],
    [system("Be kind."), user("Hello."), assistant(None, [call("c1")]), user("Well?")],
    [developer("Be kind."), user([{"type": "text", "text": "Hello."}])],
    [tool("nobody")],
]
KEYS = [{"name": "team", "key": TEAM, "instructions": SECRET}, {"name": "other", "key": OTHER}]


def settings(sections: dict[str, Any] | None = None, **general: Any) -> Settings:
    """Return settings with a model for each wire, and a text of each level. *general* replaces its keys."""
    entries = [
        {
            "model_name": name,
            "litellm_params": {"model": model},
            **({} if name == "template" else {"instructions": MODEL}),
        }
        for name, model in WIRES.items()
    ]
    general = {"master_key": MASTER, "keys": KEYS, "inspector": {"bodies": True}, **general}
    config = {
        "model_list": entries,
        "router_settings": {"num_retries": 0},
        "general_settings": {
            "instructions": GATEWAY,
            **{field: value for field, value in general.items() if value is not None},
        },
        **(sections or {}),
    }
    return load_settings(json.dumps(config).encode(), {}).settings


def bearer(key: str) -> dict[str, str]:
    """Return the header with *key*, or none without a key."""
    return {"Authorization": f"Bearer {key}"} if key else {}


async def answers(proxy: Proxied, key: str, name: str, history: list[dict[str, Any]]) -> dict[str, Reply]:
    """Return what *key* gets on every path that can show a request, after it has sent the request itself."""
    body = {"model": name, "messages": history}
    await proxy.post(body, headers={**bearer(key), "x-request-id": "sent"})
    await proxy.idle()
    found = {path: await proxy.post(body, path, bearer(key)) for path in (paths.EXPLAIN, "/explain")}
    for more in ({}, {"compact": False}, {"recent": "sent"}, {"target": {"profile": "chat-template"}}):
        looked = await proxy.post({"request": body, **more}, paths.UI_LOOK, bearer(key))
        found[f"{paths.UI_LOOK} {more}"] = looked
    found[paths.UI_VERDICTS] = await proxy.post({"request": body}, paths.UI_VERDICTS, bearer(key))
    for path in (paths.UI_MODELS, paths.UI_RECENT, paths.UI_LIVE, paths.MODELS, paths.LEARNED):
        found[path] = await proxy.get(path, bearer(key))
    found["one"] = await proxy.get(paths.UI_RECENT_ONE.replace("{id}", "sent"), bearer(key))
    found["model"] = await proxy.get(f"/v1/models/{name}", bearer(key))
    found["metrics"] = await proxy.get(paths.METRICS)
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "mode"),
    [*((name, "repair") for name in WIRES), *(("openai", mode) for mode in ("observe", "strict", "off"))],
)
async def test_no_path_shows_a_word_of_the_text_to_a_client(
    upstream: ScriptedUpstream, name: str, mode: str
) -> None:
    """The client sees the length and the digest. The provider gets the text."""
    async with proxied(settings({"sanitize": {"mode": mode}}), upstream) as proxy:
        for history in HISTORIES:
            for path, reply in (await answers(proxy, TEAM, name, history)).items():
                assert words_in(reply.raw) == [], path
                assert b"Xylophones" not in reply.raw, path
                assert reply.status in (200, 403), (path, reply.raw)
        shown = (await proxy.post({"model": name, "messages": HISTORIES[0]}, paths.EXPLAIN, bearer(TEAM))).raw
    assert b"[instructions of the operator: " in shown
    assert upstream.calls
    assert all("Xylophones" in json.dumps(list(sent.messages)) for sent in upstream.calls)


@pytest.mark.parametrize("name", WIRES)
async def test_master_key_sees_what_is_sent_in_every_request(upstream: ScriptedUpstream, name: str) -> None:
    """The text of the model's entry is not shown for a profile, and a key's text only for its own request."""
    words = [word for word in WORDS if name != "template" or word in GATEWAY]
    async with proxied(settings(), upstream) as proxy:
        await proxy.post(
            {"model": name, "messages": HISTORIES[0]}, CHAT, {**bearer(TEAM), "x-request-id": "teams"}
        )
        await proxy.idle()
        found = await answers(proxy, MASTER, name, HISTORIES[0])
        asked = {"request": {"model": name, "messages": HISTORIES[0]}, "recent": "teams"}
        teams = await proxy.post(asked, paths.UI_LOOK, bearer(MASTER))

    for path, reply in found.items():
        assert reply.status == 200, path
        has_history = path in (paths.EXPLAIN, "/explain") or path.startswith(paths.UI_LOOK)
        of_profile = [word for word in WORDS if word in GATEWAY] if "profile" in path else words
        assert words_in(reply.raw) == (of_profile if has_history else []), path
        assert b"Xylophones" not in reply.raw, path
    wire = json.loads(found[f"{paths.UI_LOOK} {{}}"].raw)["wire"]["body"]
    assert wire is None or words_in(wire) == words
    assert b"Xylophones" in teams.raw


@pytest.mark.parametrize(
    ("general", "key", "is_shown"),
    [
        ({"master_key": None, "keys": None}, "", True),
        ({"master_key": None}, TEAM, False),
        ({"keys": []}, MASTER, True),
    ],
)
async def test_without_any_key_everyone_is_the_operator(
    upstream: ScriptedUpstream, general: dict[str, Any], key: str, is_shown: bool
) -> None:
    """Nobody sees the text if there are only clients' keys."""
    async with proxied(settings(**general), upstream) as proxy:
        found = await answers(proxy, key, "openai", HISTORIES[0])

    for path in (paths.EXPLAIN, f"{paths.UI_LOOK} {{}}"):
        assert words_in(found[path].raw) == ([*WORDS] if is_shown else []), path


async def test_client_cannot_look_with_another_key_s_instructions(upstream: ScriptedUpstream) -> None:
    """Another key's recent request is unknown, so the client's own instructions hold."""
    async with proxied(settings(), upstream) as proxy:
        asked = {"model": "openai", "messages": HISTORIES[0]}
        for key, name in ((TEAM, "teams"), (OTHER, "others")):
            assert (await proxy.post(asked, CHAT, {**bearer(key), "x-request-id": name})).status == 200
        await proxy.idle()
        looked = [
            (await proxy.post({"request": asked, "recent": name}, paths.UI_LOOK, bearer(OTHER))).json
            for name in ("teams", "others")
        ]

    assert looked[0]["instructions"] == looked[1]["instructions"]
    assert [level["level"] for level in looked[0]["instructions"]["levels"]] == ["gateway", "model"]


async def test_refusal_that_quotes_the_instructions_leaves_no_word_in_the_inspector(
    upstream: ScriptedUpstream,
) -> None:
    """A provider's words are in no list of recent requests."""
    quoted = f"Bad request: {GATEWAY}\n\n{MODEL}\n\n{SECRET}"
    upstream.script.clear()
    fault: UpstreamFault = refused(400, quoted, {"error": {"message": quoted}})
    upstream.then(fault)
    async with proxied(settings(), upstream) as proxy:
        found = await answers(proxy, TEAM, "openai", HISTORIES[0])

    assert json.loads(found[paths.UI_RECENT].raw)["requests"][-1]["status"] == 400
    for path, reply in found.items():
        assert words_in(reply.raw) == [], path
