"""Normalize the content of one message: remove empty texts, and parts and fields that the provider refuses."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from sanitizers.changes import MessageChange
from sanitizers.errors import Unrepairable
from sanitizers.messages import MEDIA_FREE_ROLES, MEDIA_PARTS, RESULT_ROLES, Message, is_blank, is_part_list
from sanitizers.profiles import Profile
from sanitizers.synthetic import EMPTY_RESULT


class _Holder(NamedTuple):
    """The message that holds a list of parts: its role and index, the profile, and the list of changes."""

    role: str
    message_index: int
    profile: Profile
    changes: list[MessageChange]


def normalize_content(
    message: Message, index: int, profile: Profile, changes: list[MessageChange]
) -> Message | None:
    """Return *message* with a content that can be sent, or None when it holds nothing at all.

    Returns *message* itself when its content can be sent as it is. A tool result is never dropped here: an empty result
    is an answer ("the command printed nothing"). Whitespace counts as text unless the profile refuses blank texts.
    OpenAI and Gemini accept whitespace, and models write it before calls.

    Raises :class:`Unrepairable` for a user's part that this provider cannot accept.
    """
    refusal = message.get("refusal")  # its words stay, whatever becomes of the field
    message = _drop_refused_fields(message, profile, changes)
    role = message["role"]
    if role in RESULT_ROLES:
        return _normalize_result(message, profile, changes, index)
    content = message.get("content")
    shaped: Any = content
    if isinstance(content, list):
        shaped = _normalize_parts(content, _Holder(role, index, profile, changes))
    if isinstance(shaped, str) and not profile.blank_texts and shaped.isspace():
        shaped = ""
    if shaped == []:
        shaped = None
        if content == [] and role == "assistant":
            changes.append(MessageChange("replaced", "empty_content"))
    if is_blank(shaped):
        return _without_content(message, shaped, refusal, profile, changes)
    return message if shaped is content else {**message, "content": shaped}


def _without_content(
    message: Message, content: Any, refusal: Any, profile: Profile, changes: list[MessageChange]
) -> Message | None:
    """Return a message with blank content, except a result, as it can be sent, or None where it holds nothing.

    *refusal* is the refusal that the client sent.
    """
    role = message["role"]
    if role == "assistant":
        calls = message.get("tool_calls")
        if calls and not profile.null_content:
            blank = message.get("content")
            return message if blank in (None, "") else {**message, "content": ""}
        if calls or (profile.openai_forms and _speaks_otherwise(message)):
            if content is None or (content == "" and profile.empty_texts):
                return message if message.get("content") is content else {**message, "content": content}
            changes.append(MessageChange("dropped", "empty_text"))
            return {**message, "content": None}
        is_said = isinstance(refusal, str) and refusal and (profile.blank_texts or not refusal.isspace())
        if is_said and not profile.openai_forms:
            changes.append(MessageChange("replaced", "refusal_as_text"))
            return {**message, "content": refusal}
    if content == "" and profile.empty_texts and message.get("content") == "":
        return message
    return None


def _speaks_otherwise(message: Message) -> bool:
    """Tell whether an assistant's message has a field of OpenAI's format that stands for a content."""
    return any(message.get(name) is not None for name in ("refusal", "audio", "function_call"))


def _normalize_result(
    message: Message, profile: Profile, changes: list[MessageChange], index: int
) -> Message:
    content = message.get("content")
    shaped: Any
    if is_blank(content):
        shaped = ""
    elif isinstance(content, list) and is_part_list(content):
        shaped = _normalize_parts(content, _Holder("tool", index, profile, changes)) or ""
    elif isinstance(content, str):
        shaped = content
    else:
        shaped = json.dumps(content, ensure_ascii=False)
    if not profile.blank_results and _says_nothing(shaped):
        changes.append(MessageChange("replaced", "blank_result"))
        return {**message, "content": EMPTY_RESULT}
    if shaped is content or (shaped == "" and content == ""):
        return message
    if not isinstance(shaped, list):
        changes.append(MessageChange("replaced", "result_content"))
    return {**message, "content": shaped}


def _says_nothing(content: Any) -> bool:
    """Tell whether a result's content holds neither media nor a text with more than whitespace."""
    if isinstance(content, str):
        return not content.strip()
    return all(part["type"] == "text" and not (part.get("text") or "").strip() for part in content)


def _normalize_parts(parts: list[dict[str, Any]], holder: _Holder) -> list[dict[str, Any]]:
    """Return the parts that can be sent, or *parts* itself when all of them can."""
    kept: list[dict[str, Any]] = []
    for at, part in enumerate(parts):
        shaped = _normalize_part(part, f"content[{at}]", holder)
        if shaped is not None:
            kept.append(shaped)
    if len(kept) == len(parts) and all(new is old for new, old in zip(kept, parts, strict=True)):
        return parts
    return kept


def _normalize_part(part: dict[str, Any], place: str, holder: _Holder) -> dict[str, Any] | None:
    role, index, profile, changes = holder
    kind = part["type"]
    refused = sorted(part.keys() & profile.refused_fields)
    for name in refused:
        changes.append(MessageChange("dropped", "refused_field", f"{place}.{name}"))
    if refused:
        part = {name: value for name, value in part.items() if name not in profile.refused_fields}
    if kind == "refusal" and (kind in profile.refused_parts or role != "assistant"):
        changes.append(MessageChange("replaced", "refusal_as_text", place))
        kind, part = "text", {"type": "text", "text": part.get("refusal")}
    if kind == "text":
        text = part.get("text")
        is_blank_text = text == "" and not profile.empty_texts and role != "tool"
        if text is None or is_blank_text or (not profile.blank_texts and not text.strip()):
            changes.append(MessageChange("dropped", "empty_text", place))
            return None
        return part
    media_refused = kind in MEDIA_PARTS and role in MEDIA_FREE_ROLES
    if media_refused or (kind in profile.refused_parts and role != "user"):
        changes.append(MessageChange("dropped", "refused_part", f"{place}:{kind}"))
        return None
    if kind in profile.refused_parts:
        raise Unrepairable(
            f"'messages[{index}].{place}' is of type '{kind}', which this model cannot be given.",
            rule="refused_part",
            param=f"messages[{index}].{place}.type",
            index=index,
        )
    return part


def _drop_refused_fields(message: Message, profile: Profile, changes: list[MessageChange]) -> Message:
    if not profile.empty_names and message["role"] == "tool" and message.get("name") == "":
        changes.append(MessageChange("dropped", "empty_name", "name"))
        message = {name: value for name, value in message.items() if name != "name"}
    known = profile.fields_for(message["role"])
    unknown = set() if known is None else message.keys() - known
    if not unknown and profile.refused_fields.isdisjoint(message):
        return message
    unwanted = unknown | (message.keys() & profile.refused_fields)
    refused = sorted(name for name in unwanted if message[name] is not None or name in unknown)
    if not refused:
        return message
    for name in refused:
        changes.append(MessageChange("dropped", "refused_field", name))
    gone = frozenset(refused)  # a message may have any number of fields
    return {name: value for name, value in message.items() if name not in gone}
