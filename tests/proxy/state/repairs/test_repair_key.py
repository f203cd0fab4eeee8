"""Tests of the name of a repair that may be learned."""

from __future__ import annotations

import re

from proxy.state.repairs.repair_key import RepairKey

KEY = RepairKey("parameter", "temperature", "unsupported parameter: 'temperature'", loosens=False)


def test_id_names_one_repair_of_one_deployment() -> None:
    """Every part of the name counts, and the parts do not run into one another."""
    others = [
        KEY.id_at("other"),
        KEY._replace(fault="schema").id_at("one"),
        KEY._replace(feature="seed").id_at("one"),
        KEY._replace(words="unsupported value: 'temperature'").id_at("one"),
        KEY._replace(fault="parametert", feature="emperature").id_at("one"),
    ]
    assert re.fullmatch("[0-9a-f]{12}", KEY.id_at("one"))
    assert KEY.id_at("one") == KEY._replace().id_at("one")
    assert len({KEY.id_at("one"), *others}) == 1 + len(others)


def test_id_of_a_lone_surrogate_can_be_made() -> None:
    """A refused field may have any name that JSON can hold."""
    assert KEY._replace(feature="\ud800").id_at("one") != KEY.id_at("one")
