"""Tests the publicly reported broken histories, written as ``contents``, through the process to five providers.

Gemini gets the client's own contents. All others get a chat. ``make test`` sends a third of the histories to each
provider. ``make test-deep`` sends all of them, in each form of the answer. A request in snake case has each result in a
content of its own.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.process.known_contents import (
    answer_faults,
    as_chats,
    ask,
    changes_of,
    request_of,
    spelled,
    write_contents,
)
from tests.process.known_histories import HISTORIES, invented, lost
from tests.process.known_messages import unwrapped
from tests.process.providers import Everywhere, arrived, route_of
from tests.support.covering_cases import share_of

TARGETS = (
    "gemini/gemini-3.6-flash",
    "gemini/gemini-2.5-pro",
    "openai/gpt-4.1",
    "anthropic/claude-opus-4-6",
    "litellm/mistral/mistral-large-latest",
)

JOINING = "gemini/gemini-2.5-pro"
"""A model whose results have one text. Notes about images stand in the text without a separator."""

FORMS = ("whole", "events", "array")

REFUSED_ONCE = {("gemini", "g68"), ("gemini", "g66"), ("gemini", "g65")}
"""Histories with another model's signature, which only the provider can detect and refuse."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", TARGETS)
def test_known_history_as_contents_is_taken_at_the_first_try(
    http: httpx.Client, everywhere: Everywhere, model: str, form: str
) -> None:
    """The provider accepts each history at the first try, and gets all of it except for reported losses."""
    found = {
        name: _fault(http, everywhere, model, name, form)
        for name in share_of(list(HISTORIES), TARGETS.index(model) + FORMS.index(form))
    }

    assert {name: fault for name, fault in found.items() if fault} == {}


def _fault(http: httpx.Client, everywhere: Everywhere, model: str, name: str, form: str) -> Any:
    """Send a history, and return what is wrong with the request that arrived or with the answer, or None."""
    provider, history = everywhere.of(model), HISTORIES[name]
    fields = write_contents(history["messages"], joined=form == "whole")
    request = request_of(fields, history.get("tools", ()))
    if form != "whole":
        request = spelled(request)

    answer = ask(http, everywhere.served, model, request, form)

    sent = provider.sent()
    judged = sent[-1:] if (route_of(model), name) in REFUSED_ONCE else sent
    faults = answer_faults(answer, relayed=route_of(model) == "gemini")
    wrong = [(one.status, one.refused) for one in judged if one.status != 200] or faults
    if wrong or len(judged) != 1:
        return wrong or len(sent)
    body = judged[0].body
    texts, messages = unwrapped(arrived(model, body)), as_chats(fields["contents"])
    heads = [part["text"] for part in fields.get("systemInstruction", {}).get("parts", ())]
    missing: Any = [head for head in heads if not any(head in str(text) for text in texts)]
    joins = model == JOINING
    missing += lost(messages, body, texts, [], joins=joins)
    if missing:  # otherwise no change has to tell of anything
        changes = changes_of(http, everywhere.served, model, request)
        missing = lost(messages, body, texts, changes, joins=joins)
    return missing or invented(body) or None
