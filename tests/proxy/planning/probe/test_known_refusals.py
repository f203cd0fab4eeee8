"""Tests of the table of known refusals. ``tests/proxy/cli/test_ask_provider.py`` asks the emulators."""

from __future__ import annotations

import pytest

from proxy.planning.probe.all_histories import HISTORIES
from proxy.planning.probe.choose_cases import choose_cases
from proxy.planning.probe.known_refusals import TABLE, Row, is_known_refused, upstream_of
from sanitizers.profile_names import PROFILES
from tests.proxy.upstream.deployments import deployment_of


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{min(row.upstreams)} {row.profile}")
def test_every_entry_is_a_history_that_a_profile_of_the_row_forbids(row: Row) -> None:
    fitting = [profile for name, profile in PROFILES.items() if name.startswith(row.profile)]
    forbidden = {
        case.history.id for profile in fitting for case in choose_cases(profile, "").cases if case.forbidden
    }

    assert row.histories - {history.id for history in HISTORIES} == set()
    assert row.histories - forbidden == set()


def test_the_way_is_the_transport_and_the_provider() -> None:
    assert upstream_of(deployment_of("gemini/gemini-3.6-flash")) == "direct/gemini"
    assert upstream_of(deployment_of("anthropic/claude-opus-4-6")) == "direct/anthropic"
    assert upstream_of(deployment_of("cohere/command-a")) == "litellm/cohere"


def test_a_history_is_refused_on_the_ways_of_its_row_alone() -> None:
    strict = PROFILES["gemini-3-strict"]

    assert is_known_refused("direct/gemini", strict, "trailing_model_turn")
    assert not is_known_refused("litellm/vertex_ai", strict, "trailing_model_turn")
    assert not is_known_refused("direct/gemini", PROFILES["gemini-3"], "trailing_model_turn")
