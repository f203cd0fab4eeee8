"""The checker: the rules that a history breaks, in the providers' own words.

It has three uses. It proves that the steps' result is legal, it is all that ``observe`` mode does, and it is the oracle
of the property-based tests. So it shares only accessors with the steps. It reads a history once, front to back, as a
provider does.

OpenAI's chat format carries the history. A rule of Gemini's wire format is therefore expressed for the messages that
the Gemini request is made from.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from sanitizers.media.reading import may_stand_in_result
from sanitizers.media.violations import media_violations
from sanitizers.messages import (
    MEDIA_FREE_ROLES,
    MEDIA_PARTS,
    RESULT_ROLES,
    Message,
    Messages,
    are_objects,
    arguments_key,
    base_id,
    function_of,
    is_part_list,
    is_plain,
    parse_arguments,
)
from sanitizers.name_rules import NameRule
from sanitizers.outline import PLAIN_FIELDS, RESULT_FIELDS, TURN_FIELDS, Outline
from sanitizers.profiles import Profile
from sanitizers.turn_order import is_in_order, order_of
from sanitizers.turn_violations import find_turn_violations
from sanitizers.work_limit import metered

RULES = MappingProxyType(
    {
        "arguments_not_an_object": "Invalid value at 'function_call.args' (google.protobuf.Struct) [AstrBot#7134]",
        "arguments_not_a_string": "arguments must be a string [OpenAI chat completions reference]",
        "call_after_model_turn": "Please ensure that function call turn comes immediately after a user turn or "
        "after a function response turn. [gemini-cli#11814]",
        "call_id_illegal": "String should match pattern '^[a-zA-Z0-9_-]+$' [langchain#37756]; must be a-z, A-Z, 0-9, "
        "with a length of 9 [gptel#1203]",
        "call_id_missing": "tool_calls[].id is required [OpenAI chat completions reference]",
        "call_id_repeated": "tool_use ids must be unique [9router#4273]",
        "call_id_too_long": "string too long. Expected a string with maximum length 40 [vercel/ai#5171]",
        "blank_result": "The text field in the ContentBlock object is blank. [from memory]",
        "blank_text": "text content blocks must contain non-whitespace text [from memory]",
        "call_unreadable": "tool_calls[].function.name is required [OpenAI chat completions reference]",
        "custom_call": "only function calls can be carried [Gemini: Part.functionCall]",
        "developer_role": "Input should be 'system', 'user', 'assistant' or 'tool' [litellm#9327]",
        "duplicate_result": "Please ensure that the number of function response parts is equal to the number of "
        "function call parts of the function call turn. [ag-ui#1334]",
        "empty_content": "contents.parts must not be empty. [vercel/ai#3775]",
        "empty_text": "it has an empty text parameter. Add a value to the parameter and try again. "
        "[zuisong/gemini-openai-proxy#83]",
        "empty_tool_calls": "[] is too short - 'tool_calls' [OpenAI chat completions]",
        "first_turn_not_user": "Please ensure that function call turn comes immediately after a user turn or "
        "after a function response turn. [gemini-cli#11814]",
        "identical_call": "Please ensure that the number of function response parts is equal to the number of "
        "function call parts of the function call turn. [litellm drops the second of two equal calls]",
        "legacy_function": "role 'function' and 'function_call' have no place on this wire",
        "media_in_result": "Image URLs are only allowed for messages with role 'user' [OpenAI API]",
        "media_mistyped": "The image was specified using the image/png media type, but the image appears to be a "
        "image/jpeg image [Anthropic API]",
        "media_type": "Unsupported MIME type: image/jpg [crush#995]",
        "media_unreadable": "Provided image is not valid [pollinations#4157]",
        "misplaced_calls": "only assistant messages make calls [OpenAI chat completions reference]",
        "many_systems": "After the optional system message, conversation roles must alternate user/assistant/"
        "user/assistant/... [llama_index#11731]",
        "missing_result": "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. [dataline#172]",
        "no_turn": "GenerateContentRequest.contents: contents is not specified [langchain-google#1393]",
        "orphaned_result": "messages with role 'tool' must be a response to a preceeding message with "
        "'tool_calls'. [autogen#3178]",
        "reasoning_missing": "The `reasoning_content` in the thinking mode must be passed back to the API. "
        "[hermes#15353]",
        "refused_field": "Unknown name: Cannot find field. [ai.nvim#13]",
        "refused_part": "this part cannot be carried in this role",
        "remote_media": "media must come as data: URLs; nothing is fetched for this provider",
        "result_name_missing": "Missing parameter 'name': messages with role 'function' must have a 'name'. "
        "[OpenAI API]",
        "result_order": "results are matched by position where ids are absent [kimi-cli#1582]",
        "same_role_neighbours": "Please ensure that multiturn requests alternate between user and model. "
        "[one-api#836]",
        "signature_unreadable": "Base64 decoding failed for thought_signature [ruby_llm#521]",
        "system_after_start": "Please use a valid role: user, model. [one-api#1385]",
        "system_unsupported": "System role not supported [from memory]",
        "text_beside_calls": "Conversation blocks and tool use blocks cannot be provided in the same turn. "
        "[quarkus-langchain4j#1983]",
        "trailing_space": "messages: final assistant content cannot end with trailing whitespace [from memory]",
        "tool_name_illegal": "Invalid function name. Must start with a letter or an underscore. [gemini-cli#2966]",
        "trailing_model_turn": "Requests ending with a model turn are not supported. [LibreChat agents#323]",
        "unknown_field": "Extra inputs are not permitted [Mistral, 422]",
        "user_after_result": "Unexpected role 'user' after role 'tool' [datapizza#98]",
    }
)
"""Every rule, with a provider's words and where they were reported."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule: *rule* is a key of :data:`RULES`, *index* the message that breaks it."""

    rule: str
    index: int

    @property
    def words(self) -> str:
        """The provider's error text for this rule, with its source."""
        return RULES[self.rule]

    def as_dict(self) -> dict[str, Any]:
        """Return the violation as JSON-ready values."""
        return {"rule": self.rule, "index": self.index, "words": self.words}


