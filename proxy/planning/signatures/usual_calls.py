"""Finds and removes the signatures of messages in their usual form, whose fields need not be looked for one by one.

Nearly all messages with signatures have it: calls with ids, and a signature in the field of Google's OpenAI endpoint.
"""

from __future__ import annotations

from collections.abc import Iterable

from proxy.planning.signatures.client_ids import tag_in
from proxy.state.kept_signatures import text_key
from proxy.upstream.signature_carriers import is_signature
from sanitizers import Message
from sanitizers.messages import base_id
from sanitizers.work_limit import metered

_SIGNATURE = "extra_content"
_FUNCTION = frozenset({"arguments", "name"})
_UNSIGNED, _SIGNED = 3, 4
"""The fields of a usual call without a signature, and with one."""


def is_usual(message: Message) -> bool:
    """Tell whether *message* has calls, with signatures in that field or without, and is not signed elsewhere."""
    calls = message.get("tool_calls")
    if message.get("role") != "assistant":
        return False
    if calls.__class__ is not list or not calls or len(message) != 2 + ("content" in message):
        return False
    for call in calls:
        call_id, function, fields = call.get("id"), call.get("function"), len(call)
        if call_id.__class__ is not str or not call_id or "type" not in call:
            return False
        if "_" in call_id and base_id(call_id) != call_id:
            return False
        if function.__class__ is not dict or len(function) != 2 or not function.keys() >= _FUNCTION:
            return False
        if fields == _SIGNED:
            extra = call.get(_SIGNATURE)
            google = extra.get("google") if extra.__class__ is dict and len(extra) == 1 else None
            if google.__class__ is not dict or len(google) != 1:
                return False
            if google.get("thought_signature").__class__ is not str:
                return False
        elif fields != _UNSIGNED:
            return False
    return True


def usual_keys(message: Message) -> list[str]:
    """Return the keys under which the store may hold signatures for *message*, a usual one."""
    calls = message["tool_calls"]
    keys = [call["id"] for call in calls]
    for call in calls:
        if len(call) == _SIGNED and tag_in(call["id"]) is None:
            keys.append(text_key(call[_SIGNATURE]["google"]["thought_signature"]))
    return keys


def all_carried(signed: Iterable[tuple[str, str]], tag: str) -> bool:
    """Tell whether all signatures stay where none is stored. *signed* has the id and the signature of each call.

    They stay where each is readable, and its call was made elsewhere or under the *tag* of the origin.
    """
    return all(
        is_signature(signature) and tag_in(call_id) in (None, tag) for call_id, signature in metered(signed)
    )


def without_usual_signatures(message: Message) -> Message:
    """Return *message*, a usual one, without its signatures. It is the same object where it has none."""
    calls = message["tool_calls"]
    if all(len(call) == _UNSIGNED for call in calls):
        return message
    bare = [
        call if len(call) == _UNSIGNED else {name: call[name] for name in call if name != _SIGNATURE}
        for call in calls
    ]
    return {**message, "tool_calls": bare}
