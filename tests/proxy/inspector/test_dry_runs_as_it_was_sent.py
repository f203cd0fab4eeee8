"""Tests that a recent request is inspected with its sender's limits, for the deployment that answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from proxy.config import Settings, load_settings
from proxy.core.errors import UpstreamUnreachable
from tests.support.builders import assistant, call, tool, user
from tests.support.proxied import Proxied, Reply, proxied
from tests.support.scripted_upstream import ScriptedUpstream, answer

MASTER, BOB, EVE = "tr-master", "tr-bob", "tr-eve"
MODELS = [("m", "openai/gpt-4o"), ("m", "mistral/mistral-large-latest"), ("fb", "gemini/gemini-3.6-flash")]
ROUNDS = [
    user("go"),
    *(
        message
        for number in range(3)
        for message in (assistant(None, [call(f"c{number}", "f")]), tool(f"c{number}"))
    ),
]
ASKED = {"model": "m", "messages": ROUNDS}


def settings(models: Sequence[tuple[str, str]] = MODELS, **sections: Any) -> Settings:
    """Return settings with a pool of two deployments, a fallback, three keys, and an inspector that keeps bodies."""
    sections = {
        "general_settings": {
            "master_key": MASTER,
            "keys": [{"name": "bob", "key": BOB}, {"name": "eve", "key": EVE}],
            "inspector": {"bodies": True},
        },
        "turns": {"mode": "enforce", "max_rounds": 9, "per_key": [{"key": "bob", "max_rounds": 1}]},
        "router_settings": {"num_retries": 1, "fallbacks": [{"m": ["fb"]}]},
        **sections,
    }
    entries = [{"model_name": name, "litellm_params": {"model": model}} for name, model in models]
    return load_settings(orjson.dumps({"model_list": entries, **sections}), {}).settings


def bearer(key: str, **further: str) -> dict[str, str]:
    """Return the headers of a request with *key*, and *further* headers."""
    return {"Authorization": f"Bearer {key}", **further}


async def send(proxy: Proxied, name: str, key: str, model: str = "m", **headers: str) -> None:
    """Send the request ``ASKED`` with the request id *name*."""
    named = {header.replace("_", "-"): value for header, value in headers.items()}
    reply = await proxy.post(
        {**ASKED, "model": model}, headers=bearer(key, **{"x-request-id": name}, **named)
    )
    assert reply.status == 200
    await proxy.idle()


async def look(proxy: Proxied, key: str, path: str = "look", **asked: Any) -> Reply:
    """Inspect the request ``ASKED`` on an API path of the inspector."""
    return await proxy.post({"request": ASKED, **asked}, f"/ui/api/{path}", bearer(key))


async def test_recent_request_is_inspected_with_its_senders_limits(upstream: ScriptedUpstream) -> None:
    """The limits are those of the sender's key and of the request's header.

    The sender's limits also hold for other targets.
    """
    upstream.then(answer("one"))
    upstream.then(answer("two"))
    async with proxied(settings(), upstream) as proxy:
        await send(proxy, "of-bob", BOB)
        await send(proxy, "of-eve", EVE, x_turnright_max_rounds="2")
        own = (await look(proxy, MASTER)).json
        bob, eve = [(await look(proxy, MASTER, recent=name)).json for name in ("of-bob", "of-eve")]
        elsewhere = (await look(proxy, MASTER, recent="of-bob", target={"profile": "openai"})).json
        rows = (await look(proxy, MASTER, "verdicts", recent="of-bob")).json["rows"]
        plain = (await look(proxy, MASTER, "verdicts")).json["rows"]

    assert [shown["turns"]["limit"] for shown in (own, bob, eve, elsewhere)] == [9, 1, 2, 1]
    assert (own["sent_by"], bob["sent_by"]) == (None, {"key": "bob", "max_rounds": None})
    assert eve["sent_by"] == {"key": "eve", "max_rounds": 2}
    assert all(row["changes"].get("turns") for row in rows)
    assert not any(row["changes"].get("turns") for row in plain)


async def test_recent_request_of_another_key_is_treated_as_unknown(upstream: ScriptedUpstream) -> None:
    """The inspector gives the same answer for a foreign request and for an unknown id."""
    upstream.then(answer("one"))
    async with proxied(settings(), upstream) as proxy:
        await send(proxy, "of-bob", BOB)
        foreign, unknown = [(await look(proxy, EVE, recent=name)).raw for name in ("of-bob", "none")]

    assert foreign == unknown
    assert orjson.loads(foreign)["turns"]["limit"] == 9


async def test_recent_request_leads_to_the_deployment_that_answered(upstream: ScriptedUpstream) -> None:
    """A chosen target takes precedence over the deployment that answered.

    The limits are those of the requested model.
    """
    turns = {"mode": "enforce", "max_rounds": 9, "per_model": [{"model": "m", "max_rounds": 4}]}
    async with proxied(settings(turns=turns), upstream) as proxy:
        went: dict[str, str] = {}
        for failures in range(3):
            for _ in range(failures):
                upstream.then(UpstreamUnreachable("x"))
            upstream.then(answer("one"))
            await send(proxy, f"r{failures}", MASTER)
        for entry in (await proxy.get("/ui/api/recent", bearer(MASTER))).json["requests"]:
            went[entry["deployment"]] = entry["id"]
        assert set(went) == {model for _, model in MODELS}
        looked = [(await look(proxy, MASTER, recent=went[model])).json for _, model in MODELS]
        chosen = (await look(proxy, MASTER, recent=went[MODELS[2][1]], target={"model": "m"})).json

    assert [shown["deployment"] for shown in looked] == [model for _, model in MODELS]
    targets = [shown["target"] for shown in (*looked, chosen)]
    first, second = ({"model": "m", "position": position} for position in (0, 1))
    assert targets == [first, second, {"model": "fb"}, first]
    assert {shown["turns"]["limit"] for shown in looked} == {4}


async def test_limits_of_a_wildcard_hold_where_a_fallback_answered(upstream: ScriptedUpstream) -> None:
    """The name of the requested model matches the wildcard."""
    model = "openai/gpt-4o"
    sections = {
        "turns": {"mode": "enforce", "max_rounds": 9, "per_model": [{"model": "openai/*", "max_rounds": 4}]},
        "router_settings": {"num_retries": 0, "fallbacks": [{"openai/*": ["fb"]}]},
    }
    upstream.then(UpstreamUnreachable("x"))
    upstream.then(answer("one"))
    async with proxied(settings([("openai/*", "openai/*"), MODELS[2]], **sections), upstream) as proxy:
        await send(proxy, "r", MASTER, model)
        asked = {"request": {**ASKED, "model": model}, "recent": "r"}
        shown = (await proxy.post(asked, "/ui/api/look", bearer(MASTER))).json

    assert (shown["deployment"], shown["turns"]["limit"]) == (MODELS[2][1], 4)


async def test_each_member_of_a_pool_shows_its_own_deployment(upstream: ScriptedUpstream) -> None:
    """A position outside the pool is a 400."""
    async with proxied(settings(), upstream) as proxy:
        rows = (await look(proxy, MASTER, "verdicts")).json["rows"][:3]
        led = [(await look(proxy, MASTER, target=row["target"])).json for row in rows]
        none = await look(proxy, MASTER, target={"model": "m", "position": 2})

    assert [row["target"] for row in rows] == [
        {"model": "m", "position": 0},
        {"model": "m", "position": 1},
        {"model": "fb"},
    ]
    assert [shown["deployment"] for shown in led] == [model for _, model in MODELS]
    assert [shown["target"] for shown in led] == [row["target"] for row in rows]
    assert (none.status, none.error["param"]) == (400, "target.position")
    assert "0, 1" in none.error["message"]


async def test_each_poll_of_the_page_says_if_bodies_are_kept(upstream: ScriptedUpstream) -> None:
    """A reload may change the setting."""
    async with proxied(settings(), upstream) as proxy:
        shown = [
            (await proxy.get(f"/ui/api/{path}", bearer(MASTER))).json for path in ("recent", "live", "models")
        ]
        watch = proxy.server.gateway.recent_requests
        assert watch is not None
        watch.keeps_bodies = False
        later = [(await proxy.get(f"/ui/api/{path}", bearer(MASTER))).json for path in ("recent", "live")]

    assert [answer["bodies"] for answer in (*shown, *later)] == [True, True, True, False, False]
