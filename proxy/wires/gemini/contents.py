"""A sanitized history as ``systemInstruction`` and ``contents``.

The shape satisfies every model and surface that was reported on: a user content first, the calls of a turn in one
model content, their results alone in the next one, and the user's next words in one of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from proxy.errors import InvalidRequest
from proxy.signatures.carriers import own_signature
from proxy.wires.gemini.call_ids import wire_ids
from proxy.wires.gemini.media import inline_data
from proxy.wires.gemini.results import Call, response_contents
from sanitizers import Message, Messages, Profile
from sanitizers.messages import SYSTEM_ROLES, function_of, parse_arguments, tool_calls_of

Part = dict[str, Any]
Content = dict[str, Any]

_SIDES = {"assistant": "model", "tool": "results", "user": "user"}
_MEDIA = frozenset({"file", "image_url", "input_audio"})


def convert_history(messages: Messages, profile: Profile) -> tuple[list[Part], list[Content]]:
    """Return the parts of the system instruction, one a text, and the contents.

    ``profile.call_ids`` is what Gemini 3 and later have and the others lack: ids on calls and responses, and media
    nested in responses. Signatures are in their one place by now (:mod:`proxy.signatures`). Raises
    :class:`InvalidRequest`, with the place in *messages*, for what a sanitized history does not hold.
    """
    system: list[Part] = []
    for index, message in enumerate(messages):
        if message["role"] in SYSTEM_ROLES:
            system += _parts(message, index, media=False)
    contents: list[Content] = []
    calls: list[Call] = []
    for side, run in _runs(messages):
        if side == "results":
            contents += response_contents(run, calls, nested_media=profile.call_ids)
            calls = []
        elif side == "model":
            parts, calls = _model_parts(run, profile)
            _append(contents, "model", parts)
        else:
            calls = []
            _append(contents, "user", [part for index, message in run for part in _parts(message, index)])
    return system, contents


def _runs(messages: Messages) -> Iterator[tuple[str, list[tuple[int, Message]]]]:
    """Yield the messages of one side that follow one another, with their indices; system messages do not part them."""
    side, run = "", list[tuple[int, Message]]()
    for index, message in enumerate(messages):
        role = message["role"]
        if role in SYSTEM_ROLES:
            continue
        own = _SIDES.get(role)
        if own is None or message.get("function_call"):
            what = f"role '{role}'" if own is None else "'function_call'"
            raise InvalidRequest(f"{what} has no place on this wire.", param=f"messages[{index}]")
        if own != side:
            if run:
                yield side, run
            side, run = own, []
        run.append((index, message))
    if run:
        yield side, run


def _append(contents: list[Content], role: str, parts: list[Part]) -> None:
    """Add a content; to a user content that holds no responses more of the user's words are added instead."""
    if not parts:
        return
    last = contents[-1] if contents else None
    if last and last["role"] == role and not any("functionResponse" in part for part in last["parts"]):
        contents[-1] = {"role": role, "parts": [*last["parts"], *parts]}
    else:
        contents.append({"role": role, "parts": parts})


def _parts(message: Message, index: int, *, media: bool = True) -> list[Part]:
    """Return the texts, and with *media* the media, of one message."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"text": content}] if content else []
    parts: list[Part] = []
    for at, part in enumerate(content or ()):
        kind = part["type"]
        if kind == "text":
            if part.get("text"):
                parts.append({"text": part["text"]})
        elif media and kind in _MEDIA:
            parts.append(inline_data(part, f"messages[{index}].content[{at}]"))
        else:
            place = f"messages[{index}].content[{at}].type"
            raise InvalidRequest(
                f"'{place}': a part of type '{kind}' cannot be sent in a {message['role']} message.",
                param=place,
            )
    return parts


def _model_parts(run: Sequence[tuple[int, Message]], profile: Profile) -> tuple[list[Part], list[Call]]:
    """Return the parts of one model content and its calls."""
    ids: Sequence[str] = ()
    if profile.call_ids:
        ids = wire_ids([call for _, message in run for call in tool_calls_of(message)])
    parts: list[Part] = []
    calls: list[Call] = []
    for index, message in run:
        if message.get("content"):
            texts = _parts(message, index, media=False)
            if texts and (signature := own_signature(message)) is not None:
                texts[-1] = {**texts[-1], "thoughtSignature": signature}
            parts += texts
        for at, call in enumerate(tool_calls_of(message)):
            name, args = _function(call, index, at)
            wire_id = ids[len(calls)] if ids else None
            function = (
                {"id": wire_id, "name": name, "args": args} if wire_id else {"name": name, "args": args}
            )
            part: Part = {"functionCall": function}
            if "extra_content" in call and (signature := own_signature(call)) is not None:
                part["thoughtSignature"] = signature
            parts.append(part)
            calls.append(Call(call.get("id") or "", name, wire_id))
    return parts, calls


def _function(call: dict[str, Any], index: int, at: int) -> tuple[str, dict[str, Any]]:
    function = function_of(call)
    name, arguments = function.get("name"), function.get("arguments")
    args = parse_arguments(arguments) if name and isinstance(arguments, str) else None
    if name and args is not None:
        return name, args
    place = f"messages[{index}].tool_calls[{at}].function"
    if not name:
        raise InvalidRequest(f"'{place}.name' is required.", param=f"{place}.name")
    place = f"{place}.arguments"
    raise InvalidRequest(f"'{place}' must be a JSON object, written as a string.", param=place)
