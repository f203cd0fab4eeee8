"""The gate decides which calls of an answer reach the client, whole and streamed."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.turns import CallGate, ChunkGate, gate_answer
from tests.sanitizers.turns.answers import Answer, accumulate, answer_of, answers, chunks_of, read_whole
from tests.sanitizers.turns.histories import ENFORCE

WORDS = "[turnright: that was all.]"
FINAL = CallGate(closed=True, words=WORDS, final=ENFORCE)
CLOSED = CallGate(closed=True, words=WORDS)
REFUSING = CallGate(refused=ENFORCE, words=WORDS)

gates = st.sampled_from(
    [CallGate(most) for most in (0, 1, 2, 3)]
    + [CallGate(most, closed, ENFORCE, WORDS) for most in (0, 2) for closed in (False, True)]
)


def gated(gate: CallGate, *choices: Any) -> list[tuple[Any, list[str], str]]:
    """Gate an answer. Return the text, the names of the calls and the finish reason of each choice."""
    answer, _ = gate_answer(answer_of(choices), gate)
    read = read_whole(answer).values()
    return [
        (
            one["content"],
            [c["name"] for c in one["calls"]] + ([one["legacy"]["name"]] if one["legacy"] else []),
            one["finish"],
        )
        for one in read
    ]


def choice(said: str | None, *names: str, legacy: str | None = None, refusal: str | None = None) -> Any:
    """Return the plan of a choice with calls of these names."""
    return said, [(name, "{}") for name in names], legacy, refusal


@pytest.mark.parametrize(
    ("gate", "given_choice", "said", "names", "finish"),
    [
        (CLOSED, choice("Done."), "Done.", [], "stop"),
        (CLOSED, choice("Done.", "f"), "Done.", [], "stop"),
        (CLOSED, choice(None, "f", "g"), WORDS, [], "stop"),
        (CLOSED, choice(" \n", "f"), WORDS, [], "stop"),
        (CLOSED, choice(None, "f", refusal="No."), "", [], "stop"),
        (CLOSED, choice(None, legacy="f"), WORDS, [], "stop"),
        (CLOSED, choice("Done.", legacy="f"), "Done.", [], "stop"),
        (CLOSED, choice(None), WORDS, [], "stop"),
        (FINAL, choice(None, "final_result", "f"), "", ["final_result"], "tool_calls"),
        (FINAL, choice(None, "f"), WORDS, [], "stop"),
        (CallGate(2), choice(None, "f", "g"), "", ["f", "g"], "tool_calls"),
        (CallGate(2), choice(None, "f", "g", "h", "i"), "", ["f", "g"], "tool_calls"),
        (CallGate(1), choice("I look.", "f", "g"), "I look.", ["f"], "tool_calls"),
        (CallGate(0), choice(None, *"f" * 40), "", ["f"] * 40, "tool_calls"),
        (CallGate(1), choice(None, "f", legacy="g"), "", ["f"], "tool_calls"),
        (CallGate(1), choice(None, legacy="g"), "", ["g"], "function_call"),
        (REFUSING, choice(None, "task"), WORDS, [], "stop"),
        (REFUSING, choice("I hand it on.", "Transfer_to_a"), "I hand it on.", [], "stop"),
        (REFUSING, choice(None, "task", "f", "task", "g"), "", ["f", "g"], "tool_calls"),
        (REFUSING, choice(None, legacy="handoff_a"), WORDS, [], "stop"),
        (CallGate(1, refused=ENFORCE), choice(None, "task", "f", "g"), "", ["f"], "tool_calls"),
    ],
)
def test_calls_pass_up_to_the_limit_and_words_replace_an_empty_choice(
    gate: CallGate, given_choice: Any, said: str, names: list[str], finish: str
) -> None:
    """The gateway's text appears only where a choice would be empty."""
    assert gated(gate, given_choice) == [(said, names, finish)]


def test_each_choice_has_its_own_count_of_calls() -> None:
    choices = [choice(None, "f", "f"), choice("Done."), choice(None, "task")]

    assert gated(CallGate(1, refused=ENFORCE, words=WORDS), *choices) == [
        ("", ["f"], "tool_calls"),
        ("Done.", [], "stop"),
        (WORDS, [], "stop"),
    ]


def test_each_held_back_call_has_a_change() -> None:
    """Each change has the index of the choice and the shortened id of the call, and no name or arguments."""
    answer = answer_of([choice(None, "f", "g", "task")])
    answer["choices"][0]["message"]["tool_calls"][1]["id"] = "x" * 99
    _, changes = gate_answer(answer, CallGate(1, refused=ENFORCE, words=WORDS))

    assert [(change.kind, change.index, change.reason, change.detail) for change in changes] == [
        ("dropped", 0, "calls_per_turn", "x" * 64),
        ("dropped", 0, "call_withheld", "c0_2"),
    ]


def test_a_custom_call_is_held_back_by_its_name() -> None:
    """A custom call of a delegating tool is held back like a function call."""
    answer = answer_of([choice(None, "f")])
    answer["choices"][0]["message"]["tool_calls"] = [
        {"id": "a", "type": "custom", "custom": {"name": "task", "input": "x"}}
    ]

    assert read_whole(gate_answer(answer, REFUSING)[0])[0]["content"] == WORDS


