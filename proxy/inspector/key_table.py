"""The table of keys: the spend, the limits and what is left of each key and team, for the master key alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.config.schema.general import GeneralSettings
from proxy.ingress.routes.own_key import describe_key, describe_spend, describe_team
from proxy.state.limits.claims import KeyTotals, Standing

_NOT_ASKED = Standing()
"""Limits of a minute are not shown. The rest of them would take a call to the store for each key."""

_OF_A_MINUTE = ("remaining_requests", "remaining_tokens", "object")


def describe_keys(
    general: GeneralSettings, keys: Mapping[str, KeyTotals], teams: Mapping[str, KeyTotals], now: float
) -> dict[str, Any]:
    """Return every key and team of *general* as JSON-ready values, in the order of the file.

    *keys* has the spend of each key by its name, and *teams* that of each team. The first row has the requests of the
    master key, or all requests where no keys are configured. *now* is Unix time. No key and no digest is among the
    values.
    """
    named = [(key, keys[key.name]) for key in general.keys if key.name in keys]
    return {
        "master": _row(general, "", keys[""]),
        "keys": [
            {
                **_row(general, key.name, totals),
                "team": key.team,
                "expired": key.expires_at is not None and key.expires_at <= now,
            }
            for key, totals in named
        ],
        "teams": [
            {"name": team.name, **describe_team(team, teams[team.name]), **describe_spend(teams[team.name])}
            for team in general.teams
            if team.name in teams
        ],
    }


def _row(general: GeneralSettings, name: str, totals: KeyTotals) -> dict[str, Any]:
    described = describe_key(general, name, totals, _NOT_ASKED)
    return {field: value for field, value in described.items() if field not in _OF_A_MINUTE}
