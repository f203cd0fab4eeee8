"""Legal histories with one to six damages, each of a kind that real clients cause.

The kinds come from public reports: histories cut in the middle of an exchange, interrupted parallel calls, late or
doubled results, foreign ids, legacy forms. A damage takes the messages, a number that selects the position and one that
selects the variant. It returns the damaged list. A damage that finds nothing to change returns the list unchanged.
"""

import base64
import copy
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.support.builders import assistant, call, developer, image, system, text, tool, user, without
from tests.support.strategies.legal import History, legal_histories
from tests.support.strategies.texts import Numbers, numbers_after

Damage = Callable[[History, int, int, Numbers], History]

BAD_ARGUMENTS: tuple[Any, ...] = (
    "",
    None,
    "[1,2]",
    {"a": 1},
    '{"a":',
    '"x"',
    "NaN",
    "null",
    [1, 2],
    '{"a":1}}',
)
HOLLOW_CONTENTS: tuple[Any, ...] = (None, "", [], " ")
SIGNATURE_MARK = "__thought__"


@st.composite
def damaged_histories(
    draw: st.DrawFn, *, max_damages: int = 6, max_rounds: int = 4, parallel: int = 3, media: bool = True
) -> History:
    """Draw a legal history with one to `max_damages` damages. The result is never an empty list."""
    messages = copy.deepcopy(
        draw(
            legal_histories(
                max_rounds=max_rounds,
                parallel=parallel,
                allow_trailing_assistant=True,
                media=media,
                id_style="mixed",
                min_steps=1,
            )
        )
    )
    numbers = numbers_after(messages)
    plan = st.tuples(st.sampled_from(list(DAMAGES)), st.integers(0, 40), st.integers(0, 40))
    for name, place, variant in draw(st.lists(plan, min_size=1, max_size=max_damages)):
        messages = DAMAGES[name](messages, place, variant, numbers) or messages
    return messages


