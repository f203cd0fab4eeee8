"""The texts for the model and the client about limits and loops, and their recognition in a history.

A changed wording invalidates the cached prefixes of sessions that hold it, so a test pins the bytes. Every text says
that the gateway speaks: the model must not take it for a tool's output or the user's words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sanitizers.merging import SEPARATOR
from sanitizers.messages import Message, is_part_list
from sanitizers.synthetic import NOTICE_START

_QUOTED = str.maketrans({"[": "(", "]": ")", '"': "'"})


def wrap_up_at_limit(limit: int, final: Sequence[str] = ()) -> str:
    """Return the instruction to finish after *limit* rounds. *final* are the tools that give the answer."""
    return f"{NOTICE_START}The limit of {limit} rounds of tool calls is reached. {_finish(final)}"


def wrap_up_of_loop(final: Sequence[str] = ()) -> str:
    """Return the instruction to finish for a loop that went on after it was found."""
    return f"{NOTICE_START}The same tool calls keep coming to the same results. {_finish(final)}"


def wrap_up_of_delegation(limit: int, final: Sequence[str] = ()) -> str:
    """Return the instruction to finish where all declared tools delegate, and delegation is used up."""
    return f"{NOTICE_START}The task was handed on {limit} times, which is the limit. {_finish(final)}"


def _finish(final: Sequence[str]) -> str:
    if not final:
        return "No tool can be called any more. Answer now with what you have, and say what is left undone.]"
    names = " or ".join(name[:64].translate(_QUOTED) for name in final[:4])
    return (
        f"No tool but {names} can be called any more. Give the final answer by it now, with what you have.]"
    )


def loop_note(period: int, times: int) -> str:
    """Return the note that follows the result which completed a loop."""
    what = "This call was" if period == 1 else f"These {period} rounds of calls were"
    return (
        f"{NOTICE_START}{what} made {times} times in a row with the same result. Making the same call again will not "
        "change it: try another way, or answer with what you have.]"
    )


def warning_note(rounds: int, limit: int) -> str:
    """Return the note that follows the result of the round at which the warning is given."""
    return f"{NOTICE_START}{rounds} of {limit} rounds of tool calls are used. Work towards an answer.]"


def delegation_note(limit: int) -> str:
    """Return the note after the result of the last delegation."""
    return f"{NOTICE_START}The task was handed on {limit} times, which is the limit. Finish it without handing it on.]"


def error_hint(name: str, times: int, quote: str) -> str:
    """Return the hint that follows the *times*-th failure of the tool *name*.

    *quote* is the tool's error text. Brackets and quotation marks in *quote* are replaced, so that the text cannot
    imitate the end or start of a note.
    """
    name, quote = name[:64].translate(_QUOTED), quote.translate(_QUOTED)
    return (
        f"{NOTICE_START}The tool {name} has failed {times} times since the user's last message. Its last words: "
        f'"{quote}". Do not call it in the same way again: try another way, or say what is missing.]'
    )


def delegation_guidance(limit: int) -> str:
    """Return the addition to the description of the first tool that delegates."""
    simple, medium = max(1, limit // 5), max(2, limit // 2)
    return (
        f"Of {limit} rounds of handing on that a task may take, a simple one needs 1-{simple}, a medium one "
        f"{simple + 1}-{medium}, a complex one {medium + 1}-{limit}."
        if limit >= 4
        else f"A task may be handed on in {limit} rounds at most."
    )


def last_words(instruction: str) -> str:
    """Return the text that the client gets where the model got *instruction* and answered without text."""
    reason = instruction.removeprefix(NOTICE_START).partition(". ")[0]
    return f"{NOTICE_START}{reason}. The model was asked to finish and said nothing; no further call was passed on.]"


def delegation_refused(limit: int) -> str:
    """Return the text that the client gets where a delegation was held back and the model wrote no text."""
    return f"{NOTICE_START}The task was handed on {limit} times, which is the limit; it was not handed on again.]"


def with_notices(message: Message, notices: list[str]) -> Message:
    """Return a message with *notices* after its content. Notices that the content already holds are not added again."""
    content = message.get("content")
    if isinstance(content, list) and is_part_list(content):
        held = "".join(text for part in content if isinstance(text := part.get("text"), str))
        new = [{"type": "text", "text": notice} for notice in notices if notice not in held]
        return {**message, "content": [*content, *new]} if new else message
    text = as_text(content)
    new_texts = [notice for notice in notices if notice not in text]
    return {**message, "content": SEPARATOR.join(filter(None, (text, *new_texts)))} if new_texts else message


def as_text(content: Any) -> str:
    """Return a content that is not a list of parts as text.

    A value of another type becomes JSON, as in the ``shape`` step.
    """
    if isinstance(content, str):
        return content
    return "" if content is None else json.dumps(content, ensure_ascii=False)


def without_notices(text: str) -> str:
    """Return a result's *text* without the notices at its end.

    Another turnright proxy before this one may have added them.
    """
    if text.startswith(NOTICE_START):
        return ""  # after an empty result
    return text.partition(f"{SEPARATOR}{NOTICE_START}")[0] if NOTICE_START in text else text