def find_violations(
    messages: Messages,
    profile: Profile,
    *,
    places: Iterable[int] | None = None,
    outline: Outline | None = None,
) -> tuple[Violation, ...]:
    """Return every rule of *profile* that *messages* break, in reading order. The result is empty when they are legal.

    *messages* must have passed :func:`sanitizers.validation.validate_messages`. *places* are the only messages that may
    break a rule by themselves, where the caller knows that of the others. The order of the turns is always checked for
    all messages. With the *outline* of *messages*, all plain messages and their order are checked at once.
    """
    if outline is not None and not outline.describes(messages):
        outline = None
    if outline is None or "?" in outline.order:
        ordered = is_in_order(*order_of(messages), profile)
    else:
        ordered = is_in_order(outline.order, outline.call_ids, outline.result_ids, profile)
    found: list[tuple[int, str]] = []  # the index first, so that sorting gives the reading order
    if not ordered:
        found = [(index, rule) for rule, index in find_turn_violations(messages, profile)]
    if outline is not None and _plain_ones_pass(outline, profile):
        places = sorted({*outline.odd, *outline.blank, *outline.twins})
    elif places is None:
        places = range(len(messages))
    for index in places and metered(places):  # most histories have none
        message = messages[index]
        if _has_known_fields(message, profile) and is_plain(message, profile.refused_fields):
            if "name" in message and message["role"] == "tool" and _is_misnamed(message, profile):
                found.append((index, "tool_name_illegal"))
        else:
            found += [(index, rule) for rule in _message_violations(message, profile)]
    return tuple(Violation(rule, index) for index, rule in sorted(set(found))) if found else ()


