"""Builders of hostile bodies with tool calls and their results."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sanitizers.synthetic import DerivedIds
from tests.support.builders import PNG_URL, assistant, call, legacy_call, legacy_result, tool, user
from tests.support.hostile_bodies.making import DEEP, Body, Builder, chat, many, one_turn, turns


def _reversed_results(size: int) -> Body:
    calls = many(size // 2, lambda at: call(f"c{at}"))
    return chat([user("go"), assistant(None, calls), *(tool(one["id"]) for one in reversed(calls))])


def _results_at_the_end(size: int) -> Body:
    """Return many turns with a call each, whose results all come after the last turn."""
    turns = many(size // 2, lambda at: assistant(None, [call(f"c{at}")]))
    results = [tool(f"c{at}") for at in range(len(turns))]
    return chat([user("go"), *turns, user("on"), *results])


def _results(size: int, content: str) -> Body:
    return turns(size, lambda at: [assistant(None, [call(f"c{at}")]), tool(f"c{at}", content)])


def _results_by_base(size: int) -> Body:
    """Return calls with signed ids, and results whose ids lack the signature at the end."""
    calls = many(size // 2, lambda at: call(f"c{at}__thought__QUJD"))
    return chat([user("go"), assistant(None, calls), *(tool(f"c{at}") for at in range(len(calls)))])


def _ids_that_others_would_get(size: int) -> Body:
    """Return calls that have all ids which would be derived for one more call with a long illegal id."""
    original = "a b" * (size // 9)
    taken: set[str] = set()
    derived = DerivedIds(taken)
    wanted = many(size * 2 // 3, lambda at: call(derived.derive(0, 0, original)))
    return chat([user("go"), assistant(None, [*wanted, call(original)])])


def _turns_of_many_calls(size: int) -> Body:
    """Return the same turn of many calls and their results three times."""
    calls = many(size // 6, lambda at: call(f"call_{at}", "f", "{}"))
    results = [tool(one["id"], "the same") for one in calls]
    return chat([user("go"), *[assistant(None, calls), *results] * 3])


CALLS: Mapping[str, Builder] = {
    "identical_illegal_ids": lambda size: one_turn(size, lambda at: call("not an id!")),
    "identical_illegal_ids_with_results": lambda size: one_turn(size, lambda at: call("no!"), answered=True),
    "identical_illegal_ids_in_many_turns": lambda size: turns(
        size, lambda at: [assistant(None, [call("not an id!")]), tool("not an id!")]
    ),
    "identical_long_ids": lambda size: one_turn(size, lambda at: call("x" * 80)),
    "identical_legal_ids": lambda size: one_turn(size, lambda at: call("call1")),
    "identical_legal_ids_in_many_turns": lambda size: turns(
        size, lambda at: [assistant(None, [call("call1")]), tool("call1")]
    ),
    "many_illegal_ids": lambda size: one_turn(size, lambda at: call(f"not an id {at}!")),
    "ids_that_others_would_get": _ids_that_others_would_get,
    "missing_ids": lambda size: one_turn(size, lambda at: call("")),
    "calls_in_one_turn": lambda size: one_turn(size, lambda at: call(f"c{at}"), answered=True),
    "calls_without_results": lambda size: one_turn(size, lambda at: call(f"c{at}", f"f{at}")),
    "calls_that_differ": lambda size: one_turn(
        size, lambda at: call(f"c{at}", "f", json.dumps({"a": at})), answered=True
    ),
    "calls_without_a_name": lambda size: one_turn(size, lambda at: call(f"c{at}", "")),
    "custom_calls": lambda size: one_turn(
        size, lambda at: {"id": f"c{at}", "type": "custom", "custom": {"name": "f", "input": "x"}}
    ),
    "calls_with_signatures": lambda size: one_turn(size, lambda at: call(f"c{at}__thought__QUJD")),
    "calls_with_unreadable_signatures": lambda size: one_turn(size, lambda at: call(f"c{at}__thought__!")),
    "unclosed_arguments": lambda size: one_turn(size, lambda at: call(f"c{at}", "f", '{"a": [{"b": "c')),
    "long_unclosed_arguments": lambda size: one_turn(
        9, lambda at: call(f"c{at}", "f", '{"a":[' * (size // 9))
    ),
    "arguments_of_quotes": lambda size: one_turn(9, lambda at: call(f"c{at}", "f", '"' * (size // 3))),
    "arguments_of_backslashes": lambda size: one_turn(
        9, lambda at: call(f"c{at}", "f", '"' + "\\" * (size // 3))
    ),
    "arguments_encoded_again": lambda size: one_turn(
        9, lambda at: call(f"c{at}", "f", json.dumps(json.dumps({"a": "x" * size})))
    ),
    "deep_arguments": lambda size: one_turn(
        size, lambda at: call(f"c{at}", "f", '{"a":' * DEEP + "1" + "}" * DEEP)
    ),
    "arguments_of_a_wrong_type": lambda size: one_turn(size, lambda at: call(f"c{at}", "f", {"a": at})),
}

RESULTS: Mapping[str, Builder] = {
    "orphans": lambda size: turns(size, lambda at: [tool(f"gone{at}")]),
    "orphans_between_turns": lambda size: turns(size, lambda at: [user("a"), tool(f"gone{at}")]),
    "orphans_without_ids": lambda size: turns(size, lambda at: [tool(None, name=f"f{at}")]),
    "orphans_behind_calls": lambda size: turns(
        size, lambda at: [assistant(None, [call(f"c{at}")]), tool(f"gone{at}"), user("on")]
    ),
    "duplicate_results": lambda size: chat(
        [user("go"), assistant(None, [call("c1")]), *many(size, lambda at: tool("c1", f"r{at}"))]
    ),
    "reversed_results": _reversed_results,
    "late_results": _results_at_the_end,
    "results_without_ids": lambda size: turns(
        size, lambda at: [assistant(None, [call(f"c{at}", f"f{at}")]), tool("", name=f"f{at}")]
    ),
    "results_apart_from_their_calls": lambda size: turns(
        size, lambda at: [assistant(None, [call(f"c{at}")]), user("wait"), tool(f"c{at}")]
    ),
    "results_without_signatures": _results_by_base,
    "results_of_parts": lambda size: chat(
        [
            user("go"),
            assistant(None, [call("c1")]),
            tool("c1", many(size, lambda at: {"type": "text", "text": "x"})),
        ]
    ),
    "results_with_media": lambda size: turns(
        size,
        lambda at: [
            assistant(None, [call(f"c{at}")]),
            tool(f"c{at}", [{"type": "image_url", "image_url": {"url": PNG_URL}}]),
        ],
    ),
    "media_in_one_result": lambda size: chat(
        [
            user("go"),
            assistant(None, [call("c1")]),
            tool("c1", many(size, lambda at: {"type": "image_url", "image_url": {"url": PNG_URL}})),
        ]
    ),
    "small_media_in_one_result": lambda size: chat(
        [
            user("go"),
            assistant(None, [call("c1")]),
            tool(
                "c1", many(size, lambda at: {"type": "image_url", "image_url": {"url": "https://a.invalid"}})
            ),
        ]
    ),
    "legacy_calls": lambda size: turns(size, lambda at: [legacy_call(f"f{at}"), legacy_result(f"f{at}")]),
    "legacy_results_alone": lambda size: turns(size, lambda at: [legacy_result(f"f{at}")]),
    "legacy_results_of_one_call": lambda size: turns(size, lambda at: [legacy_result("f")]),
    "blank_results": lambda size: _results(size, " "),
    "failed_results": lambda size: _results(size, "Error: it failed"),
}

LOOPS: Mapping[str, Builder] = {
    "turns_of_many_calls": _turns_of_many_calls,
    "repeated_calls": lambda size: turns(
        size, lambda at: [assistant(None, [call(f"c{at}", "f", '{"a": 1}')]), tool(f"c{at}", "same")]
    ),
    "cycles_of_calls": lambda size: turns(
        size, lambda at: [assistant(None, [call(f"c{at}", f"f{at % 97}", "{}")]), tool(f"c{at}", "same")]
    ),
    "calls_that_never_repeat": lambda size: turns(
        size, lambda at: [assistant(None, [call(f"c{at}", "f", f'{{"a": {at}}}')]), tool(f"c{at}", f"r{at}")]
    ),
    "carried_results": lambda size: turns(
        size, lambda at: [assistant("I look."), user("[read_file for 'a'] Result:\nError: no such file")]
    ),
    "notices_of_the_guard": lambda size: turns(size, lambda at: [user("[turnright: go on]"), assistant("a")]),
}
