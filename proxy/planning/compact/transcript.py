"""Writes messages as one plain text (the transcript) for a summarizing model: labels, texts, calls and results.

The time is linear in the length of the messages, and the length of the text is limited. The client's messages have not
been sanitized, so every field may have any JSON value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, TypeAlias

from proxy.planning.compact.blank_secrets import blank_secrets
from sanitizers import Messages
from sanitizers.budget.cap_text import Cap, cap_content
from sanitizers.budget.json_text import json_text
from sanitizers.budget.markers import OF_TEXT
from sanitizers.budget.media import KINDS
from sanitizers.budget.safe_cut import safe_cut
from sanitizers.messages import RESULT_ROLES, SYSTEM_ROLES, is_part_list

LIMIT = 200_000
"""The default limit of a transcript in characters: about 50,000 tokens of English text or code."""

MOST_OF_RESULT = 2_000
"""The most characters that are shown of a tool's result, and of a call's arguments."""

_CAP = Cap(MOST_OF_RESULT)

_LOOKED_AT = 2 * MOST_OF_RESULT
"""The characters at each end of a long result that are searched for secrets.

No more than half of these characters are shown.
"""

Blank: TypeAlias = Callable[[str], str]
"""A function that returns a text without its secrets."""

_HEAD = 0.25
"""The head's share of a transcript that is above its limit. Newer messages matter more for the work's next step."""

_MARK = "\n\n[… {} characters of the transcript are left out here …]\n\n"
_MARK_ROOM = 100
_LONGEST_NAME = 100
_SHOWN_ROLES = SYSTEM_ROLES | {"assistant", "user"}
_THINKING = frozenset({"redacted_thinking", "thinking"})
_LABEL = re.compile(r"^\[(?=message \d)", re.MULTILINE)
_MEDIA_NAMES = {"document": "file"}
_DATA_NAMES = frozenset({"audio", "image", "video"})
_DATA = re.compile(r"data:(?P<kind>\w{1,20})/[\w.+-]{1,80};base64,[A-Za-z0-9+/=_-]{40,}+", re.ASCII)


def write_transcript(
    messages: Messages,
    first: int | Sequence[int],
    *,
    limit_characters: int = LIMIT,
    blank: Blank = blank_secrets,
) -> str:
    """Return *messages* as text of at most *limit_characters*.

    *first* is the number of the first message in the history, or a list with the number of each message. Reasoning is
    left out. Media are shown by their kind only, as ``[image]``. *blank* takes the secrets out of each text before the
    text is shortened, since no pattern finds the half of a secret. Long results and arguments are shortened to head and
    tail. A transcript above the limit loses its middle. The returned text can always be encoded as UTF-8. Never raises.
    """
    names: dict[str, str] = {}
    pieces: list[str] = []
    each: Any
    for number, each in zip(count(first) if isinstance(first, int) else first, messages, strict=False):
        fields = each if isinstance(each, dict) else {"content": each}
        body = "\n".join(_lines_of(fields, names, blank, limit_characters))
        pieces.append(f"[message {number}, {_speaker(fields, names)}]\n{_LABEL.sub('(', body)}")
    return encodable(_without_middle("\n\n".join(pieces), limit_characters))


def _speaker(message: dict[str, Any], names: dict[str, str]) -> str:
    """Return the author in a message's label: its role, or for a result the words ``result of`` and the tool's name."""
    role = message.get("role")
    if not isinstance(role, str):
        return "unknown role"
    if role not in RESULT_ROLES:
        return role if role in _SHOWN_ROLES else "unknown role"
    call_id = message.get("tool_call_id")
    name = names.get(call_id) if isinstance(call_id, str) else None
    return f"result of {name or _name(message.get('name'))}"


def _lines_of(message: dict[str, Any], names: dict[str, str], blank: Blank, limit: int) -> Iterator[str]:
    """Yield the texts and calls of *message*. The names of its calls are added to *names* by the calls' ids."""
    text = _text_of(message.get("content"))
    if text:
        is_result = message.get("role") in ("tool", "function")
        yield _shortened(text, blank) if is_result else blank(_without_far_middle(text, limit))
    if isinstance(refusal := message.get("refusal"), str) and refusal:
        yield blank(_without_far_middle(refusal, limit))
    for field, shown in (("images", "[image]"), ("audio", "[audio]")):
        if message.get(field):
            yield shown
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            yield _call(call, names, blank)
    if isinstance(legacy := message.get("function_call"), dict):
        yield _call({"function": legacy}, names, blank)


