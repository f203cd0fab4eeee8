"""Tests of a dry run as JSON-ready values: what is shown of the instructions and of learned repairs."""

from __future__ import annotations

import pytest

from proxy.core.combine_instructions import combine, part_of
from proxy.core.instructions import MAX_BYTES
from proxy.planning.describe_dry_run import describe_dry_run
from proxy.state.repairs.repair_key import LearnedRepair, RepairKey
from tests.proxy.planning.operator_texts import GATEWAY, MODEL, OWN, SHOWN
from tests.proxy.planning.test_dry_run_with_instructions import PLAIN, dry


@pytest.mark.parametrize(("for_client", "text"), [(False, OWN.text), (True, SHOWN)])
def test_instructions_have_their_levels_their_bytes_and_their_digest(*, for_client: bool, text: str) -> None:
    """A client sees all but the text. The bytes are those of UTF-8."""
    run = dry(PLAIN)
    described = describe_dry_run(run.for_client() if for_client else run)

    assert described["instructions"] == {
        "bytes": len(GATEWAY) + 2 + len(MODEL.encode()),
        "digest": OWN.digest,
        "levels": [
            {"level": "gateway", "bytes": len(GATEWAY), "whole": True},
            {"level": "model", "bytes": len(MODEL.encode()), "whole": True},
        ],
        "text": text,
    }
    assert described["changes"][0]["detail"] == f"gateway,model {OWN.bytes} bytes {OWN.digest}"
    assert described["body"]["messages"][0]["content"] == text


def test_text_that_was_cut_is_not_whole() -> None:
    """The level that lost its end is named, and not the special one."""
    cut = combine([part_of("gateway", "x" * MAX_BYTES), part_of("key", "Be brief.")])
    levels = describe_dry_run(dry(PLAIN, instructions=cut))["instructions"]["levels"]

    assert [(each["level"], each["whole"]) for each in levels] == [("gateway", False), ("key", True)]


@pytest.mark.parametrize(("of_conversation", "scope"), [(True, "conversation"), (False, "deployment")])
def test_learned_repair_says_since_when_how_sure_and_for_what(*, of_conversation: bool, scope: str) -> None:
    """The figures are rounded, and the mark is in the summary."""
    key = RepairKey("system_role", "", "system role not supported", loosens=False)
    repair = LearnedRepair(key, 0.8765, 5.04, 0.96, 1_795_500_000, of_conversation, True)
    described = describe_dry_run(dry(PLAIN, learned=(repair,)))
    [shown] = described["learned"]

    assert len(shown.pop("id")) == 12
    assert shown == {
        "fault": "system_role",
        "feature": "",
        "confidence": 0.88,
        "confirmed": 5.0,
        "contradicted": 1.0,
        "since": "2026-11-24T06:00:00Z",
        "scope": scope,
    }
    assert described["summary"].endswith(";learned")


def test_nothing_is_said_of_what_is_not_there() -> None:
    """Without a memory, a learned repair and instructions, no key of theirs is in the description."""
    described = describe_dry_run(dry(PLAIN, instructions=None))

    assert {"memory", "learned", "instructions"} & described.keys() == set()