def _plain_ones_pass(outline: Outline, profile: Profile) -> bool:
    """Tell whether no plain message breaks a rule by itself. Blank messages and twins are not checked here.

    A rule about one id, name or arguments text is checked once, on the joined ids, the set of names and all arguments.
    """
    if outline.marked or not _takes_plain_fields(profile):
        return False
    ids, longest = outline.call_ids, profile.max_call_id_length
    return not outline.names or (
        (longest is None or len(max(ids, key=len, default="")) <= longest)
        and _have_form(ids, profile.call_id_form)
        and _are_legal(outline.names, profile.tool_names)
        and (not profile.object_arguments or are_objects(outline.arguments))
    )


@lru_cache(maxsize=64)
def _takes_plain_fields(profile: Profile) -> bool:
    only = profile.only_fields
    return profile.refused_fields.isdisjoint(PLAIN_FIELDS) and (
        only is None or (only >= TURN_FIELDS and only | profile.result_fields >= RESULT_FIELDS)
    )


def _have_form(ids: Sequence[str], form: str) -> bool:
    if form == "token":
        return not ids or _SPELLINGS[form].fullmatch("".join(ids)) is not None
    return form == "any" or all(map(_SPELLINGS[form].fullmatch, ids))


def _are_legal(names: Collection[str], rule: NameRule) -> bool:
    listed = "\n".join(names)
    return (
        len(max(names, key=len)) <= rule.max_length
        and listed.count("\n") == len(names) - 1
        and _list_of(rule.pattern).fullmatch(listed) is not None
    )


@lru_cache(maxsize=16)
def _list_of(pattern: str) -> re.Pattern[str]:
    """Return a pattern for a list of names, one on each line. *pattern* matches one name and contains no line break."""
    return re.compile(rf"(?:{pattern})(?:\n(?:{pattern}))*")


def _message_violations(message: Message, profile: Profile) -> Iterator[str]:
    """Yield each rule that one message breaks by itself."""
    role = message["role"]
    content = message.get("content")
    calls = message.get("tool_calls")
    if isinstance(content, str):
        if role == "tool":
            if not profile.blank_results and (not content or content.isspace()):
                yield "blank_result"
        elif not content and not profile.empty_texts:
            yield "empty_text"
        elif content.isspace() and not profile.blank_texts:
            yield "blank_text"
    elif content is None:
        if not (role == "assistant" and (calls or _speaks_otherwise(message, profile))):
            yield "empty_content"
    elif isinstance(content, list):
        if role in ("tool", "function") and not is_part_list(content):
            yield "refused_part"
        elif content:
            yield from _part_violations(content, role, profile)
            if role == "tool" and not profile.blank_results and not any(map(_says_something, content)):
                yield "blank_result"
        else:
            yield "empty_content"
    else:
        yield "refused_part"
    if role in RESULT_ROLES and _is_misnamed(message, profile):
        yield "tool_name_illegal"
    function_call = message.get("function_call")
    if role != "assistant" and (calls is not None or function_call is not None):
        yield "misplaced_calls"
        return
    if calls is not None:
        yield from _call_violations(calls, profile)
    if function_call is not None and _is_misnamed(function_call, profile):
        yield "tool_name_illegal"
    if not profile.openai_forms and (role == "function" or function_call is not None):
        yield "legacy_function"
    elif function_call is not None and not isinstance(function_call.get("arguments"), str):
        yield "arguments_not_a_string"
    elif role == "function" and not message.get("name"):
        yield "result_name_missing"
    if not _has_known_fields(message, profile):
        yield "unknown_field"
    if profile.refused_fields:
        for name in message.keys() & profile.refused_fields:
            if message[name] is not None:
                yield "refused_field"


def _is_misnamed(holder: dict[str, Any], profile: Profile) -> bool:
    """Tell whether a call or result has a tool name that the provider refuses. A missing name is not refused here."""
    name, rule = holder.get("name"), profile.tool_names
    return name not in (None, "") and (len(name) > rule.max_length or not _fits(name, rule.pattern))


@lru_cache(maxsize=4096)
def _fits(name: str, pattern: str) -> bool:
    return re.fullmatch(pattern, name) is not None


