"""Tests that calls get the client's tool names back, for any split of the stream. Other texts stay unchanged."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.normalize_answer import normalize_answer
from proxy.answers.restore_tool_names import ToolNameMap
from sanitizers.tool_names import spell_legal
from tests.support.builders import call

OLD = "mcp.server/tool:do it"
NEW = spell_legal(OLD)
LONGER = spell_legal(f"{NEW}.x")  # begins as NEW does
BACK = {NEW: OLD, f"{NEW}_more": "工具", LONGER: "long"}
LEGAL = ("f", NEW[:4], NEW[:-1], "default_api.f")
NAMES = {**BACK, **{name: name for name in LEGAL}, f"default_api.{NEW}": f"default_api.{OLD}"}
"""Names that a model may call, and the names that its client gets."""


def normalizer_of(back: dict[str, str]) -> ChunkNormalizer:
    """Return a normalizer that maps tool names by *back*."""
    return ChunkNormalizer(
        fallback_id="x", created=1, model="m", include_usage=False, names=ToolNameMap(back)
    )


def joined(deltas: list[dict[str, Any]], back: dict[str, str] = BACK) -> list[tuple[str, str]]:
    """Return the names and arguments of a stream's calls, as a client joins them."""
    normalizer = normalizer_of(back)
    calls: dict[Any, list[str]] = {}
    choices: list[dict[str, Any]] = [{"delta": delta} for delta in deltas]
    for given_choice in [*choices, {"delta": {}, "finish_reason": "tool_calls"}]:
        chunk = normalizer.normalize({"choices": [{"index": 0, **given_choice}]})
        for choice in (chunk or {"choices": []})["choices"]:
            delta = choice["delta"]
            legacy = delta.get("function_call")
            pieces = [("legacy", legacy)] if legacy else []
            pieces += [(piece["index"], piece["function"]) for piece in delta.get("tool_calls", ())]
            for place, function in pieces:
                texts = calls.setdefault(place, ["", ""])
                texts[0] += function.get("name") or ""
                texts[1] += function.get("arguments") or ""
    return [(name, arguments) for name, arguments in calls.values()]


def cut(text: str, places: list[int]) -> list[str]:
    """Return *text* in pieces."""
    at = sorted({place % (len(text) + 1) for place in places} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(at)] or [""]


cuts = st.lists(st.integers(0, 80), max_size=4)
called = st.lists(st.tuples(st.sampled_from(sorted(NAMES)), cuts, cuts), min_size=1, max_size=4)


@given(called)
def test_names_in_pieces_are_restored(plan: list[tuple[str, list[int], list[int]]]) -> None:
    """A client gets its own tool names, for any split of names and arguments."""
    deltas: list[dict[str, Any]] = []
    for index, (name, name_cuts, text_cuts) in enumerate(plan):
        text = f'{{"n": {index}}}'
        first, *more = cut(name, name_cuts)
        deltas.append(
            {
                "tool_calls": [
                    {"index": index, "id": f"c{index}", "function": {"name": first, "arguments": ""}}
                ]
            }
        )
        deltas += [{"tool_calls": [{"index": index, "function": {"name": piece}}]} for piece in more]
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            for piece in cut(text, text_cuts)
        ]

    assert joined(deltas) == [(NAMES[name], f'{{"n": {index}}}') for index, (name, *_) in enumerate(plan)]


@given(st.sampled_from(sorted(NAMES)), cuts, cuts)
def test_legacy_names_in_pieces_are_restored(name: str, name_cuts: list[int], text_cuts: list[int]) -> None:
    """Names in ``function_call`` are restored as well."""
    deltas: list[dict[str, Any]] = [{"function_call": {"name": piece}} for piece in cut(name, name_cuts)]
    deltas += [{"function_call": {"arguments": piece}} for piece in cut('{"a": 1}', text_cuts)]

    assert joined(deltas) == [(NAMES[name], '{"a": 1}')]