def stream(gate: CallGate, *deltas: tuple[dict[str, Any], str | None]) -> list[Answer | None]:
    """Return what a gate passes of each chunk of one choice, with None for a chunk that the gate leaves out."""
    through = ChunkGate(gate)
    return [
        through.pass_chunk({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
        for delta, reason in deltas
    ]


def piece(at: int, name: str = "", arguments: str = "") -> dict[str, Any]:
    """Return a delta with a piece of a call."""
    begins = {"id": f"c{at}", "type": "function"} if name else {}
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    return {"tool_calls": [{"index": at, **begins, "function": function}]}


def test_a_chunk_with_nothing_left_is_left_out() -> None:
    """Text next to a held-back call passes, and so does the finish reason."""
    passed = stream(
        CLOSED,
        ({"role": "assistant"}, None),
        (piece(0, "f"), None),
        (piece(0, "", "{}"), None),
        ({**piece(1, "g"), "content": "so far"}, None),
        ({}, "tool_calls"),
    )

    assert [chunk and chunk["choices"][0]["delta"] for chunk in passed] == [
        {"role": "assistant"},
        None,
        None,
        {"content": "so far"},
        {},
    ]
    assert passed[-1] is not None
    assert passed[-1]["choices"][0]["finish_reason"] == "stop"


def test_passing_calls_of_a_stream_are_numbered_without_gaps() -> None:
    """The held-back first call leaves no gap in the numbers."""
    passed = stream(REFUSING, (piece(0, "task"), None), (piece(1, "f"), None), (piece(1, "", "{}"), None))

    assert [chunk and chunk["choices"][0]["delta"]["tool_calls"][0]["index"] for chunk in passed] == [
        None,
        0,
        0,
    ]


def test_a_chunk_without_choices_passes() -> None:
    """A chunk without choices holds the usage."""
    chunk: Answer = {"choices": [], "usage": {}}

    assert ChunkGate(CLOSED).pass_chunk(chunk) is chunk


def test_logprobs_pass_though_the_rest_of_a_chunk_does_not() -> None:
    """The held-back call leaves an empty delta."""
    through = ChunkGate(CLOSED)
    one = {"index": 0, "delta": piece(0, "f"), "finish_reason": None, "logprobs": {"content": []}}

    assert through.pass_chunk({"choices": [one]}) == {"choices": [{**one, "delta": {}}]}


@given(answers(), gates, st.data())
def test_whole_and_streamed_answers_pass_the_same_calls(
    answer: Answer, gate: CallGate, data: st.DataObject
) -> None:
    """Indexes, texts, finish reasons and changes are the same too."""
    chunks = chunks_of(answer, data)
    before = copy.deepcopy((answer, chunks))
    whole, changes = gate_answer(answer, gate)
    through = ChunkGate(gate)
    passed = [one for chunk in chunks if (one := through.pass_chunk(chunk)) is not None]

    assert accumulate(passed) == read_whole(whole)
    assert sorted(map(str, through.changes)) == sorted(map(str, changes))
    assert (answer, chunks) == before


@given(answers(), gates)
def test_every_gated_choice_is_a_complete_answer(answer: Answer, gate: CallGate) -> None:
    """Each held-back call has a change. A choice left without calls, text and refusal gets the gate's words."""
    whole, changes = gate_answer(answer, gate)
    assert (whole is answer) == (changes == ())
    for given_choice, passed in zip(answer["choices"], whole["choices"], strict=True):
        old, new = given_choice["message"], passed["message"]
        calls = [*new.get("tool_calls", ()), *([new["function_call"]] if "function_call" in new else [])]
        had = [*old.get("tool_calls", ()), *([old["function_call"]] if "function_call" in old else [])]
        told = [change for change in changes if change.index == given_choice["index"]]
        assert len(calls) == len(had) - [change.kind for change in told].count("dropped")
        assert [one for one in had if one in calls] == calls
        assert not gate.most or len(calls) <= gate.most
        assert not (gate.closed and calls)
        if not told:
            assert passed is given_choice
        elif calls:
            assert (passed["finish_reason"], new["content"]) == (
                given_choice["finish_reason"],
                old["content"],
            )
        else:
            assert passed["finish_reason"] == "stop"
            silent = not old["content"] and not old.get("refusal")
            assert new["content"] == (gate.words if silent else old["content"])


@given(answers(), st.data())
def test_an_open_gate_returns_the_same_answer_and_chunks(answer: Answer, data: st.DataObject) -> None:
    """An open gate makes no changes."""
    assert gate_answer(answer, CallGate(99)) == (answer, ())
    assert gate_answer(answer, CallGate(99))[0] is answer
    through = ChunkGate(CallGate(99))
    chunks = [chunk for chunk in chunks_of(answer, data) if not _is_empty(chunk)]
    assert [through.pass_chunk(chunk) for chunk in chunks] == chunks
    assert through.changes == []


def _is_empty(chunk: Answer) -> bool:
    return any(one["delta"] == {} and one["finish_reason"] is None for one in chunk["choices"])
