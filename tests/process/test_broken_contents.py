"""Tests lists of contents that Gemini's API refuses, through the running process to providers of five wires.

Each list breaks one rule, and is written in both spellings. The proxy repairs the list, or refuses it with the path of
the fault. A fault that only the provider can see is repaired after the provider's words.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.process.broken_contents import BROKEN, GEMINI_ALONE, UNREADABLE
from tests.process.known_contents import answer_faults, as_chats, ask, changes_of, request_of, spelled
from tests.process.known_histories import invented, lost
from tests.process.known_messages import unwrapped
from tests.process.providers import Everywhere, arrived
from tests.process.test_known_contents_everywhere import FORMS, JOINING, TARGETS
from tests.support.covering_cases import EVERYTHING, share_of
from tests.support.gemini_grammar import find_error_faults

NATIVE = "gemini/gemini-3.6-flash"
OTHERS = tuple(model for model in TARGETS if not model.startswith("gemini/"))

FLAT = "litellm/mistral/mistral-large-latest"
"""A model whose messages have one text, in which parts stand without a separator."""

SEEN_BY_THE_PROVIDER = {
    "signature of another maker",
    "signature of the second call",
    "signature at a text",
}
"""Lists that the provider alone can judge. Gemini refuses the first request, and accepts the next."""

IN_ONE_TEXT = ("neighbours of one role",)
"""Lists whose texts arrive as one: google-genai keeps each chunk of a streamed answer as a content."""

SENT = [
    (case, model, form)
    for number, model in enumerate(TARGETS)
    for at, form in enumerate(FORMS)
    for case in share_of(list(BROKEN), number + at)[:: 1 if EVERYTHING else 4]
]
"""The lists that are sent to each provider in each form of the answer: a part of them, unless all are asked for."""


def request_for(contents: Any, *, snake: bool = False) -> dict[str, Any]:
    """Return a request that declares the tools of the lists, in snake case or in camel case."""
    request = request_of({"contents": contents}, ["f", "g", "my_tool_v1"])
    return dict(spelled(request)) if snake else request


@pytest.mark.parametrize(("case", "model", "form"), SENT)
def test_broken_list_of_contents_is_repaired(
    http: httpx.Client, everywhere: Everywhere, case: str, model: str, form: str
) -> None:
    """The provider accepts it, gets all of it but for reported losses, and the answer is whole."""
    provider, contents = everywhere.of(model), BROKEN[case]
    request = request_for(contents, snake=form == "events")

    answer = ask(http, everywhere.served, model, request, form)

    sent = provider.sent()
    assert answer_faults(answer, relayed=model.startswith("gemini/")) == []
    refused = [one.refused for one in sent if one.status != 200]
    assert len(sent) - len(refused) == 1
    assert len(refused) <= ("gemini-3" in model and case in SEEN_BY_THE_PROVIDER), refused
    chats, body = as_chats(contents), sent[-1].body
    texts = unwrapped(arrived(model, body))
    joins = model in (JOINING, FLAT) or case in IN_ONE_TEXT
    if lost(chats, body, texts, [], joins=joins):  # otherwise no change has to tell of anything
        changes = changes_of(http, everywhere.served, model, request)
        assert lost(chats, body, texts, changes, joins=joins) == []
    assert invented(body) == []


@pytest.mark.each_value
@pytest.mark.parametrize("model", TARGETS)
@pytest.mark.parametrize("case", UNREADABLE)
def test_list_that_nobody_can_read_is_refused_with_its_place(
    http: httpx.Client, everywhere: Everywhere, case: str, model: str
) -> None:
    provider, (contents, path) = everywhere.of(model), UNREADABLE[case]

    answer = ask(http, everywhere.served, model, request_for(contents))

    check_refusal(answer, path)
    assert provider.sent() == []


@pytest.mark.each_value
@pytest.mark.parametrize("model", OTHERS)
@pytest.mark.parametrize("case", GEMINI_ALONE)
def test_part_that_only_gemini_understands_is_refused_for_others(
    http: httpx.Client, everywhere: Everywhere, case: str, model: str
) -> None:
    provider, (contents, path) = everywhere.of(model), GEMINI_ALONE[case]

    answer = ask(http, everywhere.served, model, request_for(contents))

    check_refusal(answer, path)
    assert provider.sent() == []


@pytest.mark.parametrize("case", GEMINI_ALONE)
def test_part_that_only_gemini_understands_reaches_gemini_as_it_is(
    http: httpx.Client, everywhere: Everywhere, case: str
) -> None:
    provider, (contents, _) = everywhere.of(NATIVE), GEMINI_ALONE[case]

    ask(http, everywhere.served, NATIVE, request_for(contents))

    assert [one.body["contents"] for one in provider.sent()] == [contents]


def check_refusal(answer: httpx.Response, path: str) -> None:
    """Check a refusal in Google's envelope, whose message names the path of the fault."""
    assert answer.status_code == 400, answer.text
    told = answer.json()
    assert find_error_faults(told, 400) == []
    assert told["error"]["status"] == "INVALID_ARGUMENT"
    assert path in told["error"]["message"], told
