"""Tests of the repair table's rows for parameters, whose repairs change no history."""

from __future__ import annotations

import pytest

from proxy.planning.repairs.parameter_rows import PARAMETER_ROWS
from tests.proxy.planning.repairs.asking import repaired
from tests.proxy.planning.repairs.cases import CASES, Case


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.row in PARAMETER_ROWS], ids=lambda case: case.id
)
def test_a_repair_of_a_parameter_leaves_the_history(case: Case) -> None:
    """The repaired request has the same history and other parameters."""
    done = repaired(case.words, case.messages, case.parameters, case.profile, **case.more)

    assert done is not None
    assert done.messages is case.messages
    assert done.parameters != case.parameters
