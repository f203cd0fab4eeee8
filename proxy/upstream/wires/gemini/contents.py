"""Writes a sanitized history as ``systemInstruction`` and ``contents``.

All models and endpoints of which reports exist accept the following shape. A user content comes first. The calls of a
turn stand in one model content. The next content holds only their results. The user's next message has a content of its
own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from proxy.core.errors import InvalidRequest
from proxy.upstream.signature_carriers import canonical_signature
from proxy.upstream.wires.gemini.media import inline_data
from proxy.upstream.wires.gemini.results import Calls, response_contents
from sanitizers import Message, Messages, Profile
from sanitizers.messages import SYSTEM_ROLES, base_id, parse_arguments, tool_calls_of
from sanitizers.synthetic import DerivedIds
from sanitizers.work_limit import metered

Part = dict[str, Any]
Content = dict[str, Any]

_SIDES = {"assistant": "model", "tool": "results", "user": "user"}
_MEDIA = frozenset({"file", "image_url", "input_audio"})


def convert_history(messages: Messages, profile: Profile) -> tuple[list[Part], list[Content]]:
    """Return the parts of the system instruction, one for each text, and the contents.

    ``profile.call_ids`` is true from Gemini 3 on. These models have ids on calls and responses, and media inside
    responses. :mod:`proxy.planning.signatures` has moved signatures into one field. Raises :class:`InvalidRequest`,
    with the part's path in ``param``, for parts that a sanitized history does not hold.
    """
    systems = [index for index, message in enumerate(messages) if message["role"] in SYSTEM_ROLES]
    system = [part for index in systems for part in _parts(messages[index], index, media=False)]
    contents: list[Content] = []
    calls: Calls = {}
    for side, run in _runs(messages):
        if side == "results":
            contents += response_contents(messages, run, calls, nested_media=profile.call_ids)
            calls = {}
        elif side == "model":
            parts, calls = _model_parts(messages, run, profile)
            _append(contents, "model", parts)
        else:
            calls = {}
            _append(contents, "user", [part for index in run for part in _parts(messages[index], index)])
    return system, contents


def _runs(messages: Messages) -> Iterator[tuple[str, list[int]]]:
    """Yield runs of messages of one side (model, results or user), as lists of indices.

    System messages do not end a run.
    """
    side, run = "", list[int]()
    for index, message in enumerate(metered(messages)):
        role = message["role"]
        own = _SIDES.get(role)
        if own is None or message.get("function_call"):
            if role in SYSTEM_ROLES:
                continue
            what = f"role '{role}'" if own is None else "'function_call'"
            raise InvalidRequest(f"{what} cannot be sent to this model.", param=f"messages[{index}]")
        if own is side:
            run.append(index)
            continue
        if run:
            yield side, run
        side, run = own, [index]
    if run:
        yield side, run


def _append(contents: list[Content], role: str, parts: list[Part]) -> None:
    """Add *parts* to the last content if it has the same role and holds no responses, else as a new content.

    Only the first part is checked, since a content with responses begins with a response. The content takes over the
    list *parts*.
    """
    if not parts:
        return
    last = contents[-1] if contents else None
    if last and last["role"] == role and "functionResponse" not in last["parts"][0]:
        last["parts"] += parts
    else:
        contents.append({"role": role, "parts": parts})


def _parts(message: Message, index: int, *, media: bool = True) -> list[Part]:
    """Return the text parts of one message, and its media parts if *media* is true."""
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


def _model_parts(messages: Messages, run: Sequence[int], profile: Profile) -> tuple[list[Part], Calls]:
    """Return the parts of one model content, and its calls.

    The arguments of a call are parsed again, though they were checked. Their text may hold a key twice, or a number
    that is no double. Gemini's parser would then read other values than the check did.
    """
    ids: Iterator[str] | None = None
    if profile.call_ids:
        ids = iter(_wire_ids([call for index in run for call in tool_calls_of(messages[index])]))
    parts: list[Part] = []
    calls: Calls = {}
    for index in run:
        message = messages[index]
        content = message.get("content")
        if content.__class__ is str and "extra_content" not in message:
            if content:
                parts.append({"text": content})
        elif content:
            texts = _parts(message, index, media=False)
            if texts and (signature := canonical_signature(message)) is not None:
                texts[-1] = {**texts[-1], "thoughtSignature": signature}
            parts += texts
        for at, call in enumerate(message.get("tool_calls") or ()):
            function = call.get("function") or {}
            name, arguments = function.get("name"), function.get("arguments")
            args = parse_arguments(arguments) if name and isinstance(arguments, str) else None
            if not name or args is None:
                _refuse_function(name, f"messages[{index}].tool_calls[{at}].function")
            wire_id = next(ids) if ids else None
            part: Part = {
                "functionCall": {"id": wire_id, "name": name, "args": args}
                if wire_id
                else {"name": name, "args": args}
            }
            if "extra_content" in call and (signature := canonical_signature(call)) is not None:
                part["thoughtSignature"] = signature
            parts.append(part)
            call_id = call.get("id") or ""
            if call_id not in calls:
                calls[call_id] = (len(calls), name, wire_id)
    return parts, calls


def _refuse_function(name: object, place: str) -> NoReturn:
    if not name:
        raise InvalidRequest(f"'{place}.name' is required.", param=f"{place}.name")
    place = f"{place}.arguments"
    raise InvalidRequest(f"'{place}' must be a JSON object, written as a string.", param=place)


def _wire_ids(calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the ids of one content's calls for Gemini, without a signature's suffix and all different.

    Gemini refuses ids that are used twice (9router#4273). Two ids may differ only in their suffixes.
    """
    ids: list[str] = []
    taken: set[str] = set()  # a search of the list takes seconds for ten thousand calls
    derived = DerivedIds(taken)
    for number, call in enumerate(calls):
        given = call.get("id") or ""
        bare = base_id(given)
        if not bare or bare in taken:
            bare = derived.derive(0, number, given)
        ids.append(bare)
        taken.add(bare)
    return ids
