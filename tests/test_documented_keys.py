"""Tests that ``docs/keys.md`` says what the code does: settings, prices, refusals and commands."""

from __future__ import annotations

import re
from pathlib import Path

from proxy.cli.main import make_parser
from proxy.config.price_fields import PRICE_NAMES
from proxy.config.schema.keys import ClientKey, Team
from proxy.config.schema.limits import Limits
from proxy.core.errors import AuthenticationFailed
from proxy.core.key_errors import (
    BudgetExceeded,
    KeyExpired,
    LimitsUnavailable,
    ModelNotAllowed,
    RateLimited,
    RequestNeverFits,
    UnpricedModel,
)
from tests.support.markdown_tables import key_in, rows_under

DOCUMENT = (Path(__file__).parents[1] / "docs" / "keys.md").read_text(encoding="utf-8")


def test_every_setting_of_keys_and_teams_is_listed() -> None:
    """The table has each setting but the name, and says whether it belongs to keys alone."""
    of_both = set(Team.model_fields) - {"name"}
    told = {key_in(row[0]): row[1] for row in rows_under(DOCUMENT, "Keys and teams")}

    assert told == {
        name: "both" if name in of_both else "a key" for name in ClientKey.model_fields if name != "name"
    }


def test_every_price_is_listed() -> None:
    """The table has the prices that are read, in the code's order."""
    assert tuple(key_in(row[0]) for row in rows_under(DOCUMENT, "Prices")) == PRICE_NAMES


def test_each_refusal_has_its_status_and_code() -> None:
    """The table has the refusals in the order of a request, with status and code of their classes."""
    classes = (
        AuthenticationFailed,
        KeyExpired,
        ModelNotAllowed,
        RateLimited,
        BudgetExceeded,
        RequestNeverFits,
        UnpricedModel,
        LimitsUnavailable,
    )
    told = [(row[1], key_in(row[2])) for row in rows_under(DOCUMENT, "What a client is told")]

    assert told == [(str(int(each.status)), each.code) for each in classes]


def test_each_choice_of_a_store_that_is_down_is_listed() -> None:
    """The table of the store has each value of ``limits.on_store_down``."""
    cells = " ".join(row[0] for row in rows_under(DOCUMENT, "Replicas and the store"))
    choices = re.findall(r"'(\w+)'", str(Limits.model_fields["on_store_down"].annotation))

    assert choices
    assert set(re.findall(r"`(\w+)`", cells)) == set(choices)


def test_each_command_that_is_shown_is_one() -> None:
    """The command line takes each command that a block shows."""
    commands = re.findall(r"^turnright (.+)$", DOCUMENT, re.MULTILINE)

    assert commands
    for command in commands:
        assert make_parser().parse_args(command.split()).function


def test_each_setting_in_the_table_of_virtual_keys_is_one() -> None:
    """Each of LiteLLM's fields becomes a setting of a key, a section, or words."""
    rows = rows_under(DOCUMENT, "Coming from LiteLLM's virtual keys")
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row[1])}

    assert named <= {*ClientKey.model_fields, "teams"}
    assert {*ClientKey.model_fields} - named == {"instructions"}
