"""The rules that Gemini has for one content, and for the order of contents.

The rules are those of the strictest model, except where the profile says that its models accept more. ``nothing_said``
is our own rule, not Gemini's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sanitizers.native.gemini.parts import (
    Part,
    data_of,
    is_call,
    is_sealed,
    is_thought,
    parts_of,
    signature_of,
    text_at,
    unknown_data,
)
from sanitizers.native.protocol import Item, Items, ItemViolation
from sanitizers.profiles import Profile
from sanitizers.work_limit import metered

RULES = MappingProxyType(
    {
        "args_not_an_object": "Invalid value at 'function_call.args' (google.protobuf.Struct) [AstrBot#7134]",
        "call_id_repeated": "Request contains an invalid argument. [9router#4273: shared ids]",
        "data_missing": "required oneof field 'data' must have one initialized field [CLIProxyAPI#1292]",
        "data_repeated": "oneof field 'data' is already set [google.protobuf, JSON mapping]",
        "empty_text": "it has an empty text parameter [zuisong/gemini-openai-proxy#83]",
        "first_not_user": "Please ensure that function call turn comes immediately after a user turn or after a "
        "function response turn. [gemini-cli#11814]",
        "misplaced_call": "Request contains an invalid argument. [a call that is not the model's]",
        "misplaced_response": "Request contains an invalid argument. [a response that is the model's]",
        "mixed_responses": "Requests ending with a model turn are not supported. [dive#287, kimi-code#3274]",
        "model_last": "Requests ending with a model turn are not supported. [LibreChat agents#323]",
        "model_run": "Please ensure that function call turn comes immediately after a user turn or after a function "
        "response turn. [pi#471]",
        "name_missing": "Name cannot be empty. [langflow#9437]",
        "nested_media": "Request contains an invalid argument. [maximhq/bifrost#4202]",
        "no_contents": "contents is not specified [langchain-google#1393]",
        "nothing_said": "thoughts alone are no turn [our rule: a chat message without them says nothing]",
        "parts_missing": "contents.parts must not be empty. [vercel/ai#3775]",
        "response_count": "Please ensure that the number of function response parts is equal to the number of function "
        "call parts of the function call turn. [gemini-cli#4217]",
        "response_mismatch": "functionResponse.id does not match functionCall.id [CLIProxyAPI#5199]",
        "response_not_an_object": "Invalid value at 'function_response.response' (google.protobuf.Struct) "
        "[AstrBot#7216]",
        "response_orphaned": "Please ensure that function response turn comes immediately after a function call turn. "
        "[langchain#27799]",
        "sealed_signature": "Invalid thought signature. [our rule: what turnright sealed is for turnright]",
        "unknown_role": "Please use a valid role: user, model. [openagent#1666, genkit#5780]",
        "user_run": "Please ensure that multiturn requests alternate between user and model. "
        "[zuisong/gemini-openai-proxy#83]",
    }
)
"""The rules by their slugs, most of them with Gemini's words and the source."""

_FUNCTION_DATA = frozenset({"functionCall", "functionResponse"})


class Turn(NamedTuple):
    """One content for the rules about the order: its side (model or user), and its calls and responses."""

    is_model: bool
    calls: Sequence[Part]
    responses: Sequence[Part]


def find_content_violations(native: Items, profile: Profile) -> tuple[ItemViolation, ...]:
    """Return the rules of :data:`RULES` that *native* breaks, each with its item's index, in the order of items.

    Each rule is reported once for an item. An empty list breaks ``no_contents`` at 0.
    """
    if not native:
        return (ItemViolation("no_contents", 0),)
    alone = len(native) == 1
    turns: list[Turn] = []
    found: list[list[str]] = []
    for index, content in enumerate(metered(native)):
        parts = parts_of(content, index)
        turns.append(_turn(content, parts))
        found.append([*find_content_faults(content, parts, profile, alone=alone)])
    for rule, index in _order_faults(turns, profile):
        found[index].append(rule)
    return tuple(
        ItemViolation(rule, index) for index, rules in enumerate(found) for rule in dict.fromkeys(rules)
    )