def _without_far_middle(text: str, limit: int) -> str:
    """Return *text* without a middle that no transcript of *limit* characters could show.

    The search for secrets holds the interpreter's lock. In a text of 30 MB it would block the event loop for a second.
    """
    if len(text) <= 3 * limit:
        return text
    return text[:limit] + _MARK.format(len(text) - 2 * limit) + text[-limit:]


def _call(call: dict[str, Any], names: dict[str, str], blank: Blank) -> str:
    function, custom = call.get("function"), call.get("custom")
    if isinstance(function, dict):
        name, given = _name(function.get("name")), function.get("arguments")
    elif isinstance(custom, dict):
        name, given = _name(custom.get("name")), custom.get("input")
    else:
        name, given = _name(None), None
    if isinstance(call_id := call.get("id"), str):
        names.setdefault(call_id, name)
    return f"call {name}({'' if given is None else _shortened(_as_text(given), blank)})"


def _text_of(content: Any) -> str:
    """Return a content as text.

    For each part that is not text stands a word in brackets, such as ``[image]``. Reasoning is left out.
    """
    if is_part_list(content):
        return "\n".join(_part_text(part) for part in content if part["type"] not in _THINKING)
    return "" if content is None else _as_text(content)


def _part_text(part: dict[str, Any]) -> str:
    kind = part["type"]
    if kind in KINDS:
        return f"[{_MEDIA_NAMES.get(KINDS[kind], KINDS[kind])}]"
    text = part.get("refusal" if kind == "refusal" else "text")
    return _as_text(text) if isinstance(text, str) else "[other content]"


def _as_text(value: Any) -> str:
    """Return a value as text, with a word such as ``[image]`` in place of each data URL of media."""
    text = value if isinstance(value, str) else json_text(value)
    return _DATA.sub(_data_name, text) if ";base64," in text else text


def _data_name(match: re.Match[str]) -> str:
    kind = match["kind"]
    return f"[{kind if kind in _DATA_NAMES else 'file'}]"


def _shortened(text: str, blank: Blank) -> str:
    """Return *text* without secrets, and shortened to its head and tail where it is long."""
    shortened = cap_content(_blanked_ends(text, blank), _CAP, advice=OF_TEXT)
    return shortened if isinstance(shortened, str) else ""


def _blanked_ends(text: str, blank: Blank) -> str:
    """Return *text* without secrets in the parts that may be shown.

    Where masking makes an end short, the text next to that end may be shown too. Then the whole text is searched for
    secrets.
    """
    if len(text) > 2 * _LOOKED_AT:
        head, tail = blank(text[:_LOOKED_AT]), blank(text[-_LOOKED_AT:])
        if min(len(head), len(tail)) > MOST_OF_RESULT:
            return head + text[_LOOKED_AT:-_LOOKED_AT] + tail
    return blank(text)


def _name(value: Any) -> str:
    """Return a tool's name on one line."""
    shown = " ".join(value[:_LONGEST_NAME].split()) if isinstance(value, str) else ""
    return shown or "unknown tool"


def _without_middle(text: str, limit: int) -> str:
    """Return *text*, or its head and end with a mark between them where it has more than *limit* characters.

    The head gets a quarter of *limit*.
    """
    if len(text) <= limit:
        return text
    room = limit - _MARK_ROOM
    if room < _MARK_ROOM:
        return text[: safe_cut(text, max(0, limit), forward=False)]
    head = _head_end(text, int(room * _HEAD))
    tail = _tail_start(text, len(text) - (room - head), room // 10)
    return text[:head] + _MARK.format(tail - head) + text[tail:]


def _head_end(text: str, end: int) -> int:
    newline = text.rfind("\n", end - end // 5, end)
    return safe_cut(text, newline if newline > 0 else end, forward=False)


def _tail_start(text: str, start: int, reach: int) -> int:
    """Return the index where the tail begins: at a message or a line within *reach* characters, else at *start*."""
    for wanted in ("\n\n[message ", "\n"):
        at = text.find(wanted, start, start + reach)
        if at >= 0:
            return at + len(wanted) - len(wanted.lstrip("\n"))
    return safe_cut(text, start, forward=True)


def encodable(text: str) -> str:
    """Return *text* without lone surrogates, which no provider's JSON may hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
