"""Tests the publicly reported broken histories, written as Anthropic's messages, through the process to five providers.

Claude gets the client's own messages. All others get a chat. ``make test`` sends a third of the histories to each
provider. ``make test-deep`` sends all of them, whole and streamed. A stream's results stand in messages of their own.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.process.known_histories import HISTORIES, invented, lost
from tests.process.known_messages import (
    answer_faults,
    as_chats,
    ask,
    changes_of,
    request_of,
    unwrapped,
    write_messages,
)
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

REFUSED_ONCE = {("anthropic", "g68"), ("anthropic", "g66"), ("anthropic", "g65")}
"""Histories with another model's signature, which only the provider can detect and refuse."""


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", TARGETS)
def test_known_history_as_messages_is_taken_at_the_first_try(
    http: httpx.Client, everywhere: Everywhere, model: str, stream: bool
) -> None:
    """The provider accepts each history at the first try, and gets all of it except for reported losses."""
    found = {
        name: _fault(http, everywhere, model, name, stream=stream)
        for name in share_of(list(HISTORIES), TARGETS.index(model) + stream)
    }

    assert {name: fault for name, fault in found.items() if fault} == {}


def _fault(http: httpx.Client, everywhere: Everywhere, model: str, name: str, *, stream: bool) -> Any:
    """Send a history, and return what is wrong with the request that arrived or with the answer, or None."""
    provider, history = everywhere.of(model), HISTORIES[name]
    fields = write_messages(history["messages"], joined=not stream)
    request = request_of(model, fields, history.get("tools", ()), stream=stream)

    answer = ask(http, everywhere.served, request)

    sent = provider.sent()
    judged = sent[-1:] if (route_of(model), name) in REFUSED_ONCE else sent
    wrong = [(one.status, one.refused) for one in judged if one.status != 200] or answer_faults(answer)
    if wrong or len(judged) != 1:
        return wrong or len(sent)
    body = judged[0].body
    texts, messages = unwrapped(arrived(model, body)), as_chats(fields["messages"])
    heads = [block["text"] for block in fields.get("system", ())]
    missing: Any = [head for head in heads if not any(head in str(text) for text in texts)]
    joins = model == JOINING
    missing += lost(messages, body, texts, [], joins=joins)
    if missing:  # otherwise no change has to tell of anything
        missing = lost(messages, body, texts, changes_of(http, everywhere.served, request), joins=joins)
    return missing or invented(body) or None
