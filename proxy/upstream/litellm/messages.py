"""Prepares a history for litellm, and for Gemini leaves out fields that make litellm do more than convert.

litellm passes messages on to OpenAI-compatible providers as they are, so nothing is removed from these messages. For
Gemini litellm converts the messages, and reads fields outside OpenAI's format. ``provider_specific_fields`` can add
server-side tool calls. ``images`` makes litellm fetch images, and ``cache_control`` creates a cache entry at the
provider. The sanitizer removes and reports the fields that it knows. This module passes only the fields that a
conversion needs.

A thought signature goes into the field that litellm reads first. litellm also reads the suffix of an id, so ids are
sent without their suffix.
"""

from __future__ import annotations

import json
from typing import Any

from proxy.upstream.signature_carriers import canonical_signature
from sanitizers import Message, Messages, Profile
from sanitizers.messages import base_id, parse_arguments
from sanitizers.work_limit import metered

_MESSAGE_FIELDS = frozenset({"content", "name", "role", "tool_call_id", "tool_calls"})
_CALL_FIELDS = frozenset({"function", "id", "type"})


def litellm_messages(messages: Messages, profile: Profile) -> list[Message]:
    """Return *messages* as a new list, since litellm removes system messages from the list that it gets.

    A message stays the same object unless it must change or has tool calls. litellm writes into image parts, which is
    safe because each request's messages are parsed for that request alone.
    """
    if not profile.name.startswith("gemini"):
        return list(messages)
    return [_known_fields(message) for message in metered(messages)]


def _known_fields(message: Message) -> Message:
    calls = message.get("tool_calls")
    if message["role"] == "tool":
        message = _carryable_result(message)
    result_of = message.get("tool_call_id")
    stays = not isinstance(result_of, str) or base_id(result_of) == result_of
    if message.keys() <= _MESSAGE_FIELDS and not calls and stays:
        return message
    known = {name: value for name, value in message.items() if name in _MESSAGE_FIELDS}
    if not stays:
        known["tool_call_id"] = base_id(str(result_of))
    signature = canonical_signature(message)
    if signature is not None:
        known["provider_specific_fields"] = {"thought_signatures": [signature]}
    if calls:
        known["tool_calls"] = [_known_call(call) for call in calls]
    return known


def _carryable_result(message: Message) -> Message:
    """Return a tool result that litellm will not turn into an object that Gemini refuses.

    litellm decodes a result that looks like a JSON object and sends the object, NaN and infinities included. A text
    that is no valid object is wrapped as litellm wraps plain text. So the text arrives unchanged.
    """
    content = message.get("content")
    if isinstance(content, list) and all(part.get("type") == "text" for part in content):
        content = "".join(part["text"] for part in content)  # as litellm joins them
    if (
        not isinstance(content, str)
        or not content.lstrip().startswith("{")
        or parse_arguments(content) is not None
    ):
        return message
    return {**message, "content": json.dumps({"content": content}, ensure_ascii=False)}


def _known_call(call: dict[str, Any]) -> dict[str, Any]:
    known = {name: value for name, value in call.items() if name in _CALL_FIELDS}
    if isinstance(call_id := call.get("id"), str):
        known["id"] = base_id(call_id)
    signature = canonical_signature(call)
    if signature is not None:
        known["provider_specific_fields"] = {"thought_signature": signature}
    return known
