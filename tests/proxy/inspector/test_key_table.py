"""Tests of the table of keys: what its rows say, and who may ask for it."""

from __future__ import annotations

import json
from typing import Any

from proxy.inspector.key_table import describe_keys
from proxy.state.limits.claims import KeyTotals
from tests.support.proxied import proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

MASTER, CI, NIGHT = "tr-master-17", "tr-ci-29", "tr-night-31"
PATH = "/ui/api/keys"
GENERAL: dict[str, Any] = {
    "master_key": MASTER,
    "keys": [
        {
            "name": "ci",
            "key": CI,
            "team": "blue",
            "rpm_limit": 60,
            "max_budget": 25,
            "budget_duration": "1mo",
        },
        {"name": "night", "key": NIGHT, "models": ["gemini"], "expires": "2026-11-01T00:00:00Z"},
    ],
    "teams": [{"name": "blue", "tpm_limit": 1_000, "max_budget": 40}],
}
NOW = 1_795_000_000.0  # 2026-11-18
NANO = 10**9


def totals(period: str = "2026-11", **counts: Any) -> KeyTotals:
    """Return totals that are 0 where *counts* do not give them."""
    known = {"resets_in_s": 3.5, "spent_nano": 0, "estimated_nano": 0, "reserved_nano": 0}
    return KeyTotals(period, **{**known, "tokens": 0, "requests": 0, "limit_nano": None, **counts})


def bearer(key: str) -> dict[str, str]:
    """Return the ``Authorization`` header of *key*."""
    return {"Authorization": f"Bearer {key}"}


def test_a_row_has_the_limits_the_spend_and_what_is_left() -> None:
    keys = {
        "": totals(spent_nano=5),
        "ci": totals(
            spent_nano=10 * NANO, reserved_nano=NANO // 2, limit_nano=25 * NANO, requests=7, tokens=90
        ),
        "night": totals(estimated_nano=3),
    }
    teams = {"blue": totals("ever", resets_in_s=None, spent_nano=41 * NANO, limit_nano=40 * NANO)}
    told = describe_keys(settings_of(general_settings=GENERAL).general_settings, keys, teams, NOW)
    ci, night = told["keys"]

    assert ci | {"models": None} == {
        "name": "ci",
        "is_master_key": False,
        "team": "blue",
        "expires": None,
        "expired": False,
        "models": None,
        "rpm_limit": 60,
        "tpm_limit": None,
        "max_parallel_requests": None,
        "max_budget": 25.0,
        "budget_duration": "1mo",
        "remaining_budget": 14.5,
        "resets_in_s": 4,
        "spend": 10.0,
        "estimated_spend": 0.0,
        "reserved_spend": 0.5,
        "requests": 7,
        "tokens": 90,
        "period": "2026-11",
    }
    assert (night["expired"], night["expires"], night["models"]) == (True, "2026-11-01T00:00:00Z", ["gemini"])
    assert told["master"]["is_master_key"]
    assert told["master"]["spend"] == 5e-9
    [blue] = told["teams"]
    assert (blue["name"], blue["spend"], blue["remaining_budget"]) == ("blue", 41.0, 0.0)


def test_a_key_that_came_with_a_reload_meanwhile_is_left_out() -> None:
    """The spend is asked for before the settings are read again."""
    told = describe_keys(
        settings_of(general_settings=GENERAL).general_settings, {"": totals(), "ci": totals()}, {}, NOW
    )

    assert [row["name"] for row in told["keys"]] == ["ci"]
    assert told["teams"] == []


async def test_the_table_is_for_the_master_key_alone(upstream: ScriptedUpstream) -> None:
    """A client's key gets 403. What the page is told of its models says that there is no table for it."""
    general = {**GENERAL, "keys": GENERAL["keys"][:1]}
    async with proxied(settings_of(general_settings=general), upstream) as proxy:
        refused = [await proxy.get(PATH, headers) for headers in ({}, bearer("wrong"), bearer(CI))]
        proxy.server.gateway.limiter.count("ci", nano_usd=4_213_000, estimated_nano=0, tokens=12)
        shown = await proxy.get(PATH, bearer(MASTER))
        operators = [
            (await proxy.get("/ui/api/models", bearer(key))).json["operator"] for key in (CI, MASTER)
        ]

    assert [reply.status for reply in refused] == [401, 401, 403]
    assert shown.status == 200
    assert shown.headers["Cache-Control"] == "no-store"
    assert [(row["name"], row["spend"], row["tokens"]) for row in shown.json["keys"]] == [
        ("ci", 0.004213, 12)
    ]
    assert shown.json["teams"][0]["spend"] == 0.004213
    assert operators == [False, True]


async def test_no_key_and_no_digest_is_in_the_table(upstream: ScriptedUpstream) -> None:
    settings = settings_of(general_settings=GENERAL)
    async with proxied(settings, upstream) as proxy:
        text = json.dumps((await proxy.get(PATH, bearer(MASTER))).json)

    for key, secret in zip(settings.general_settings.keys, (CI, NIGHT), strict=True):
        assert secret not in text
        assert key.digest not in text
    assert MASTER not in text


async def test_without_keys_everyone_sees_the_sum(upstream: ScriptedUpstream) -> None:
    async with proxied(settings_of(), upstream) as proxy:
        proxy.server.gateway.limiter.count("", nano_usd=NANO, estimated_nano=0, tokens=5)
        told = (await proxy.get(PATH)).json

    assert (told["keys"], told["teams"]) == ([], [])
    assert (told["master"]["spend"], told["master"]["is_master_key"]) == (1.0, False)


async def test_without_the_inspector_there_is_no_table(upstream: ScriptedUpstream) -> None:
    async with proxied(settings_of(general_settings={"ui": False}), upstream) as proxy:
        assert (await proxy.get(PATH)).status == 404
