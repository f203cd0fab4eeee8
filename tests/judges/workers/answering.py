"""The loop of a worker, and the form of its questions and answers.

A question is an object with ``judges``, a list of names, and ``body``, the request that they judge. The answer maps the
name of each judge that refuses the body to the text of the judge's error. A question without ``judges`` is answered
with the list of all names.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

Judge = Callable[[Any], object]
"""Takes a body, and raises any exception to refuse it."""

LONGEST = 600
"""The most characters of a refusal's text."""


def answer_questions(judges: Mapping[str, Judge]) -> None:
    """Answer the question in each line of standard input with a line of standard output, until the input ends."""
    for line in sys.stdin:
        question = json.loads(line)
        answer: Any = list(judges)
        if "judges" in question:
            found = {name: words_of(judges[name], question["body"]) for name in question["judges"]}
            answer = {name: words for name, words in found.items() if words is not None}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def words_of(judge: Judge, body: Any) -> str | None:
    """Return the error text with which *judge* refuses *body*, or None where *judge* accepts *body*."""
    try:
        judge(body)
    except Exception as error:  # noqa: BLE001 - every exception of a judge is a refusal
        read = getattr(error, "errors", None)
        words = _shortened(read()) if callable(read) else str(error)
        return f"{type(error).__name__}: {words}"[:LONGEST]
    return None


def _shortened(errors: list[dict[str, Any]]) -> str:
    """Return the texts of pydantic's most deeply nested errors, with ``*`` for list indexes in their places.

    A union reports an error for each of its members. Errors of members for another role or type are left out. The
    deepest of the others are about the member that was meant.
    """
    others = {
        one["loc"][:-1]
        for one in errors
        if one["type"] == "literal_error" and one["loc"][-1] in ("role", "type")
    }
    meant = [
        one for one in errors if not any(one["loc"][: len(other)] == other for other in others)
    ] or errors
    deepest = max(len(one["loc"]) for one in meant)
    lines = [
        f"{'.'.join(_step(step) for step in one['loc'] if '[' not in str(step))}: {one['msg']}"
        for one in meant
        if len(one["loc"]) == deepest
    ]
    return "; ".join(dict.fromkeys(lines))


def _step(step: str | int) -> str:
    return "*" if isinstance(step, int) else step
