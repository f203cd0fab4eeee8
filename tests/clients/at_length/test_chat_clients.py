"""Tests clients of chats on a model that answers in the Responses API alone, whose emulator refuses chats."""

from __future__ import annotations

import pytest

from tests.clients.judging import check_report, check_responses_request
from tests.clients.responses.cases import RESPONSES_ONLY, STORED
from tests.clients.responses.gateways import Gateways
from tests.clients.rounds import LAST_WORDS, ROUNDS
from tests.clients.running_clients import CLIENTS, NAME, Client


@pytest.mark.parametrize("client", CLIENTS, ids=NAME)
def test_each_call_of_five_rounds_keeps_its_result(gateways: Gateways, client: Client) -> None:
    """Every call of five rounds comes back with its own result, and no request is refused."""
    for expected in ROUNDS:
        gateways.responses.faults.append({"calls": [(call.name, dict(call.args)) for call in expected.calls]})
    gateways.responses.faults.append({"text": LAST_WORDS})
    gateways.begin(STORED)

    report = client.run(gateways.alone.base_url, RESPONSES_ONLY)

    requests = list(gateways.responses.requests)
    assert [request.refusal for request in requests] == [None] * (len(ROUNDS) + 1)
    assert {request.path for request in requests} == {"/v1/responses"}
    for done, request in enumerate(requests):
        check_responses_request(request.body, done)
        assert bool(request.body.get("stream")) is client.stream
        assert request.body["store"] is False
    check_report(report)