def _speaks_otherwise(message: Message, profile: Profile) -> bool:
    """Tell whether an assistant message without content has a refusal, audio or a function call instead."""
    return profile.openai_forms and any(
        message.get(name) is not None for name in ("refusal", "audio", "function_call")
    )


def _has_known_fields(message: Message, profile: Profile) -> bool:
    if profile.only_fields is None:
        return True
    further = message.keys() - profile.only_fields
    return not further or (message["role"] == "tool" and profile.result_fields.issuperset(further))


def _says_something(part: dict[str, Any]) -> bool:
    return part["type"] != "text" or bool((part.get("text") or "").strip())


_SPELLINGS = MappingProxyType(
    {
        "any": re.compile(r"(?s).*"),
        "nine": re.compile(r"[a-zA-Z0-9]{9}"),
        "token": re.compile(r"[a-zA-Z0-9_-]+"),
    }
)


def _part_violations(parts: list[dict[str, Any]], role: str, profile: Profile) -> Iterator[str]:
    for part in parts:
        kind = part["type"]
        if kind == "text":
            text = part.get("text")
            if text is None or (text == "" and not profile.empty_texts and role != "tool"):
                yield "empty_text"
            elif not profile.blank_texts and (text == "" or text.isspace()):
                yield "blank_text"
        elif kind in profile.refused_parts:
            yield "refused_part"
        elif kind in MEDIA_PARTS:
            if role in RESULT_ROLES:
                if not may_stand_in_result(part, profile):
                    yield "media_in_result"
            elif role in MEDIA_FREE_ROLES:
                yield "refused_part"
            yield from media_violations(part, profile)
        if profile.refused_fields and not profile.refused_fields.isdisjoint(part):
            yield "refused_field"


def _call_violations(calls: list[dict[str, Any]], profile: Profile) -> Iterator[str]:
    if not calls:
        yield "empty_tool_calls"
    ids: set[str] = set()
    same: set[tuple[str, bytes]] | None = None
    if not profile.call_ids and len(calls) > 1:
        names = [function_of(call).get("name") for call in calls]
        if len(set(names)) < len(names):  # most parallel calls are of different tools
            same = set()
    for call in calls:
        call_id = call.get("id")
        if not call_id:
            yield "call_id_missing"
        elif (known_as := base_id(call_id) if profile.signs_calls else call_id) in ids:
            yield "call_id_repeated"
        else:
            ids.add(known_as)
            if profile.max_call_id_length is not None and len(call_id) > profile.max_call_id_length:
                yield "call_id_too_long"
            if not _SPELLINGS[profile.call_id_form].fullmatch(call_id):
                yield "call_id_illegal"
            if "__thought__" in call_id and profile.signs_calls:
                yield from _signature_violations(call_id)
        if not profile.refused_fields.isdisjoint(call):
            yield from ("refused_field" for name in call if name in profile.refused_fields - _CALL_FIELDS)
        if call.get("type") == "custom" or (call.get("custom") and not call.get("function")):
            if not profile.custom_calls:
                yield "custom_call"
            if _is_misnamed(call.get("custom") or {}, profile):
                yield "tool_name_illegal"
            continue
        function = function_of(call)
        if not function.get("name"):
            yield "call_unreadable"
            continue
        if _is_misnamed(function, profile):
            yield "tool_name_illegal"
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            yield "arguments_not_a_string"
        elif profile.object_arguments:
            value = parse_arguments(arguments)
            if value is None:
                yield "arguments_not_an_object"
            elif same is not None:
                key = (function["name"], arguments_key(value, arguments))
                if key in same:
                    yield "identical_call"
                same.add(key)


_CALL_FIELDS = frozenset({"provider_specific_fields"})  # on a call it carries the thought signature


def _signature_violations(call_id: str) -> Iterator[str]:
    signature = call_id.partition("__thought__")[2]
    try:
        base64.b64decode(signature.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        yield "signature_unreadable"
    else:
        if not signature:
            yield "signature_unreadable"
