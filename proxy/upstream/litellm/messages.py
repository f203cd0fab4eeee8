"""The history as litellm is to see it: the same objects, but for fields that would make it do more than convert.

For OpenAI-compatible targets litellm passes messages on, so they go as they are. For Gemini it converts them,
and it reads more than OpenAI's format holds: ``provider_specific_fields`` can inject server-side tool calls,
``images`` makes it fetch, ``cache_control`` creates a cache entry upstream. The sanitizer removes and reports
those it knows; here, whatever a history may carry, only the fields that a conversion needs are passed. A signature goes
where litellm looks for it first, and ids go without the suffix in which it would look for one as well.
"""

from __future__ import annotations

import json
from typing import Any

from proxy.upstream.signature_carriers import own_signature
from sanitizers import Message, Messages, Profile
from sanitizers.messages import base_id, parse_arguments
from sanitizers.work_limit import metered

_MESSAGE_FIELDS = frozenset({"content", "name", "role", "tool_call_id", "tool_calls"})
_CALL_FIELDS = frozenset({"function", "id", "type"})


def litellm_messages(messages: Messages, profile: Profile) -> list[Message]:
    """Return *messages* as a list that litellm may take apart: it pops system messages off the list it is given.

    Message dicts are the same objects where nothing has to be left out. litellm writes into some of them (image
    parts), which is safe because a request's messages are parsed for that request alone.
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
    signature = own_signature(message)
    if signature is not None:
        known["provider_specific_fields"] = {"thought_signatures": [signature]}
    if calls:
        known["tool_calls"] = [_known_call(call) for call in calls]
    return known


def _carryable_result(message: Message) -> Message:
    """Return a result that litellm will not turn into a Struct that Gemini cannot be sent.

    litellm decodes a result that looks like a JSON object and sends the object, NaN and infinities included. One
    that is no clean object is wrapped the way litellm wraps plain text, so that the text arrives as it was.
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
    signature = own_signature(call)
    if signature is not None:
        known["provider_specific_fields"] = {"thought_signature": signature}
    return known