def find_content_faults(
    content: Item, parts: Sequence[Part], profile: Profile, *, alone: bool
) -> Iterator[str]:
    """Yield each rule that *content* breaks by itself. *alone* says that the list has no other content.

    A content that breaks a rule is written anew even where its messages are unchanged.
    """
    role = content.get("role")
    if role not in ("user", "model") and not (alone and not role):
        yield "unknown_role"
    if not isinstance(content.get("parts"), list) or not parts:
        yield "parts_missing"
        return
    kinds = set()
    says_something = False
    for part in metered(parts):
        data = data_of(part)
        kinds.add(data.kind)
        if is_sealed(part):
            yield "sealed_signature"
        if not data.kind:
            if unknown_data(part) is not None:
                says_something = True
            else:
                yield "data_missing"
        elif data.several:
            yield "data_repeated"
        elif data.kind == "text":
            if not data.value and not signature_of(part):
                yield "empty_text"
            says_something = says_something or bool(data.value and not is_thought(part))
        else:
            says_something = says_something or data.kind in _FUNCTION_DATA or not is_thought(part)
        if data.kind in _FUNCTION_DATA:
            yield from _function_faults(data.kind, data.value, profile)
    if "functionCall" in kinds and role != "model":
        yield "misplaced_call"
    if "functionResponse" in kinds:
        if role == "model":
            yield "misplaced_response"
        if len(kinds) > 1:
            yield "mixed_responses"
    if not says_something:
        yield "nothing_said"


def find_turn_faults(contents: Items, index: int, profile: Profile, *, alone: bool) -> Sequence[str]:
    """Return the rules that *contents*, which are one turn from *index* on, break by themselves, each once.

    google-genai sends each chunk of a streamed answer back as a content. Most models take such a turn without
    calls, where any of its contents says something.
    """
    faults: list[str] = []
    silent = 0
    for at, content in enumerate(metered(contents), index):
        parts = parts_of(content, at)
        found = [*find_content_faults(content, parts, profile, alone=alone)]
        silent += "nothing_said" in found
        faults += found
        if len(contents) > 1 and _refuses_run(profile, has_calls=any(map(is_call, metered(parts)))):
            faults.insert(0, "model_run")
    gone = {"nothing_said"} if silent < len(contents) else set()
    return [rule for rule in dict.fromkeys(faults) if rule not in gone]


def _function_faults(kind: str, value: Any, profile: Profile) -> Iterator[str]:
    given = value if isinstance(value, dict) else {}
    if not text_at(given, "name"):
        yield "name_missing"
    if kind == "functionCall":
        if "args" in given and not isinstance(given["args"], dict):
            yield "args_not_an_object"
        return
    if not isinstance(given.get("response"), dict):
        yield "response_not_an_object"
    if given.get("parts") and not profile.result_types:
        yield "nested_media"


def _turn(content: Item, parts: Sequence[Part]) -> Turn:
    calls: list[Part] = []
    responses: list[Part] = []
    for part in metered(parts):
        data = data_of(part)
        if data.kind in _FUNCTION_DATA:
            value = data.value if isinstance(data.value, dict) else {}
            (calls if data.kind == "functionCall" else responses).append(value)
    return Turn(content.get("role") == "model", calls, responses)


def _order_faults(turns: Sequence[Turn], profile: Profile) -> Iterator[tuple[str, int]]:
    """Yield each broken rule about the order of contents and the responses to calls, with the content's index."""
    before: Turn | None = None
    for index, turn in enumerate(metered(turns)):
        if before is None and turn.is_model and profile.user_first:
            yield "first_not_user", index
        is_run = before is not None and before.is_model and turn.is_model
        has_calls = bool(turn.calls or (before and before.calls))
        if is_run and _refuses_run(profile, has_calls=has_calls):
            yield "model_run", index
        if before is not None and not profile.user_runs and _is_plain_user(before) and _is_plain_user(turn):
            yield "user_run", index
        if turn.responses and not (before and before.calls):
            yield "response_orphaned", index
        if before and before.calls:
            if len(before.calls) != len(turn.responses):
                yield "response_count", index - 1
            elif not _answers(turn.responses, before.calls):
                yield "response_mismatch", index
        if turn.calls and _has_repeated_ids(turn.calls):
            yield "call_id_repeated", index
        before = turn
    if before is not None and before.calls:
        yield "response_count", len(turns) - 1
    if before is not None and before.is_model and (not profile.model_last or len(turns) == 1):
        yield "model_last", len(turns) - 1


def _refuses_run(profile: Profile, *, has_calls: bool) -> bool:
    """Tell whether contents of the model in a row are refused. Only the oldest models refuse them without calls."""
    return not profile.assistant_runs and (has_calls or not profile.user_runs)


def _is_plain_user(turn: Turn) -> bool:
    return not turn.is_model and not turn.calls and not turn.responses


def _has_repeated_ids(calls: Sequence[Part]) -> bool:
    ids = [call_id for call in calls if (call_id := text_at(call, "id"))]
    return len(set(ids)) < len(ids)


def _answers(responses: Sequence[Part], calls: Sequence[Part]) -> bool:
    """Tell whether *responses* answer *calls*, by ids where all calls have ids, else by position."""
    wanted = [(text_at(call, "id"), text_at(call, "name")) for call in calls]
    given = [(text_at(response, "id"), text_at(response, "name")) for response in responses]
    if all(call_id for call_id, _ in wanted):
        return sorted(wanted) == sorted(given)
    return wanted == given
