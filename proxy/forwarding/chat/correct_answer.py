"""Mends tool calls that cannot be used, or rejects the answer so that the model is asked again.

``router_settings.self_correction`` says which answers are checked, and :mod:`proxy.answers.tool_calls` checks them.
:mod:`proxy.forwarding.attempts` makes the second try, with a note on what was wrong. If the second answer is no better,
the client gets that answer unchanged. An agent can handle a tool call that fails.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from proxy.answers.tool_calls import check_calls, is_validator_loaded, load_validator
from proxy.core.errors import AnswerUnusable
from proxy.core.upstream_call import Answer
from proxy.planning.plan import Plan
from sanitizers import Change


def is_corrected(plan: Plan, wanted: str, *, stream: bool) -> bool:
    """Return True where an answer to *plan* is checked under *wanted*, the setting ``self_correction``.

    Only mode ``repair`` changes an answer or asks twice. A stream is checked only where the setting is ``always`` and
    the request declares tools. The check holds the stream back.
    """
    if plan.mode != "repair":
        return False
    if stream:
        return wanted == "always" and bool(plan.request.parameters.get("tools"))
    return wanted != "off"


async def correct_answer(answer: Answer, plan: Plan) -> tuple[Answer, Sequence[Change]]:
    """Return *answer*, corrected where needed, and the changes.

    The first answer with a call waits until a worker thread has loaded the schema library. A process that never sees
    tools does not load the library. Raises :class:`AnswerUnusable`, which holds *answer*, for a call that cannot be
    used.
    """
    for choice in answer["choices"]:
        if choice["message"].get("tool_calls"):
            break
    else:
        return answer, ()
    if not is_validator_loaded():
        await asyncio.to_thread(load_validator)
    checked = check_calls(answer, plan.request.parameters, plan.client_tool_names)
    if checked.cause is not None:
        words = "The model's tool call cannot be used."
        raise AnswerUnusable(words, cause=checked.cause, answer=answer, detail=checked.detail)
    return checked.answer, checked.changes
