"""``GET /v1/key``: the caller's own limits, what is left of them, and the spend. No key can ask about another."""

from __future__ import annotations

from math import ceil
from typing import Any

from aiohttp import web

from proxy.config.schema.general import GeneralSettings
from proxy.config.schema.keys import Limited
from proxy.core.dollars import NANO_A_DOLLAR
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.json_response import json_response
from proxy.state.limits.claims import KeyTotals, Standing

_UNLIMITED = Limited()
_FRESH = {"Cache-Control": "no-store"}


async def show_key(request: web.Request) -> web.Response:
    """Answer with the facts of the key that asks. The master key, and a gateway without keys, have no limits."""
    gateway, name = request[GATEWAY], request[RECORD].key
    own, *team = await gateway.limiter.find_totals(name)
    standing = await gateway.limiter.standing_of(name)
    facts = describe_key(gateway.settings.general_settings, name, own, standing or Standing())
    found = gateway.settings.general_settings.team_of(name)
    facts["team"] = None if found is None or not team else describe_team(found, team[0])
    return json_response(facts, headers=_FRESH)


def describe_key(
    general: GeneralSettings, name: str, totals: KeyTotals, standing: Standing
) -> dict[str, Any]:
    """Return the facts of the key called *name*, which is empty for the master key and where no keys are configured.

    *standing* is the tightest of the key and its team. The other facts are the key's own.
    """
    key = general.keys_by_name.get(name)
    expires = None if key is None else key.expires
    return {
        "object": "key",
        "name": name or None,
        "is_master_key": not name and general.master_key is not None,
        "expires": None if expires is None else expires.strftime("%Y-%m-%dT%H:%M:%SZ"),
        **_describe_limits(key or _UNLIMITED),
        "remaining_requests": standing.remaining_requests,
        "remaining_tokens": standing.remaining_tokens,
        **describe_spend(totals),
    }


def describe_spend(totals: KeyTotals) -> dict[str, Any]:
    """Return what a key or a team has used in its period, and what is left of its spend limit."""
    return {
        "spend": _dollars(totals.spent_nano),
        "estimated_spend": _dollars(totals.estimated_nano),
        "reserved_spend": _dollars(totals.reserved_nano),
        "requests": totals.requests,
        "tokens": totals.tokens,
        "period": totals.period,
        **_describe_budget(totals),
    }


def describe_team(team: Limited, totals: KeyTotals) -> dict[str, Any]:
    """Return the limits of the caller's *team* and what is left. The spend of its other keys is not told."""
    return {**_describe_limits(team), **_describe_budget(totals)}


def _describe_limits(limited: Limited) -> dict[str, Any]:
    budget = limited.budget_nano
    return {
        "models": None if limited.models is None else list(limited.models),
        "rpm_limit": limited.rpm_limit,
        "tpm_limit": limited.tpm_limit,
        "max_parallel_requests": limited.max_parallel_requests,
        "max_budget": None if budget is None else _dollars(budget),
        "budget_duration": limited.budget_duration,
    }


def _describe_budget(totals: KeyTotals) -> dict[str, Any]:
    limit, ends_s = totals.limit_nano, totals.resets_in_s
    left = None if limit is None else max(0, limit - totals.spent_nano - totals.reserved_nano)
    return {
        "remaining_budget": None if left is None else _dollars(left),
        "resets_in_s": None if ends_s is None else ceil(ends_s),
    }


def _dollars(nano: int) -> float:
    """Return *nano* in dollars. The number is exact where it has 15 digits or fewer."""
    return nano / NANO_A_DOLLAR
