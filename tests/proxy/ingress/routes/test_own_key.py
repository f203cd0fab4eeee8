"""Tests of ``GET /v1/key``: each key sees its own limits and spend, and nothing of others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proxy.ingress.routes.own_key import describe_key
from proxy.state.limits.claims import KeyTotals, Standing
from tests.support.markdown_tables import key_in, rows_under
from tests.support.proxied import Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream, answer

MASTER = "tr-master-8c1f3a"
NAMES = ("limited", "team-one", "team-two", "plain")
SECRETS = {name: f"sk-{name}-8c1f3a" for name in NAMES}
KEYS: list[dict[str, Any]] = [
    {
        "name": "limited",
        "key": SECRETS["limited"],
        "models": ["gemini", "gem*"],
        "rpm_limit": 60,
        "tpm_limit": 200_000,
        "max_parallel_requests": 8,
        "max_budget": 25.5,
        "budget_duration": "1mo",
        "expires": "2099-01-31T00:00:00Z",
    },
    {"name": "team-one", "key": SECRETS["team-one"], "team": "blue"},
    {"name": "team-two", "key": SECRETS["team-two"], "team": "blue", "rpm_limit": 7},
    {"name": "plain", "key": SECRETS["plain"]},
    {"name": "gone", "key": "sk-gone-8c1f3a", "expires": "2020-01-01T00:00:00Z"},
]
TEAM = {"name": "blue", "max_budget": 2, "rpm_limit": 5, "models": ["gemini"]}
UNLIMITED = {
    "models": None,
    "rpm_limit": None,
    "tpm_limit": None,
    "max_parallel_requests": None,
    "max_budget": None,
    "budget_duration": None,
}


@pytest.fixture
def upstream() -> ScriptedUpstream:
    """Return an upstream with one answer."""
    return ScriptedUpstream([answer()])


@pytest.fixture
async def proxy(upstream: ScriptedUpstream) -> AsyncIterator[Proxied]:
    """Serve a proxy with several keys and a team."""
    settings = settings_of(general_settings={"master_key": MASTER, "keys": KEYS, "teams": [TEAM]})
    async with proxied(settings, upstream) as served:
        yield served


def bearing(key: str) -> dict[str, str]:
    """Return the header with *key*."""
    return {"Authorization": f"Bearer {key}"}


async def facts_of(proxy: Proxied, name: str, path: str = "/v1/key") -> dict[str, Any]:
    """Return the facts that the key called *name* gets."""
    reply = await proxy.get(path, bearing(SECRETS[name]))
    assert (reply.status, reply.headers["Cache-Control"]) == (200, "no-store")
    found: dict[str, Any] = reply.json
    return found


async def test_key_sees_its_limits_and_that_all_of_them_is_left(proxy: Proxied) -> None:
    """The limits have the names of the file."""
    facts = await facts_of(proxy, "limited")

    assert 0 < facts.pop("resets_in_s") <= 31 * 86_400
    assert len(facts.pop("period")) == len("2026-11")
    assert facts == {
        "object": "key",
        "name": "limited",
        "is_master_key": False,
        "expires": "2099-01-31T00:00:00Z",
        "models": ["gemini", "gem*"],
        "rpm_limit": 60,
        "tpm_limit": 200_000,
        "max_parallel_requests": 8,
        "max_budget": 25.5,
        "budget_duration": "1mo",
        "remaining_requests": 60,
        "remaining_tokens": 200_000,
        "spend": 0.0,
        "estimated_spend": 0.0,
        "reserved_spend": 0.0,
        "requests": 0,
        "tokens": 0,
        "remaining_budget": 25.5,
        "team": None,
    }


async def test_spend_is_told_in_dollars_and_leaves_less_of_the_budget(proxy: Proxied) -> None:
    """The part that no provider has confirmed is named."""
    limiter = proxy.server.gateway.limiter
    limiter.count("limited", nano_usd=1_500_000_001, estimated_nano=1, tokens=12)
    facts = await facts_of(proxy, "limited")

    assert [facts[name] for name in ("spend", "estimated_spend", "remaining_budget")] == [
        1.500000001,
        1e-09,
        23.999999999,
    ]
    assert (facts["requests"], facts["tokens"]) == (1, 12)


async def test_request_leaves_less_of_the_limit(proxy: Proxied) -> None:
    """A question about the key takes nothing itself."""
    assert (await proxy.post(chat(), headers=bearing(SECRETS["limited"]))).status == 200

    assert (await facts_of(proxy, "limited"))["remaining_requests"] == 59
    assert (await facts_of(proxy, "limited"))["remaining_requests"] == 59


async def test_team_tells_its_limits_and_what_is_left_alone(proxy: Proxied) -> None:
    """The spend of the team's other keys stands in no answer, and nor do their names."""
    proxy.server.gateway.limiter.count("team-one", nano_usd=500_000_000, estimated_nano=0, tokens=3)
    facts = await facts_of(proxy, "team-two")

    assert facts["team"] == {
        **UNLIMITED,
        "models": ["gemini"],
        "rpm_limit": 5,
        "max_budget": 2.0,
        "remaining_budget": 1.5,
        "resets_in_s": None,
    }
    assert (facts["spend"], facts["requests"], facts["tokens"]) == (0.0, 0, 0)
    assert facts["remaining_requests"] == 5
    assert (await facts_of(proxy, "team-one"))["spend"] == 0.5


