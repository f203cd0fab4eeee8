"""Tests anthropic's own clients: a tool loop on each provider, streamed and whole, in both API versions."""

from __future__ import annotations

import pytest

from tests.clients.judging import check_openai_request, check_report, check_request
from tests.clients.messages.cases import (
    CLAUDE,
    GEMINI,
    GPT,
    MODELS,
    VERSIONS,
    blocks_of_round,
    check_messages_request,
)
from tests.clients.messages.gateways import Gateways
from tests.clients.rounds import LAST_WORDS
from tests.clients.rounds import ROUNDS as ALL_ROUNDS
from tests.clients.running_clients import Report, Seen, run_script
from tests.support.covering_cases import EVERYTHING
from tests.support.messages_grammar import find_stream_faults

SCRIPTS = ("messages.client", "messages/client.mjs")
ROUNDS = ALL_ROUNDS if EVERYTHING else ALL_ROUNDS[2:4]
"""The last of these has a text before its calls."""

WAYS = ("whole", "stream")
STATES = ("stored", "lost", "stripped")
"""The store and the envelopes, the envelopes alone, the store alone."""


@pytest.mark.pairwise
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_tool_loop(
    messages_gateways: Gateways, script: str, way: str, model: str, version: str, state: str
) -> None:
    """Every call comes back with its own result, its signature and the thoughts around it.

    A client that drops Claude's own thoughts has none to send: what it sends is what Claude gets.
    """
    gateways = messages_gateways
    gateways.queue(model, *(blocks_of_round(expected) for expected in ROUNDS), LAST_WORDS)
    gateways.begin(is_lost=state == "lost", strips=state == "stripped")

    told = run_script(script, "tools", gateways.origin, model, way, version)

    check_report(Report([[Seen(**call) for call in calls] for calls in told["rounds"]], told["text"]), ROUNDS)
    assert [exchange.status for exchange in gateways.exchanges] == [200] * (len(ROUNDS) + 1)
    for exchange in gateways.exchanges:
        assert exchange.is_stream == (way == "stream")
        if exchange.is_stream:
            assert find_stream_faults(bytes(exchange.answer), relayed=model == CLAUDE) == []
    bodies = gateways.accepted(model)
    assert len(bodies) == len(ROUNDS) + 1
    if model == CLAUDE:
        requests = gateways.anthropic.requests
        assert {request.headers["anthropic-version"] for request in requests} == {version}
        assert bodies == [exchange.request for exchange in gateways.exchanges]
    for done, body in enumerate(bodies):
        if model == GEMINI:
            check_request(body, done, rounds=ROUNDS)
        elif model == GPT:
            check_openai_request(body, done, ROUNDS)
        else:
            check_messages_request(body, done, ROUNDS, has_thoughts=state != "stripped")


@pytest.mark.each_value
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("model", MODELS)
def test_the_other_paths(messages_gateways: Gateways, script: str, version: str, model: str) -> None:
    """The clients count tokens and read the list of models page by page, and one model."""
    gateways = messages_gateways
    gateways.begin()

    told = run_script(script, "paths", gateways.origin, model, "whole", version)

    assert told.pop("counts") > 0
    models = told.pop("models")
    assert set(MODELS) <= set(models)
    assert told == {
        "counts more with tools": True,
        "a page": [1, True],
        "model": ["model", model],
        "is in time": True,
    }
