"""Answers whose tool calls cannot be used: mended, or given back to the model once, with what is wrong.

Whether and where is ``router_settings.self_correction``; what can be used is :mod:`proxy.answers.tool_calls`; the
second try and its note are the attempts'. An answer that is no better then goes to the client as it is: agents know
what to do with a call that failed, and nothing is better told by hiding it.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from proxy.answers.tool_calls import check_calls, is_warm, warm
from proxy.core.errors import AnswerUnusable
from proxy.core.upstream_call import Answer
from proxy.planning.plan import Plan
from sanitizers import Change


class Corrected(NamedTuple):
    """An answer whose calls can be used, and what was mended in them."""

    answer: Answer
    changes: tuple[Change, ...] = ()


def is_corrected(plan: Plan, wanted: str, *, stream: bool) -> bool:
    """Tell whether the calls of an answer to *plan* are looked at; *wanted* is the setting ``self_correction``.

    Only mode ``repair`` changes anything or asks twice. A stream is looked at when it is asked for, and only where the
    request declares tools, since it is held back for that.
    """
    if plan.mode != "repair":
        return False
    if stream:
        return wanted == "always" and bool(plan.request.parameters.get("tools"))
    return wanted != "off"


async def correct_answer(answer: Answer, plan: Plan) -> Corrected:
    """Return *answer*, itself or mended, and what was mended.

    The first answer with a call waits until the schema library is loaded, in a thread: a start without tools does
    not pay for it. Raises :class:`AnswerUnusable`, with *answer* in it, for a call that cannot be used.
    """
    for choice in answer["choices"]:
        if choice["message"].get("tool_calls"):
            break
    else:
        return Corrected(answer)
    if not is_warm():
        await asyncio.to_thread(warm)
    checked = check_calls(answer, plan.request.parameters, plan.names_back)
    if checked.cause is not None:
        words = "The model's tool call cannot be used."
        raise AnswerUnusable(words, cause=checked.cause, answer=answer, detail=checked.detail)
    return Corrected(checked.answer, tuple(checked.changes))
