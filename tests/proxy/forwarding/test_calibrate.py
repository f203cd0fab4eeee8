"""Tests of the comparison of a prompt's estimated tokens with the provider's token count."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.forwarding import calibrate as calibration
from proxy.forwarding.calibrate import calibrate
from proxy.observability.request_record import RequestRecord
from proxy.planning.plan import Plan
from proxy.server.app import create_gateway
from tests.proxy.inspector.looking import parse, run
from tests.support.builders import user
from tests.support.proxied import CHAT, settings_of
from tests.support.scripted_upstream import ScriptedUpstream


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Return the plan of a prompt of 3,000 words."""
    plan = run(parse([user("count me " * 1_500)]), "openai").sent
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    ("usage", "largest", "observations"),
    [
        ({"prompt_tokens": 3_000}, 10**9, 1),
        ({"prompt_tokens": 3_000}, 10, 0),
        ({"prompt_tokens": "3000"}, 10**9, 0),
        ({"prompt_tokens": 0}, 10**9, 0),
        ({}, 10**9, 0),
    ],
    ids=["counted", "larger than is estimated", "no number", "zero", "no usage"],
)
async def test_only_a_token_count_of_a_prompt_that_is_not_large_is_learned(
    monkeypatch: pytest.MonkeyPatch, plan: Plan, usage: dict[str, Any], largest: int, observations: int
) -> None:
    """Only a valid token count of a prompt that is not large is learned, and only for the request's tenant."""
    monkeypatch.setattr(calibration, "LARGE", largest)
    gateway = create_gateway(settings_of(), ScriptedUpstream())
    record = RequestRecord("req_1", CHAT, 0.0, usage=usage, key="team")
    record.use_plan(plan)
    calibrate(record, gateway, 1.0)

    learned = gateway.learned_windows
    assert learned.lessons_of(plan.deployment, 1.0, "team").calibration.observations == observations
    assert learned.lessons_of(plan.deployment, 1.0, "other").calibration.observations == 0
