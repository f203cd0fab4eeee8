"""Give each call exactly one result, directly behind its turn, in call order."""

from __future__ import annotations

import functools
import json

from sanitizers.changes import Change
from sanitizers.merging import SEPARATOR, join_contents
from sanitizers.messages import Entries, Entry, Message, function_of, parse_arguments, tool_calls_of
from sanitizers.profiles import Profile
from sanitizers.synthetic import MISSING_RESULT

NAME = "pairing"


def pair_calls_with_results(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Move late results up, sort results into call order, synthesize missing ones.

    Invariant: an assistant message with calls is followed by one result per call, and by nothing else first.
    Results already complete behind their turn keep their order where the profile does not ask for one.

    Source: OpenAI "An assistant message with 'tool_calls' must be followed by tool messages responding to each
    'tool_call_id'" (dataline#172); Gemini "the number of function response parts is equal to the number of
    function call parts" (gemini-cli#4217 and many more); order: results are matched by position where ids are
    absent (kimi-cli#1582), so swapped results are wrong answers without an error.

    A synthesized result carries the call's id and says that no result was recorded. A call that ends the
    history gets one too, under the reason ``trailing_call``: a proxy sends now and cannot wait. When the real
    result comes with a later request it takes that place, and the provider's cached prefix moves once.

    Identical parallel calls become one where the wire has no ids, with the results of all: there, litellm drops
    the second of two equal calls but not its result. Returns *entries* itself when nothing was to do.
    """
    results = _results_by_call(entries)
    paired: list[Entry] = []
    changes: list[Change] = []
    last_turn = max((at for at, entry in enumerate(entries) if entry.message["role"] != "tool"), default=-1)
    for at, entry in enumerate(entries):
        role = entry.message["role"]
        if role == "tool":
            continue  # placed with its call
        paired.append(entry)
        calls = tool_calls_of(entry.message) if role == "assistant" else ()
        if not calls:
            continue
        own = [results.get((at, number)) for number in range(len(calls))]
        in_place = list(range(at + 1, at + 1 + len(calls)))
        order = own
        if not profile.ordered_results and sorted(o for o in own if o is not None) == in_place:
            order = list(in_place)
        for offset, (result_at, call) in enumerate(zip(order, calls, strict=True)):
            if result_at is None:
                reason = "trailing_call" if at == last_turn else "missing_result"
                paired.append(Entry(_synthesize_result(call), entry.origin))
                changes.append(Change(NAME, "inserted", entry.origin, reason, call["id"]))
                continue
            moved = entries[result_at]
            paired.append(moved)
            if result_at != in_place[offset]:
                late = any(e.message["role"] != "tool" for e in entries[at + 1 : result_at])
                reason = "late_result" if late else "result_order"
                if late or _out_of_order(order, offset):
                    changes.append(Change(NAME, "moved", moved.origin, reason, call["id"]))
        if not profile.call_ids and len(calls) > 1:
            changes.extend(_collapse_identical_calls(paired, len(calls)))
    return (tuple(paired), tuple(changes)) if changes else (entries, ())


def _results_by_call(entries: Entries) -> dict[tuple[int, int], int]:
    """Map each answered call, (position, number), to the position of its result. Ids mean the latest call."""
    latest: dict[str, tuple[int, int]] = {}
    results: dict[tuple[int, int], int] = {}
    for at, (message, _) in enumerate(entries):
        role = message["role"]
        if role == "assistant":
            for number, call in enumerate(tool_calls_of(message)):
                latest[call["id"]] = (at, number)
        elif role == "tool":
            results[latest[message["tool_call_id"]]] = at
    return results


def _out_of_order(order: list[int | None], offset: int) -> bool:
    """Tell whether the result at *offset* stood behind a result of a later call, or before one of an earlier."""
    own = order[offset]
    assert own is not None
    before = [at for at in order[:offset] if at is not None]
    after = [at for at in order[offset + 1 :] if at is not None]
    return any(at > own for at in before) or any(at < own for at in after)


def _synthesize_result(call: Message) -> Message:
    return {"role": "tool", "tool_call_id": call["id"], "content": MISSING_RESULT}


def _collapse_identical_calls(paired: list[Entry], count: int) -> list[Change]:
    """Join equal calls of the turn that ends *paired*, and their results, in place; return the changes."""
    turn_at = len(paired) - count - 1
    turn, results = paired[turn_at], paired[turn_at + 1 :]
    first_with: dict[str, int] = {}
    calls: list[Message] = []
    kept: list[Entry] = []
    changes: list[Change] = []
    for call, result in zip(tool_calls_of(turn.message), results, strict=True):
        function = function_of(call)
        key = json.dumps([function["name"], parse_arguments(function["arguments"])], sort_keys=True)
        at = first_with.setdefault(key, len(calls))
        if at == len(calls):
            calls.append(call)
            kept.append(result)
            continue
        kept[at] = Entry(_join_results(kept[at].message, result.message), kept[at].origin)
        changes.append(Change(NAME, "merged", result.origin, "identical_call", call["id"]))
    if changes:
        paired[turn_at:] = [Entry({**turn.message, "tool_calls": calls}, turn.origin), *kept]
    return changes


def _join_results(first: Message, second: Message) -> Message:
    contents = [m.get("content") for m in (first, second)]
    real = [content for content in contents if content != MISSING_RESULT]
    if len(real) < 2 or real[0] == real[1]:
        return {**first, "content": (real or contents)[0]}
    if not all(isinstance(content, str) for content in real):
        # litellm writes the text parts of a result one behind the other, with nothing between them.
        real.insert(1, [{"type": "text", "text": SEPARATOR}])
    return {**first, "content": functools.reduce(join_contents, real)}
