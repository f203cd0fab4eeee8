"""Tests a tool loop of five rounds over the Responses API on the strict Gemini, with each real client."""

from __future__ import annotations

from operator import attrgetter

import pytest

from tests.clients.responses.cases import Case, each_client
from tests.clients.responses.gateways import Gateways
from tests.clients.responses.running_cases import run_case


@pytest.mark.parametrize("case", each_client(), ids=attrgetter("name"))
def test_each_client_keeps_every_signature_and_result(gateways: Gateways, case: Case) -> None:
    """Every call of five rounds comes back with its own result, and with its signature if it has one."""
    run_case(case, gateways)
