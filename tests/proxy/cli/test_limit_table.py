"""Tests of the table of keys' limits."""

from __future__ import annotations

from proxy.cli.limit_table import limit_lines
from tests.proxy.config.samples import settings_of


def test_each_key_with_limits_has_a_line() -> None:
    """A line says all that holds for a key or a team. A key without limits has none."""
    settings = settings_of(
        general_settings={
            "keys": [
                {
                    "name": "night-shift",
                    "key": "tr-1",
                    "team": "blue",
                    "models": ["gemini", "gem*"],
                    "rpm_limit": 60,
                    "tpm_limit": 200000,
                    "max_parallel_requests": 8,
                    "max_budget": 25.5,
                    "budget_duration": "1mo",
                    "expires": "2027-01-31T00:00:00Z",
                },
                {"name": "plain", "key": "tr-2"},
            ],
            "teams": [{"name": "blue", "max_budget": 200, "budget_duration": "12h"}],
        },
        limits={"burst": 0.5},
    )

    assert list(limit_lines(settings)) == [
        "",
        "Models and limits of keys.",
        "",
        "    team blue               $200 in each 12h",
        "    key night-shift         models gemini gem*, 60 requests a minute, 200,000 tokens a minute, "
        "8 requests at once, $25.5 a calendar month, and the limits of team blue, until 2027-01-31 00:00 UTC",
        "    while the store is down each replica enforces its share of the limits",
        "    at once                 50 % of a minute's limit",
    ]


def test_without_limits_there_is_no_table() -> None:
    """Keys that may do everything need no table. A key with a list of models alone has no rules of limits."""
    assert list(limit_lines(settings_of(general_settings={"keys": [{"name": "a", "key": "b"}]}))) == []
    listed = settings_of(general_settings={"keys": [{"name": "a", "key": "b", "models": ["gemini"]}]})
    assert list(limit_lines(listed))[3:] == ["    key a           models gemini"]
