"""The checker's rules about one message: its content, its calls, its names and its fields.

:mod:`sanitizers.turn_violations` checks the order of the messages.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from sanitizers.media.reading import may_stand_in_result
from sanitizers.media.violations import media_violations
from sanitizers.messages import (
    CALL_FIELDS,
    FUNCTION_FIELDS,
    MEDIA_FREE_ROLES,
    MEDIA_PARTS,
    RESULT_ROLES,
    Message,
    arguments_key,
    base_id,
    function_of,
    is_custom,
    is_part_list,
    parse_arguments,
)
from sanitizers.profiles import Profile

ID_FORMS = MappingProxyType(
    {
        "any": re.compile(r"(?s).*"),
        "nine": re.compile(r"[a-zA-Z0-9]{9}"),
        "token": re.compile(r"[a-zA-Z0-9_-]+"),
    }
)
"""The pattern of a call id, by the value of :attr:`Profile.call_id_form`."""

_CALL_FIELDS = frozenset({"provider_specific_fields"})  # on a call it carries the thought signature


def find_message_violations(message: Message, profile: Profile) -> Iterator[str]:
    """Yield each rule of :data:`sanitizers.invariants.RULES` that one validated *message* breaks by itself."""
    role = message["role"]
    content = message.get("content")
    calls = message.get("tool_calls")
    if isinstance(content, str):
        if role in RESULT_ROLES:
            if not profile.blank_results and (not content or content.isspace()):
                yield "blank_result"
        elif not content and not profile.empty_texts:
            if not calls or profile.null_content or role != "assistant":
                yield "empty_text"
        elif content.isspace() and not profile.blank_texts:
            yield "blank_text"
    elif content is None:
        if not (role == "assistant" and (calls or _speaks_otherwise(message, profile))):
            yield "empty_content"
    elif isinstance(content, list):
        if role in RESULT_ROLES and not is_part_list(content):
            yield "refused_part"
        elif content:
            yield from _part_violations(content, role, profile)
            if role in RESULT_ROLES and not profile.blank_results and not any(map(_says_something, content)):
                yield "blank_result"
        else:
            yield "empty_content"
    else:
        yield "refused_part"
    if role in RESULT_ROLES and is_misnamed(message, profile):
        yield "tool_name_illegal"
    if not profile.empty_names and has_empty_name(message, profile):
        yield "result_name_empty"
    function_call = message.get("function_call")
    if role != "assistant" and (calls is not None or function_call is not None):
        yield "misplaced_calls"
        return
    if calls is not None:
        yield from _call_violations(calls, profile)
    if function_call is not None and is_misnamed(function_call, profile):
        yield "tool_name_illegal"
    if (role == "function" or function_call is not None) and not profile.legacy_calls:
        yield "legacy_function"
    elif function_call is not None and not isinstance(function_call.get("arguments"), str):
        yield "arguments_not_a_string"
    elif role == "function" and not message.get("name"):
        yield "result_name_missing"
    if not has_known_fields(message, profile):
        yield "unknown_field"
    if profile.refused_fields:
        for name in message.keys() & profile.refused_fields:
            if message[name] is not None:
                yield "refused_field"
    if profile.named_roles is not None and has_refused_name(message, profile):
        yield "refused_field"
    if (
        profile.signed_thoughts
        and "thinking_blocks" in message
        and not are_signed(message["thinking_blocks"])
    ):
        yield "thought_unsigned"


_SEALS = MappingProxyType({"redacted_thinking": "data", "thinking": "signature"})
"""The field of each kind of thought that its model reads."""


def are_signed(blocks: Any) -> bool:
    """Tell whether *blocks* is a list of thoughts with their seals, and of places of texts and calls."""
    if not isinstance(blocks, list):
        return False
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind in ("text", "tool_use"):
            continue
        seal = block.get(_SEALS[kind]) if isinstance(kind, str) and kind in _SEALS else None
        if not isinstance(seal, str) or not seal:
            return False
        if kind == "thinking" and not isinstance(block.get("thinking"), str):
            return False
    return True


def is_misnamed(holder: dict[str, Any], profile: Profile) -> bool:
    """Tell whether a call or result has a tool name that the provider refuses. A missing name is not refused here."""
    name, rule = holder.get("name"), profile.tool_names
    return name not in (None, "") and (len(name) > rule.max_length or not _fits(name, rule.pattern))


def has_empty_name(message: Message, profile: Profile) -> bool:
    """Tell whether *message* is a tool result with an empty name, where the provider refuses such a name."""
    return not profile.empty_names and message["role"] == "tool" and message.get("name") == ""


def has_refused_name(message: Message, profile: Profile) -> bool:
    """Tell whether *message* has a name, where the provider refuses names of its role."""
    roles = profile.named_roles
    return roles is not None and message.get("name") is not None and message["role"] not in roles


@lru_cache(maxsize=4096)
def _fits(name: str, pattern: str) -> bool:
    return re.fullmatch(pattern, name) is not None


def _speaks_otherwise(message: Message, profile: Profile) -> bool:
    """Tell whether an assistant message without content has a refusal, audio or a function call instead."""
    return profile.openai_forms and any(
        message.get(name) is not None for name in ("refusal", "audio", "function_call")
    )


def has_known_fields(message: Message, profile: Profile) -> bool:
    """Tell whether the provider accepts or ignores every field of *message*."""
    if profile.only_fields is None:
        return True
    further = message.keys() - profile.only_fields
    return not further or (message["role"] == "tool" and profile.result_fields.issuperset(further))


def _says_something(part: dict[str, Any]) -> bool:
    return part["type"] != "text" or bool((part.get("text") or "").strip())


def _part_violations(parts: list[dict[str, Any]], role: str, profile: Profile) -> Iterator[str]:
    for part in parts:
        kind = part["type"]
        if kind == "text":
            text = part.get("text")
            if text is None or (text == "" and not profile.empty_texts and role not in RESULT_ROLES):
                yield "empty_text"
            elif not profile.blank_texts and (text == "" or text.isspace()):
                yield "blank_text"
        elif kind in profile.refused_parts or (kind == "refusal" and role != "assistant"):
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
    if len(calls) > 1 and not (profile.call_ids or profile.contents):
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
            if not ID_FORMS[profile.call_id_form].fullmatch(call_id):
                yield "call_id_illegal"
            if "__thought__" in call_id and profile.signs_calls:
                yield from _signature_violations(call_id)
        if not profile.refused_fields.isdisjoint(call):
            yield from ("refused_field" for name in call if name in profile.refused_fields - _CALL_FIELDS)
        if "custom" in call and is_custom(call):
            yield from _custom_violations(call, profile)
            continue
        function = function_of(call)
        if not function.get("name"):
            yield "call_unreadable"
            continue
        if call.get("type") != "function":
            yield "call_type"
        if profile.bare_calls and not (call.keys() <= CALL_FIELDS and function.keys() <= FUNCTION_FIELDS):
            yield "unknown_field"
        if is_misnamed(function, profile):
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


def _custom_violations(call: dict[str, Any], profile: Profile) -> Iterator[str]:
    custom = call["custom"]
    if not profile.custom_calls:
        yield "custom_call"
    elif call.get("type") != "custom":
        yield "call_type"
    if not custom.get("name"):
        yield "call_unreadable"
    elif is_misnamed(custom, profile):
        yield "tool_name_illegal"
    if not isinstance(custom.get("input"), str):
        yield "arguments_not_a_string"


def _signature_violations(call_id: str) -> Iterator[str]:
    signature = call_id.partition("__thought__")[2]
    try:
        base64.b64decode(signature.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        yield "signature_unreadable"
    else:
        if not signature:
            yield "signature_unreadable"
