"""Tests of the words under which a repair is learned, and of their way back to the rows."""

from __future__ import annotations

import pytest

from proxy.planning.learned.repair_words import error_for, is_named, rows_for, words_for_fault
from proxy.planning.repairs.repair_row import Learning
from proxy.planning.repairs.repair_table import TABLE
from proxy.state.repairs.repair_key import RepairKey
from tests.proxy.planning.learned.teaching import LEARNED_CASES, NEVER_CASES, keys_of_case
from tests.proxy.planning.repairs.asking import refusal
from tests.proxy.planning.repairs.cases import Case

ALTERNATION = RepairKey("alternation", "", "roles must alternate\noptional system message", False)
SEED = RepairKey("parameter", "seed", "unsupported parameter: 'seed'", False)
SEED_7 = RepairKey("parameter", "seed=0123", "unsupported value: 'seed'", False)
INDEX = RepairKey("call_field", "index", "unknown field: parameter 'index' is not a valid field", False)

every_learned_case = pytest.mark.parametrize("case", LEARNED_CASES, ids=lambda case: case.id)


def test_all_rows_of_a_fault_are_learned_alike() -> None:
    """A key names the fault, and not the row."""
    kinds = {(row.fault, row.learning) for row in TABLE}

    assert len(kinds) == len({fault for fault, _ in kinds})


@every_learned_case
def test_words_lead_back_to_the_row_that_made_the_repair(case: Case) -> None:
    (key,) = keys_of_case(case)

    assert case.row in rows_for(key)
    assert case.row.fits(error_for(key))
    assert key.loosens is (case.row.learning is Learning.LOOSENS)


@every_learned_case
def test_words_hold_nothing_of_the_error_but_phrases_and_a_name(case: Case) -> None:
    """The words go to the store, and an error may hold any text of a client."""
    (key,) = keys_of_case(case)
    phrases = {phrase for row in TABLE for phrase in (*row.says, *row.beside, *row.reads)}

    said = [line.replace(f"'{key.feature.partition('=')[0]}'", "'x'") for line in key.words.split("\n")]

    assert phrases.union(
        {
            "unsupported parameter: 'x'",
            "unsupported value: 'x'",
            "unknown field: parameter 'x' is not a valid field",
            "missing required parameter: 'messages[0].tool_calls[0].type'",
        }
    ).issuperset(said)


@pytest.mark.parametrize("case", NEVER_CASES, ids=lambda case: case.id)
def test_rows_that_are_never_learned_have_no_way_back(case: Case) -> None:
    """Another process may have stored such a key."""
    words = words_for_fault(case.row.fault, refusal(case.words, **case.more))

    assert words
    assert rows_for(RepairKey(case.row.fault, "", words, False)) == ()


@pytest.mark.parametrize(
    "key",
    [
        ALTERNATION._replace(words="roles must alternate\nmulti turn"),
        ALTERNATION._replace(words=""),
        ALTERNATION._replace(fault="turns"),
        ALTERNATION._replace(loosens=True),
        SEED._replace(words="unsupported parameter: 'user'"),
        SEED._replace(words="unsupported parameter: 'seed' and unsupported parameter: 'user'"),
        SEED._replace(words="unknown parameter: 'seed'"),
        SEED._replace(words=INDEX.words, feature="index"),
        SEED._replace(feature="s" * 65, words=f"unsupported parameter: '{'s' * 65}'"),
        SEED_7._replace(words="unsupported value: 'user'"),
        INDEX._replace(words="unknown field: parameter 'weight' is not a valid field"),
        INDEX._replace(feature="weight", words="unknown field: parameter 'weight' is not a valid field"),
        RepairKey("call_type", "", "missing required parameter: 'messages[1].tool_calls[0].type'", False),
    ],
)
def test_unknown_words_lead_to_no_row(key: RepairKey) -> None:
    """Another version of the proxy, or another program, may have stored the key."""
    assert rows_for(key) == ()


@pytest.mark.parametrize(
    ("key", "words", "named"),
    [
        (SEED, "Unsupported parameter: 'seed' is not supported with this model.", True),
        (SEED, "Unknown parameter: 'seed'.", True),
        (SEED, "Unrecognized request arguments supplied: user, seed", True),
        (SEED, "Unsupported parameter: 'user' is not supported with this model.", False),
        (SEED, "Unsupported parameter: 'seeds' is not supported with this model.", False),
        (SEED, "The seed is too large.", False),
        (SEED_7, "Unsupported value: 'seed' does not support 7 with this model.", True),
        (SEED_7, "Unsupported value: 'n' does not support 7 with this model.", False),
        (INDEX, "Unknown parameter: 'messages[1].tool_calls[0].index'.", True),
        (INDEX, "Unknown parameter: 'messages[1].tool_calls[0].weight'.", False),
        (ALTERNATION, "Conversation roles must alternate user/assistant/user/assistant/...", True),
        (ALTERNATION, "Requests ending with a model turn are not supported.", False),
        (ALTERNATION._replace(loosens=True), "Conversation roles must alternate user/assistant/...", False),
    ],
)
def test_error_names_the_fault_of_a_key(key: RepairKey, words: str, named: bool) -> None:
    """The error may have other words of the same fault. A parameter counts by its whole name."""
    assert is_named(key, refusal(words)) is named
