"""Give each call exactly one result, directly after the assistant message with the call."""

from __future__ import annotations

from typing import Any

from sanitizers.changes import Change
from sanitizers.merging import SEPARATOR, join_contents
from sanitizers.messages import (
    Entries,
    Entry,
    MarkedEntries,
    Message,
    arguments_key,
    function_of,
    open_places,
    parse_arguments,
    tool_calls_of,
)
from sanitizers.profiles import Profile
from sanitizers.synthetic import MISSING_RESULT

NAME = "pairing"


def pair_calls_with_results(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Move late results up, sort results into call order, and synthesize missing ones.

    Invariant: an assistant message with calls is directly followed by one result for each call. A complete set of
    results directly after its calls keeps its order, unless the profile requires call order.

    Source: OpenAI "An assistant message with 'tool_calls' must be followed by tool messages responding to each
    'tool_call_id'" (dataline#172). Gemini "the number of function response parts is equal to the number of function
    call parts" (gemini-cli#4217 and others). Some providers match results by position where ids are absent
    (kimi-cli#1582). There, swapped results are wrong answers without an error.

    A synthesized result carries the call's id and says that no result was recorded. An unanswered call at the history's
    end gets such a result too, since a proxy cannot wait. The change's reason is then ``trailing_call``. In a later
    request, the real result replaces the synthesized one, and the provider's cached prefix is lost once.

    Where the provider's API has no call ids, identical parallel calls become one call with the results of all. litellm
    would drop the second of two equal calls there, but not its result.

    Returns *entries* itself when nothing was changed.
    """
    open_at = open_places(entries)
    results = _results_by_call(entries, open_at)
    paired: list[Entry] = []
    changes: list[Change] = []
    done = 0
    for at in open_at:
        paired += entries[done:at]  # rounds that are whole
        done = at + 1
        entry = entries[at]
        role = entry.message["role"]
        if role == "tool":
            continue  # placed with its call
        calls = tool_calls_of(entry.message) if role == "assistant" else []
        if not calls:
            paired.append(entry)
            continue
        order = [results.get((at, number)) for number in range(len(calls))]
        in_place = [*range(at + 1, at + 1 + len(calls))]
        if order == in_place or (
            not profile.ordered_results and sorted(o for o in order if o is not None) == in_place
        ):
            own, made = list(entries[at + 1 : at + 1 + len(calls)]), list[Change]()
        else:
            own, made = _place_results(entries, at, order)
        if len(calls) > 1 and not (profile.call_ids or profile.contents):
            entry, own, made = _collapse_identical_calls(entry, own, made)
        paired += [entry, *own]
        changes += made
    paired += entries[done:]
    return (MarkedEntries(paired), tuple(changes)) if changes else (entries, ())


def _place_results(entries: Entries, at: int, order: list[int | None]) -> tuple[list[Entry], list[Change]]:
    """Return the results of the calls in the message at index *at*, in call order, and the changes.

    *order* holds the results' positions, with None for a missing result.
    """
    turn = entries[at]
    next_turn = at + 1
    while next_turn < len(entries) and entries[next_turn].message["role"] == "tool":
        next_turn += 1
    trailing = next_turn == len(entries)
    misplaced = _misplaced(order)
    placed: list[Entry] = []
    changes: list[Change] = []
    for offset, (result_at, call) in enumerate(zip(order, tool_calls_of(turn.message), strict=True)):
        if result_at is None:
            reason = "trailing_call" if trailing else "missing_result"
            placed.append(Entry(_synthesize_result(call), turn.origin))
            changes.append(Change(NAME, "inserted", turn.origin, reason, call["id"]))
            continue
        moved = entries[result_at]
        placed.append(moved)
        if result_at > next_turn:
            changes.append(Change(NAME, "moved", moved.origin, "late_result", call["id"]))
        elif offset in misplaced:
            changes.append(Change(NAME, "moved", moved.origin, "result_order", call["id"]))
    return placed, changes


def _results_by_call(entries: Entries, places: list[int]) -> dict[tuple[int, int], int]:
    """Map each answered call of the messages at *places* to its result's position.

    A key is (message position, call number). Where several calls share an id, a result belongs to the latest such call
    before the result.
    """
    latest: dict[str, tuple[int, int]] = {}
    results: dict[tuple[int, int], int] = {}
    for at in places:
        message = entries[at].message
        role = message["role"]
        if role == "assistant":
            for number, call in enumerate(tool_calls_of(message)):
                latest[call["id"]] = (at, number)
        elif role == "tool":
            results[latest[message["tool_call_id"]]] = at
    return results


def _misplaced(order: list[int | None]) -> set[int]:
    """Return the offsets of the calls whose result is not in call order relative to another call's result."""
    found: set[int] = set()
    if len(order) < 2:
        return found
    highest = -1
    for offset, at in enumerate(order):
        if at is not None:
            if at < highest:
                found.add(offset)
            highest = max(highest, at)
    lowest = len(order) + max((at for at in order if at is not None), default=0)
    for offset in range(len(order) - 1, -1, -1):
        at = order[offset]
        if at is not None:
            if at > lowest:
                found.add(offset)
            lowest = min(lowest, at)
    return found


def _synthesize_result(call: Message) -> Message:
    return {"role": "tool", "tool_call_id": call["id"], "content": MISSING_RESULT}


def _collapse_identical_calls(
    turn: Entry, results: list[Entry], changes: list[Change]
) -> tuple[Entry, list[Entry], list[Change]]:
    """Join equal calls of one turn, and their results. A synthesized result that a join removes is not reported."""
    names = [function_of(call)["name"] for call in tool_calls_of(turn.message)]
    if len(set(names)) == len(names):  # most parallel calls are of different tools
        return turn, results, changes
    place: dict[tuple[str, bytes], int] = {}
    calls: list[Message] = []
    groups: list[list[Entry]] = []
    merged: list[Change] = []
    for call, result in zip(tool_calls_of(turn.message), results, strict=True):
        function = function_of(call)
        arguments = function["arguments"]
        key = (function["name"], arguments_key(parse_arguments(arguments), arguments))
        at = place.setdefault(key, len(calls))
        if at == len(calls):
            calls.append(call)
            groups.append([result])
        else:
            groups[at].append(result)
            merged.append(Change(NAME, "merged", result.origin, "identical_call", call["id"]))
    if not merged:
        return turn, results, changes
    joined = [_join_results(group) for group in groups]
    synthesized = {e.message["tool_call_id"] for e in joined if e.message["content"] == MISSING_RESULT}
    told = [c for c in changes if c.kind != "inserted" or c.detail in synthesized]
    return Entry({**turn.message, "tool_calls": calls}, turn.origin), joined, told + merged


def _join_results(group: list[Entry]) -> Entry:
    """Return one result with the contents of all results in *group*.

    Synthesized contents are left out where a recorded one exists.
    """
    first = group[0]
    said: list[Any] = []
    for entry in group:
        content = entry.message.get("content")
        if content != MISSING_RESULT and content not in said[-1:] and content not in said[:1]:
            said.append(content)
    if not said:
        return first
    if len(said) > 1 and not all(isinstance(content, str) for content in said):
        # litellm writes the text parts of a result one behind the other, with nothing between them.
        gap = [{"type": "text", "text": SEPARATOR}]
        said = [piece for content in said for piece in (gap, content)][1:]
    return Entry({**first.message, "content": join_contents(said)}, first.origin)
