"""Tests of the checker's rules about the order of messages, and about pairs of calls and results."""

from __future__ import annotations

import pytest

from tests.sanitizers.broken import ASKED, ASKS, GO, TWO, Broken, check, openai_but
from tests.support.builders import assistant, call, developer, system, tool

ABOUT_TURNS = [
    Broken(
        "first_turn_not_user", 1, [system(), assistant("a"), GO], [system(), GO], openai_but(user_first=True)
    ),
    Broken("no_turn", 0, [system()], [system(), GO], openai_but(turn_required=True)),
    Broken("trailing_model_turn", 1, [GO, assistant("a")], [GO], openai_but(model_last=False)),
    Broken(
        "trailing_model_turn",
        1,
        [GO, assistant("a", prefix=False)],
        [GO, assistant("a", prefix=True)],
        openai_but(model_last=False, takes_prefix=True),
        "where `prefix` is asked for",
    ),
    Broken(
        "trailing_model_turn",
        1,
        [GO, assistant("a", prefix=True)],
        [GO, assistant("a", prefix=True), GO],
        openai_but(model_last=False),
        "where `prefix` means nothing",
    ),
    Broken(
        "trailing_space",
        1,
        [GO, assistant("a\n")],
        [GO, assistant("a\n"), GO, assistant("a")],
        openai_but(trailing_space=False),
    ),
    Broken(
        "same_role_neighbours",
        2,
        [GO, assistant("a"), assistant("b")],
        [GO, assistant("a"), GO, assistant("b")],
        openai_but(assistant_runs=False),
        "of the model",
    ),
    Broken(
        "same_role_neighbours",
        1,
        [GO, GO],
        [GO, assistant("a"), GO],
        openai_but(user_runs=False),
        "of the user",
    ),
    Broken(
        "call_after_model_turn",
        2,
        [GO, assistant("a"), *ASKED[1:]],
        ASKED,
        openai_but(assistant_runs=False),
    ),
    Broken(
        "user_after_result",
        3,
        [*ASKED, GO],
        [*ASKED, assistant("a"), GO],
        openai_but(user_after_result=False),
    ),
    Broken(
        "text_beside_calls",
        1,
        [GO, assistant("a", calls=[call("a")]), tool("a")],
        ASKED,
        openai_but(calls_with_text=False),
    ),
    Broken("parallel_calls", 1, [*TWO, tool("a"), tool("b")], ASKED, openai_but(parallel_calls=False)),
    Broken(
        "reasoning_missing",
        1,
        [*ASKED, assistant("b")],
        [GO, {**ASKED[1], "reasoning_content": " "}, *ASKED[2:], assistant("b")],
        openai_but(thinks_before_calls=True),
        "beside calls",
    ),
    Broken(
        "reasoning_missing",
        1,
        [GO, {**ASKED[1], "reasoning_content": ""}, *ASKED[2:]],
        [GO, assistant("a", reasoning_content="")],
        openai_but(thinks_before_calls=True),
        "where it is empty beside calls",
    ),
    Broken(
        "reasoning_missing",
        3,
        [GO, assistant("a", reasoning_content=""), GO, assistant("b", reasoning_content=None)],
        [GO, assistant("a", reasoning_content="hm")],
        openai_but(echoes_reasoning=True),
    ),
]

ABOUT_SYSTEMS = [
    Broken("system_after_start", 1, [GO, system()], [system(), GO], openai_but(system_anywhere=False)),
    Broken("system_unsupported", 0, [system(), GO], [GO], openai_but(system_role=False)),
    Broken(
        "many_systems", 1, [system(), system(), GO], [system(), GO, system()], openai_but(many_systems=False)
    ),
    Broken("developer_role", 0, [developer(), GO], [system(), GO], openai_but(developer_role=False)),
    *(
        Broken("system_misplaced", index, broken, legal, openai_but(systems_behind_users=True), note)
        for index, broken, legal, note in (
            (1, [GO, system(), GO], [GO, GO, system()], "before the user"),
            (2, [GO, assistant("a"), system()], [system(), system(), GO], "behind the model"),
            (
                2,
                [GO, assistant("a"), system(), GO],
                [GO, system(), assistant("a")],
                "behind the model, with more",
            ),
            (1, [GO, system(), system()], [*ASKED, system(), assistant("a")], "twice"),
        )
    ),
]

ABOUT_PAIRS = [
    Broken("missing_result", 1, [*TWO, tool("b"), GO], [*TWO, tool("b"), tool("a"), GO]),
    Broken("orphaned_result", 1, [GO, tool("a")], ASKED),
    Broken("duplicate_result", 3, [*ASKED, tool("a")], ASKED),
    Broken(
        "result_order",
        2,
        [*TWO, tool("b"), tool("a")],
        [*TWO, tool("a"), tool("b")],
        openai_but(ordered_results=True),
    ),
    Broken(
        "call_id_repeated",
        4,
        [*ASKED, GO, *ASKS[1:], tool("a")],
        [*ASKED, GO, assistant(calls=[call("b")]), tool("b")],
        openai_but(unique_call_ids=True),
    ),
]

BROKEN = [*ABOUT_TURNS, *ABOUT_SYSTEMS, *ABOUT_PAIRS]


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.name)
def test_each_rule_about_the_order_is_broken_alone_at_its_place(broken: Broken) -> None:
    """A similar legal history breaks no rule."""
    check(broken)
