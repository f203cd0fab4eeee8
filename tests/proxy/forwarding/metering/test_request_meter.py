"""Tests of the charges of one request."""

from __future__ import annotations

from dataclasses import replace

from proxy.config.pools import resolve
from proxy.core.charge import Charge
from proxy.forwarding.metering.request_meter import RequestMeter
from proxy.observability.request_record import RequestRecord
from tests.proxy.forwarding.limits.keyed import INPUT, OUTPUT, keyed_settings

USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
[PRICED] = resolve(keyed_settings({}), "m")
UNPRICED = replace(PRICED, model="openai/nobody-sells-this", model_id="nobody-sells-this")


def test_cost_of_a_request_is_the_sum_of_its_attempts() -> None:
    """An attempt without a price adds tokens and no cost."""
    record = RequestRecord("req", "/v1/chat/completions", 0.0)
    meter = RequestMeter(record)
    meter.add(UNPRICED, USAGE, None)
    assert record.cost_nano is None

    meter.add(PRICED, USAGE, None)
    meter.add(PRICED, {"prompt_tokens": 1, "total_tokens": 1}, None, "estimated")

    cost = 7 * INPUT + 3 * OUTPUT
    assert meter.charges == [
        Charge(UNPRICED, None, 7, 3, "exact"),
        Charge(PRICED, cost, 7, 3, "exact"),
        Charge(PRICED, INPUT, 1, 0, "estimated"),
    ]
    assert record.cost_nano == cost + INPUT


def test_tier_of_the_answer_has_its_own_price() -> None:
    """A request that was served with priority costs more (gpt-4.1: 3.50 and 14 dollars a million tokens)."""
    record = RequestRecord("req", "/v1/chat/completions", 0.0)
    RequestMeter(record).add(PRICED, USAGE, "priority")
    assert record.cost_nano == 7 * 3_500 + 3 * 14_000
