"""Tests the publicly reported broken histories, written as items, through the running process to five providers.

``make test`` sends a third of them to each provider. ``make test-deep`` sends all of them, whole and streamed.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.process.known_histories import HISTORIES, invented, lost
from tests.process.known_items import answer_faults, ask, changes_of, request_of, write_items
from tests.process.providers import Everywhere, arrived, route_of
from tests.process.test_known_histories_everywhere import REFUSED_ONCE
from tests.support.covering_cases import share_of

TARGETS = (
    "gemini/gemini-3.6-flash",
    "openai/gpt-4.1",
    "xai/grok-3",
    "anthropic/claude-opus-4-6",
    "hosted_vllm/Qwen/Qwen3.5-35B",
)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", TARGETS)
def test_known_history_as_items_is_taken_at_the_first_try(
    http: httpx.Client, everywhere: Everywhere, model: str, stream: bool
) -> None:
    """The provider accepts each history at the first try, and gets all of it except for reported losses."""
    found = {
        name: _fault(http, everywhere, model, name, stream=stream)
        for name in histories_of(model, stream=stream)
    }

    assert {name: fault for name, fault in found.items() if fault} == {}


def histories_of(model: str, *, stream: bool) -> list[str]:
    """Return the histories for a provider: a third of them, and another third as streams."""
    return share_of(list(HISTORIES), TARGETS.index(model) + stream)


def _fault(http: httpx.Client, everywhere: Everywhere, model: str, name: str, *, stream: bool) -> Any:
    """Send a history, and return what is wrong with the request that arrived or with the answer, or None."""
    provider, history = everywhere.of(model), HISTORIES[name]
    written = write_items(history["messages"])
    request = request_of(model, [one.item for one in written], history.get("tools", ()), stream=stream)

    answer = ask(http, everywhere.served, request)

    sent = provider.sent()
    judged = sent[-1:] if (route_of(model), name) in REFUSED_ONCE else sent
    wrong = [(one.status, one.refused) for one in judged if one.status != 200] or answer_faults(answer)
    if wrong or len(judged) != 1:
        return wrong or len(sent)
    messages, body = [one.message for one in written], judged[0].body
    texts, joins = arrived(model, body), route_of(model) == "hosted_vllm"
    missing = lost(messages, body, texts, [], joins=joins)
    if missing:  # otherwise no change has to tell of anything
        missing = lost(messages, body, texts, changes_of(http, everywhere.served, request), joins=joins)
    return missing or invented(body) or None