@pytest.mark.parametrize("name", sorted(NAMES))
@pytest.mark.parametrize("form", ["tool_calls", "function_call"])
def test_a_name_without_arguments_is_sent_at_the_end(name: str, form: str) -> None:
    """A name without arguments is sent at the end, even if the name might have continued."""
    function = {"name": name}
    delta = {"tool_calls": [{"index": 0, "id": "c", "function": function}]}
    [(found, _)] = joined([delta if form == "tool_calls" else {"function_call": function}])

    assert found == NAMES[name]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 1, 0)])
def test_heads_first_keep_their_order(order: tuple[int, ...]) -> None:
    """Calls whose names all come before their arguments keep their order, also where a name might have continued."""
    names = [NEW[:4], NEW, "f"]
    heads = [
        {"tool_calls": [{"index": at, "id": f"c{at}", "function": {"name": name, "arguments": ""}}]}
        for at, name in enumerate(names)
    ]
    texts = [{"tool_calls": [{"index": at, "function": {"arguments": f'{{"n":{at}}}'}}]} for at in order]

    assert joined([*heads, *texts]) == [(NEW[:4], '{"n":0}'), (OLD, '{"n":1}'), ("f", '{"n":2}')]


def test_a_whole_name_is_sent_at_once() -> None:
    """A complete name that cannot continue is sent at once."""
    normalizer = normalizer_of({NEW: OLD})
    head = {"index": 0, "id": "c", "function": {"name": NEW, "arguments": ""}}

    chunk = normalizer.normalize({"choices": [{"index": 0, "delta": {"tool_calls": [head]}}]})

    assert chunk is not None
    assert chunk["choices"][0]["delta"]["tool_calls"][0]["function"]["name"] == OLD


@pytest.mark.parametrize("name", sorted(NAMES))
def test_names_of_whole_answers_are_restored(name: str) -> None:
    """Names in ``tool_calls`` and ``function_call`` are restored. Names in texts and arguments stay."""
    message = {
        "content": f"I call {NEW}.",
        "tool_calls": [call("c", name, f'{{"tool": "{NEW}"}}')],
        "function_call": {"name": name, "arguments": "{}"},
    }
    answer = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}

    done, _ = normalize_answer(answer, fallback_id="x", created=1, model="m", names=ToolNameMap(BACK))

    said = done["choices"][0]["message"]
    assert said["tool_calls"][0]["function"] == {"name": NAMES[name], "arguments": f'{{"tool": "{NEW}"}}'}
    assert said["function_call"]["name"] == NAMES[name]
    assert said["content"] == f"I call {NEW}."


def test_a_signature_is_kept_under_the_clients_name() -> None:
    """A signature is kept under the client's name of the tool, which the client sends back."""
    extra = {"google": {"thought_signature": "c2lnbmF0dXJl"}}
    whole = [{**call("c", NEW), "extra_content": extra}]
    answer = {"choices": [{"index": 0, "message": {"tool_calls": whole}, "finish_reason": "stop"}]}
    piece = {"index": 0, **whole[0]}

    _, findings = normalize_answer(answer, fallback_id="x", created=1, model="m", names=ToolNameMap(BACK))
    normalizer = normalizer_of(BACK)
    normalizer.normalize(
        {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": "stop"}]}
    )

    assert [one.name for one in findings.signed] == [OLD]
    assert [one.name for one in normalizer.findings.signed] == [OLD]


@pytest.mark.parametrize("back", [{}, {"f_1": "f.1"}], ids=["passed on", "held back"])
def test_two_equal_calls_are_two_calls(back: dict[str, str]) -> None:
    """Two calls of one tool without arguments are two calls, since their ids differ."""
    calls = [{"index": at, "id": f"c{at}", "function": {"name": "f", "arguments": ""}} for at in range(2)]

    assert joined([{"tool_calls": calls}], back) == [("f", "{}"), ("f", "{}")]
