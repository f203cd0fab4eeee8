"""Tests lists of items that OpenAI refuses, through the running process to providers of each wire.

Each list breaks one of the rules that the emulator of responses judges. The proxy repairs the list, or refuses it in
OpenAI's words. A fault that only the provider can see is repaired after the provider's words.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.process.known_items import answer_faults, ask, request_of
from tests.process.providers import Everywhere
from tests.support.responses_emulator import owner_of, seal
from tests.support_tests.responses_cases import OWNER, REFUSED, THOUGHT_ID

TARGETS = ("xai/grok-4", "openai/gpt-4.1", "gemini/gemini-3.6-flash")
NATIVE = TARGETS[0]
OURS = owner_of({"Authorization": "Bearer emulated"}, {"model": "grok-4"})

SEEN_BY_THE_PROVIDER = {
    "call before its thought",
    "message without its thought",
    "thought of another account",
    "thought of another maker",
    "trigger before the end",  # the summary is asked for in a chat, which the emulator refuses once
}
"""Lists that the provider alone can judge. It refuses the first request, and accepts the next."""

WITHOUT_MEANING = (
    "bare reference",
    "item taken for a message",
    "reference",
    "summary of another maker",
)
"""Lists that no repair can save."""

ONLY_CONVERTED = {"part of a chat"}
"""Lists that are read for a chat, and that the provider of the client's own format refuses."""

REPAIRED = [
    (case, model)
    for case in REFUSED
    for model in TARGETS
    if case not in WITHOUT_MEANING and not (model == NATIVE and case in ONLY_CONVERTED)
]


def items_of(case: str) -> list[dict[str, Any]]:
    """Return the items of *case*, whose own thoughts the provider can read."""
    own = {"encrypted_content": seal(THOUGHT_ID, OURS)}
    given = seal(THOUGHT_ID, OWNER)
    return [item | own if item.get("encrypted_content") == given else item for item in REFUSED[case][0]]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("case", "model"), REPAIRED)
def test_broken_list_of_items_is_repaired(
    http: httpx.Client, everywhere: Everywhere, case: str, model: str, stream: bool
) -> None:
    provider = everywhere.of(model)
    request = request_of(model, items_of(case), ["f"], stream=stream)

    answer = ask(http, everywhere.served, request | {"include": ["reasoning.encrypted_content"]})

    sent = provider.sent()
    assert answer_faults(answer) == []
    refused = [one.refused for one in sent if one.status != 200]
    assert len(sent) - len(refused) == 1
    assert len(refused) <= (model == NATIVE and case in SEEN_BY_THE_PROVIDER), refused


@pytest.mark.parametrize("model", TARGETS)
@pytest.mark.parametrize("case", WITHOUT_MEANING)
def test_list_without_meaning_is_refused(
    http: httpx.Client, everywhere: Everywhere, case: str, model: str
) -> None:
    """The provider of the client's own format may refuse it, since nobody else uses its account here."""
    provider = everywhere.of(model)

    answer = ask(http, everywhere.served, request_of(model, items_of(case), ["f"]))

    assert answer.status_code in (400, 404), answer.text
    assert answer.json()["error"]["message"]
    assert [one for one in provider.sent() if one.status == 200 or model != NATIVE] == []