@pytest.mark.parametrize(
    "path", ["/key", "/v1/key?key=limited", "/v1/key?name=limited", "/key?key=sk-limited-8c1f3a"]
)
async def test_nothing_in_the_path_names_another_key(proxy: Proxied, path: str) -> None:
    """The answer is about the key that was sent in the header."""
    facts = await facts_of(proxy, "plain", path)

    assert facts["name"] == "plain"
    assert facts.items() >= UNLIMITED.items()
    assert facts["remaining_budget"] is None


async def test_master_key_says_that_it_is_one(proxy: Proxied) -> None:
    """It has no limits, and no team."""
    facts = (await proxy.get("/v1/key", bearing(MASTER))).json

    assert (facts["name"], facts["is_master_key"], facts["team"]) == (None, True, None)
    assert facts.items() >= UNLIMITED.items()


async def test_gateway_without_keys_has_no_master_key(upstream: ScriptedUpstream) -> None:
    async with proxied(settings_of(), upstream) as proxy:
        facts = (await proxy.get("/v1/key")).json

    assert (facts["name"], facts["is_master_key"]) == (None, False)


@pytest.mark.parametrize("headers", [{}, bearing("sk-wrong"), bearing("sk-gone-8c1f3a")])
async def test_caller_without_a_valid_key_learns_nothing(proxy: Proxied, headers: dict[str, str]) -> None:
    reply = await proxy.get("/v1/key", headers)

    assert (reply.status, reply.error["code"]) == (401, "invalid_api_key")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_no_key_can_be_changed(proxy: Proxied, method: str) -> None:
    """Keys stand in the file alone."""
    reply = await proxy.request(method, "/v1/key", headers=bearing(MASTER))

    assert (reply.status, reply.error["code"]) == (405, "method_not_allowed")


async def test_answer_holds_no_secret(proxy: Proxied) -> None:
    """Neither a key nor its digest is told, not even the caller's own."""
    raw = (await proxy.get("/v1/key", bearing(SECRETS["limited"]))).raw
    digests = [key.digest for key in proxy.server.gateway.settings.general_settings.keys]

    assert not any(text.encode() in raw for text in (*SECRETS.values(), MASTER, *digests))


async def test_document_has_every_field(proxy: Proxied) -> None:
    """The fields stand in the document in the order of the answer."""
    document = (Path(__file__).parents[4] / "docs" / "endpoints.md").read_text(encoding="utf-8")

    assert [key_in(row[0]) for row in rows_under(document, "Keys")] == [*await facts_of(proxy, "limited")]


def test_running_requests_leave_less_of_the_budget() -> None:
    """A budget that is used up leaves nothing, and not less."""
    general = settings_of(
        general_settings={"master_key": MASTER, "keys": KEYS, "teams": [TEAM]}
    ).general_settings
    totals = KeyTotals("2026-11", 0.2, 20_000_000_000, 0, 500_000_000, 9, 1, 25_500_000_000)
    facts = describe_key(general, "limited", totals, Standing())
    used_up = describe_key(general, "limited", replace(totals, spent_nano=26_000_000_000), Standing())

    assert (facts["reserved_spend"], facts["remaining_budget"], facts["resets_in_s"]) == (0.5, 5.0, 1)
    assert used_up["remaining_budget"] == 0.0
