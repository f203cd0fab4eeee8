"""Tests of the sentences that describe the proxy's changes to a history."""

from __future__ import annotations

import pytest

from proxy.cli.change_sentences import SENTENCES, change_sentences
from proxy.cli.comparison.run import run_comparison
from proxy.inspector.rule_texts import REASONS
from sanitizers import Change

DROPPED = Change("orphan_drop", "dropped", 1, "orphaned_result", "c1")


def test_every_sentence_is_one_and_its_reason_exists() -> None:
    """Each text is one sentence, and describes a reason that the inspector knows."""
    assert SENTENCES.keys() <= REASONS.keys()
    assert all(
        text[0].isupper() and text.endswith(".") and text.count(".") == 1 for text in SENTENCES.values()
    )


async def test_every_change_of_the_demo_has_a_sentence_of_its_own() -> None:
    """Every reason in the demo's changes has a sentence."""
    comparisons = await run_comparison()

    reasons = {change.reason for comparison in comparisons for change in comparison.change_list}
    assert len(reasons) > 5
    assert reasons <= SENTENCES.keys()


@pytest.mark.parametrize(
    ("changes", "sentences"),
    [
        ([], []),
        ([DROPPED], ["A result without a call was dropped. (orphan_drop)"]),
        ([DROPPED, DROPPED], ["A result without a call was dropped. (orphan_drop, 2 times)"]),
        (
            [Change("pairing", "moved", 2, "late_result"), DROPPED],
            [
                "A result was moved directly behind its call. (pairing)",
                "A result without a call was dropped. (orphan_drop)",
            ],
        ),
        ([Change("parameters", "dropped", 0, "personal")], [f"{REASONS['personal'].why} (parameters)"]),
        ([Change("new_step", "moved", 0, "never_heard_of")], ["Something was moved. (new_step)"]),
    ],
    ids=["none", "one", "the same twice", "two", "the inspector's words", "unknown"],
)
def test_changes_as_sentences(changes: list[Change], sentences: list[str]) -> None:
    """Equal changes of a step are described once, with their number."""
    assert list(change_sentences(changes)) == sentences
