"""Tests that the classes of other rooms have what a request's record needs of them."""

from __future__ import annotations

import pytest

from proxy.forwarding.metering.request_meter import RequestMeter
from proxy.observability import limit_facts
from proxy.state.limits.admission import Admission


@pytest.mark.parametrize(
    ("needed", "real"), [(limit_facts.Admission, Admission), (limit_facts.RequestMeter, RequestMeter)]
)
def test_class_has_each_member_that_the_record_needs(needed: type, real: type) -> None:
    members = {name for name in vars(needed) if not name.startswith("_")}

    assert members
    assert members <= set(dir(real))