def _drop(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    at = place % len(messages)
    return messages[:at] + messages[at + 1 :]


def _duplicate(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    at = place % len(messages)
    return [*messages[: at + 1], copy.deepcopy(messages[at]), *messages[at + 1 :]]


def _move(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    at = place % len(messages)
    rest = messages[:at] + messages[at + 1 :]
    to = variant % (len(rest) + 1)
    return [*rest[:to], messages[at], *rest[to:]]


def _cut_head(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    return messages[place % len(messages) :]


def _cut_tail(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    return messages[: len(messages) - place % len(messages)]


def _swap(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    at = place % len(messages)
    return messages[:at] + messages[at : at + 2][::-1] + messages[at + 2 :]


def _split_calls(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    """Give each of several parallel calls an assistant message of its own."""
    found = [index for index, message in enumerate(messages) if len(_calls_of(message)) > 1]
    if not found:
        return messages
    at = found[place % len(found)]
    first, *others = messages[at]["tool_calls"]
    split = [{**messages[at], "tool_calls": [first]}, *(assistant(None, [entry]) for entry in others)]
    return messages[:at] + split + messages[at + 1 :]


def _orphan_result(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    return _insert(messages, place, tool(f"orphan{numbers.next()}", numbers.text(variant % 4)))


def _break_call_id(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    entry = _pick_call(messages, place)
    if entry is not None:
        _break_id(entry, "id", variant, [other["id"] for other in _all_calls(messages) if "id" in other])
    return messages


def _break_result_id(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    results = [message for message in messages if message["role"] == "tool"]
    if results:
        known = [message["tool_call_id"] for message in results if "tool_call_id" in message]
        _break_id(results[place % len(results)], "tool_call_id", variant, known)
    return messages


def _break_arguments(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    functions = [entry["function"] for entry in _all_calls(messages) if entry.get("function")]
    if functions:
        functions[place % len(functions)]["arguments"] = copy.deepcopy(
            BAD_ARGUMENTS[variant % len(BAD_ARGUMENTS)]
        )
    return messages


def _hollow(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    message = messages[place % len(messages)]
    kind = variant % (len(HOLLOW_CONTENTS) + 1)
    if kind == len(HOLLOW_CONTENTS):
        message.pop("content", None)
    else:
        message["content"] = copy.deepcopy(HOLLOW_CONTENTS[kind])
    return messages


def _insert_hollow(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    hollow = (
        assistant(""),
        user(""),
        assistant(None),
        user([]),
        without(assistant(), "content"),
        user([text("")]),
    )
    return _insert(messages, place, hollow[variant % len(hollow)])


def _insert_system(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    return _insert(messages, place, (system, developer)[variant % 2](numbers.text()))


def _to_legacy(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    """Rewrite a call as `function_call` and its result as role `function`. Some variants rewrite only one of both."""
    found = [message for message in messages if _calls_of(message) and _calls_of(message)[0].get("function")]
    if not found:
        return messages
    entry = found[place % len(found)]["tool_calls"][0]
    call_id, function = entry.get("id"), entry["function"]
    damaged = []
    for message in messages:
        if message is found[place % len(found)] and variant % 3 != 1:
            damaged.append({**without(message, "tool_calls"), "function_call": function})
        elif message["role"] == "tool" and message.get("tool_call_id") == call_id and variant % 3 != 2:
            legacy = {**without(message, "tool_call_id"), "role": "function"}
            damaged.append({**legacy, "name": function.get("name")})
        else:
            damaged.append(message)
    return damaged


def _odd_result(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    odd: tuple[Any, ...] = ({"answer": numbers.next()}, 7, [image()], 1.5, True, [{"rows": []}], ["plain"])
    results = [message for message in messages if message["role"] == "tool"]
    if results:
        results[place % len(results)]["content"] = odd[variant % len(odd)]
    return messages


def _no_calls(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    spoken = [message for message in messages if message["role"] == "assistant"]
    if spoken:
        spoken[place % len(spoken)]["tool_calls"] = ([], None)[variant % 2]
    return messages


def _nameless(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    entry = _pick_call(messages, place)
    if entry is None:
        return messages
    if variant % 4 == 0:
        entry.pop("function", None)
    else:
        entry["function"] = {"name": ("", None, "no such/name")[variant % 4 - 1], "arguments": "{}"}
    return messages


def _same_call_twice(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    """Repeat a call in its message, with the same id or a new one, and in most variants with one more result."""
    found = [index for index, message in enumerate(messages) if _calls_of(message)]
    if not found:
        return messages
    at = found[place % len(found)]
    entry = copy.deepcopy(messages[at]["tool_calls"][-1])
    if variant % 3:
        entry["id"] = f"c{numbers.next():08d}"
    messages[at]["tool_calls"] = [*messages[at]["tool_calls"], entry]
    result = [tool(entry.get("id"), numbers.text())] if variant % 3 != 2 else []
    return messages[: at + 1] + result + messages[at + 1 :]


def _long_id(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    """Make a call's id longer than 40 characters, on the call and on its result."""
    entry = _pick_call(messages, place)
    if entry is None or not isinstance(entry.get("id"), str):
        return messages
    old, new = entry["id"], entry["id"] + "_" + "x" * (40 + variant)
    for other in _all_calls(messages):
        if other.get("id") == old:
            other["id"] = new
    for message in messages:
        if message["role"] == "tool" and message.get("tool_call_id") == old:
            message["tool_call_id"] = new
    return messages


def _signed_id(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    """Append litellm's signature suffix to the id of a call, but not to the id of its result."""
    entry = _pick_call(messages, place)
    if entry is not None and isinstance(entry.get("id"), str):
        signature = base64.b64encode(bytes(range(variant + 1))).decode()
        entry["id"] = f"{entry['id']}{SIGNATURE_MARK}{signature}"
    return messages


def _dangling_call(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    dangling = assistant(None, [call(f"c{numbers.next():08d}") for _ in range(1 + variant % 2)])
    return _insert(messages, place, dangling)


def _misplaced_calls(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    """Add a call, with or without an id, or a legacy call to a message of another role than `assistant`."""
    others = [message for message in messages if message["role"] != "assistant"]
    if not others:
        return messages
    entry = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    fields = (
        {"function_call": entry["function"]},
        {"tool_calls": [entry]},
        {"tool_calls": [{"id": "c9", **entry}]},
    )
    others[place % len(others)].update(copy.deepcopy(fields[variant % 3]))
    return messages


def _both_forms(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    """Add the legacy form of a call to its message, or turn a result into a legacy result."""
    entry = _pick_call(messages, place)
    results = [message for message in messages if message["role"] == "tool"]
    if variant % 2 and results:
        result = results[place % len(results)]
        result["role"] = "function"
        if variant % 3:
            result["name"] = "f"
    elif entry is not None:
        for message in messages:
            if entry in _calls_of(message):
                message["function_call"] = copy.deepcopy(entry.get("function"))
    return messages


def _break_type(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    """Take the type from a call, or replace it. One variant makes it a call of a custom tool without a type."""
    entry = _pick_call(messages, place)
    if entry is None:
        return messages
    if variant % 4 < 2:
        entry["type"] = (None, "tool")[variant % 4]
        return messages
    entry.pop("type", None)
    if variant % 4 == 3 and entry.get("function"):
        function = entry.pop("function")
        entry["custom"] = {"name": function.get("name"), "input": function.get("arguments")}
    return messages


def _unknown_field(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    """Add a field that SDKs and streams leave on a call, on its function, on a message or on a result."""
    entry = _pick_call(messages, place)
    results = [message for message in messages if message["role"] == "tool"]
    kind = variant % 4
    if kind == 0 and entry is not None:
        entry["index"] = variant
    elif kind == 1 and entry is not None and entry.get("function"):
        entry["function"]["parsed_arguments"] = None
    elif kind == 2 and results:
        results[place % len(results)]["name"] = ""
    else:
        messages[place % len(messages)]["name"] = "bob"
    return messages


def _refusal_part(messages: History, place: int, variant: int, numbers: Numbers) -> History:
    """Make the content of a message a list of parts, the last of which is a refusal."""
    message = messages[place % len(messages)]
    if isinstance(message.get("content"), str):
        refusal = {"type": "refusal", "refusal": (numbers.text(), "", None)[variant % 3]}
        message["content"] = [text(message["content"]), refusal]
    return messages


DAMAGES: dict[str, Damage] = {
    "drop": _drop,
    "duplicate": _duplicate,
    "move": _move,
    "cut_head": _cut_head,
    "cut_tail": _cut_tail,
    "swap": _swap,
    "split_calls": _split_calls,
    "orphan_result": _orphan_result,
    "dangling_call": _dangling_call,
    "break_call_id": _break_call_id,
    "break_result_id": _break_result_id,
    "break_arguments": _break_arguments,
    "hollow": _hollow,
    "insert_hollow": _insert_hollow,
    "insert_system": _insert_system,
    "to_legacy": _to_legacy,
    "odd_result": _odd_result,
    "no_calls": _no_calls,
    "nameless": _nameless,
    "same_call_twice": _same_call_twice,
    "long_id": _long_id,
    "signed_id": _signed_id,
    "misplaced_calls": _misplaced_calls,
    "both_forms": _both_forms,
    "break_type": _break_type,
    "unknown_field": _unknown_field,
    "refusal_part": _refusal_part,
}


def _insert(messages: History, place: int, message: dict[str, Any]) -> History:
    at = place % (len(messages) + 1)
    return [*messages[:at], message, *messages[at:]]


def _break_id(holder: dict[str, Any], key: str, variant: int, known: list[Any]) -> None:
    kind = variant % 4
    if kind == 0:
        holder.pop(key, None)
    elif kind < 3:
        holder[key] = (None, "")[kind - 1]
    elif known:
        holder[key] = known[variant // 4 % len(known)]


def _calls_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    return message.get("tool_calls") or []


def _all_calls(messages: History) -> list[dict[str, Any]]:
    return [entry for message in messages for entry in _calls_of(message)]


def _pick_call(messages: History, place: int) -> dict[str, Any] | None:
    calls = _all_calls(messages)
    return calls[place % len(calls)] if calls else None
