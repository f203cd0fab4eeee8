"""Puts signatures back on the calls of a history, for the model that made them.

For each call, the first row that holds decides about the signature:

    stored under its id       made here, for this very call             restored
                              made elsewhere, or for another call       withheld
    proxy's id, not stored    made here, and the client brought one     carried
                              made elsewhere                            withheld
    any other id              the client's is known from elsewhere      withheld
                              the client brought another one            carried: its origin is unknown
                                                                        until it is refused

A text's signature is carried only where the client sends the signature, and the store has it under the same origin.
Gemini never requires a text's signature, and refuses one of another origin. Where a required signature is withheld, a
stand-in replaces it (:mod:`proxy.planning.signatures.stand_ins`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from proxy.core.json_text import write_json
from proxy.planning.signatures.client_ids import tag_in
from proxy.planning.signatures.origins import tag_of
from proxy.planning.signatures.usual_calls import (
    all_carried,
    is_usual,
    usual_keys,
    without_usual_signatures,
)
from proxy.state.kept_signatures import StoredSignature, text_key
from proxy.upstream.signature_carriers import (
    CALL_SIGNATURE_FIELDS,
    MESSAGE_SIGNATURE_FIELDS,
    call_signatures,
    encrypted_details,
    has_only_openai_fields,
    is_of_gemini,
    is_signature,
    text_signatures,
    with_signature,
)
from sanitizers import Message, Messages
from sanitizers.messages import base_id, function_of, tool_calls_of
from sanitizers.outline import Outline
from sanitizers.work_limit import metered

RESTORED = "restored"
CARRIED = "carried"
WITHHELD = "withheld"


def signature_keys(messages: Messages, outline: Outline | None = None) -> list[str]:
    """Return the keys under which the store may hold signatures for *messages*.

    An *outline* of other messages is ignored.
    """
    indexes = _indexes_to_check(messages, outline)
    keys = [*outline.call_ids] if outline is not None and len(indexes) < len(messages) else []
    are_some_twice = bool(keys) and outline is not None and bool(outline.signed)  # the ids of signed calls
    for at in indexes and metered(indexes):
        message = messages[at]
        if is_usual(message):
            keys += usual_keys(message)
        elif message["role"] == "assistant":
            keys += [base_id(call_id) for call in tool_calls_of(message) if (call_id := _id_of(call))]
            keys += [text_key(signature) for signature in text_signatures(message)]
            details = encrypted_details(message)
            keys += [
                text_key(signature)
                for call in tool_calls_of(message)
                if tag_in(base_id(_id_of(call) or "")) is None
                for signature in call_signatures(call, details)
            ]
    return [*dict.fromkeys(keys)] if are_some_twice else keys


def restore_signatures(
    messages: Messages, kept: Mapping[str, StoredSignature], origin: str, outline: Outline | None = None
) -> tuple[Messages, defaultdict[str, int]]:
    """Return *messages* with the signatures that *origin* made or may have made, and counts by outcome.

    The result holds each signature in one field only. Signatures that are not sent are removed from every field.
    Without changes, the same objects are returned. An *outline* of other messages is ignored.
    """
    counts: defaultdict[str, int] = defaultdict(int)
    indexes = _indexes_to_check(messages, outline)
    if outline is not None and len(indexes) < len(messages):
        if not kept.keys().isdisjoint(outline.call_ids):
            indexes = range(len(messages))
        elif not kept and outline.signed and all_carried(outline.signatures, tag_of(origin)):
            counts[CARRIED] = len(outline.signatures)
            indexes = outline.odd

    def restore(message: Message) -> Message:
        return _restore_message(message, kept, origin, counts) if message["role"] == "assistant" else message

    return _replace_at(messages, indexes, restore), counts


def remove_signatures(
    messages: Messages, outline: Outline | None = None
) -> tuple[Messages, defaultdict[str, int]]:
    """Return *messages* for a model without signatures: no call or text carries one.

    Such a model has no field for a foreign signature, and OpenAI refuses unknown fields (litellm#41534). Without
    signatures, the same object is returned. An *outline* of other messages is ignored.
    """
    counts: defaultdict[str, int] = defaultdict(int)
    indexes = _indexes_to_check(messages, outline)
    if not indexes:
        return messages, counts

    def leave_out(message: Message) -> Message:
        if message["role"] != "assistant":
            return _without_suffix(message, "tool_call_id")
        bare = _remove_from(message)
        if bare is not message:
            counts[WITHHELD] += 1
        return bare

    return _replace_at(messages, indexes, leave_out), counts


def _indexes_to_check(messages: Messages, outline: Outline | None) -> Sequence[int]:
    """Return the indexes of *messages* that may hold a signature.

    ``outline.odd`` lists the messages with unusual fields, and ``outline.signed`` those with signatures in the usual
    field. All other messages can hold a signature only in the suffix of an id. ``outline.marked`` is true where such a
    suffix exists.
    """
    if outline is None or outline.marked or not outline.describes(messages):
        return range(len(messages))
    return sorted([*outline.odd, *outline.signed]) if outline.signed else outline.odd


def _replace_at(messages: Messages, indexes: Iterable[int], make: Callable[[Message], Message]) -> Messages:
    """Return *messages* with those at *indexes* replaced by *make*. Without changes, return *messages* itself."""
    made: list[Message] | None = None
    for at in indexes:
        new = make(messages[at])
        if new is not messages[at]:
            made = list(messages) if made is None else made
            made[at] = new
    return messages if made is None else made


def _remove_from(message: Message) -> Message:
    calls = tool_calls_of(message)
    if is_usual(message):
        return without_usual_signatures(message)
    if "extra_content" in message or "provider_specific_fields" in message:
        message = with_signature(message, None, MESSAGE_SIGNATURE_FIELDS)
    details = message.get("reasoning_details")
    if isinstance(details, list) and any(map(is_of_gemini, details)):
        message = {**message, "reasoning_details": [entry for entry in details if not is_of_gemini(entry)]}
        if not message["reasoning_details"]:
            del message["reasoning_details"]
    bare = [
        _without_suffix(
            call if has_only_openai_fields(call) else with_signature(call, None, CALL_SIGNATURE_FIELDS), "id"
        )
        for call in calls
    ]
    if all(new is old for new, old in zip(bare, calls, strict=True)):
        return message
    return {**message, "tool_calls": bare}


def _without_suffix(holder: dict[str, Any], name: str) -> dict[str, Any]:
    """Return *holder* with the id under *name* without its signature suffix."""
    given = holder.get(name)
    if not isinstance(given, str) or (bare := base_id(given)) == given or not bare:
        return holder
    return {**holder, name: bare}


def _restore_message(
    message: Message, kept: Mapping[str, StoredSignature], origin: str, counts: defaultdict[str, int]
) -> Message:
    calls = tool_calls_of(message)
    shown = message
    if "extra_content" in message or "provider_specific_fields" in message:
        shown = with_signature(
            message, _text_signature(message, kept, origin, counts), MESSAGE_SIGNATURE_FIELDS
        )
    if not calls:
        return shown
    details = encrypted_details(message)
    restored = [_restore_call(call, details, kept, origin, counts) for call in calls]
    if all(new is old for new, old in zip(restored, calls, strict=True)):
        return shown
    return {**shown, "tool_calls": restored}


def _restore_call(
    call: dict[str, Any],
    details: Mapping[str, str],
    kept: Mapping[str, StoredSignature],
    origin: str,
    counts: defaultdict[str, int],
) -> dict[str, Any]:
    signature = _signature(call, details, kept, origin, counts)
    if not has_only_openai_fields(call):
        return with_signature(call, signature, CALL_SIGNATURE_FIELDS)
    return (
        call if signature is None else {**call, "extra_content": {"google": {"thought_signature": signature}}}
    )


def _signature(
    call: dict[str, Any],
    details: Mapping[str, str],
    kept: Mapping[str, StoredSignature],
    origin: str,
    counts: defaultdict[str, int],
) -> str | None:
    call_id = base_id(_id_of(call) or "")
    found = kept.get(call_id)
    if found is not None:
        function = function_of(call)
        name = function.get("name")
        same = isinstance(name, str) and found.is_of(name, _as_text(function.get("arguments")))
        made_here = same and found.origin == origin
        counts[RESTORED if made_here else WITHHELD] += 1
        return found.signature if made_here else None
    brought = next((text for text in call_signatures(call, details) if is_signature(text)), None)
    if brought is None:
        return None
    tag = tag_in(call_id)
    known = kept.get(text_key(brought)) if tag is None else None
    foreign = known.origin != origin if known is not None else tag is not None and tag != tag_of(origin)
    counts[WITHHELD if foreign else CARRIED] += 1
    return None if foreign else brought


def _as_text(arguments: Any) -> str:
    """Return arguments as text. Some clients send an object, or nothing for no arguments."""
    if isinstance(arguments, str):
        return arguments if arguments.strip() else "{}"
    return "{}" if arguments is None else write_json(arguments).decode()


def _text_signature(
    message: Message, kept: Mapping[str, StoredSignature], origin: str, counts: defaultdict[str, int]
) -> str | None:
    for signature in text_signatures(message):
        found = kept.get(text_key(signature))
        if found is not None and found.origin == origin:
            counts[CARRIED] += 1
            return signature
        if is_signature(signature):
            counts[WITHHELD] += 1
    return None


def _id_of(call: Mapping[str, Any]) -> str | None:
    call_id = call.get("id")
    return call_id if isinstance(call_id, str) and call_id else None
