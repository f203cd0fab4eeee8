"""Judges a request for a response as OpenAI does that stores nothing, with OpenAI's own error texts.

The proxy has its own rules of items, with which this judge shares no code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.openai_emulator.judging import Refusal
from tests.support.responses_emulator import words
from tests.support.responses_emulator.fields import field_faults
from tests.support.responses_emulator.items import item_faults
from tests.support.responses_emulator.pairing import list_faults


def judge_response_request(body: Any, owner: str = "") -> Refusal | None:
    """Return the first fault of a whole request, or None. *owner* is the account and model of sealed contents."""
    if not isinstance(body, dict):
        return Refusal("We could not parse the JSON body of your request.")
    return next(_faults(body, owner), None)


def _faults(body: dict[str, Any], owner: str) -> Iterator[Refusal]:
    yield from field_faults(body)
    previous = body.get("previous_response_id")
    if previous is not None:
        text = words.NO_RESPONSE.format(id=previous)
        yield Refusal(text, "previous_response_id", "previous_response_not_found")
    given = body.get("input")
    if isinstance(given, str):
        return
    if given is None:
        yield words.missing("input")
    elif not isinstance(given, list):
        yield words.wrong_type("input", "one of a string or array of objects", given)
    else:
        yield from item_faults(given)
        yield from list_faults(given, owner)
