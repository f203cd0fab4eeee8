"""Tests lists of messages that Anthropic's API refuses, through the running process to providers of five wires.

Each list breaks one rule. The proxy repairs the list, or refuses it in Anthropic's words. A fault that only the
provider can see is repaired after the provider's words.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.process.broken_messages import BROKEN, CLAUDE_ALONE, UNREADABLE
from tests.process.known_histories import invented, lost
from tests.process.known_messages import answer_faults, as_chats, ask, changes_of, request_of, unwrapped
from tests.process.providers import Everywhere, arrived
from tests.process.test_known_messages_everywhere import JOINING, TARGETS
from tests.support.covering_cases import EVERYTHING, share_of

NATIVE = "anthropic/claude-opus-4-6"
OTHERS = tuple(model for model in TARGETS if model != NATIVE)

SEEN_BY_THE_PROVIDER = {
    "redacted thought of another maker",
    "thought of another maker",
    "thought of another maker at a call",
    "thought that was changed",
}
"""Lists that the provider alone can judge. Claude refuses the first request, and accepts the next."""


SENT = [
    (case, model, stream)
    for number, model in enumerate(TARGETS)
    for stream in (False, True)
    for case in share_of(list(BROKEN), number + stream)[:: 1 if EVERYTHING else 2]
]
"""The lists that are sent to each provider: a third of them, half of these as streams, unless all are asked for."""


def request_for(model: str, messages: list[Any], *, stream: bool = False) -> dict[str, Any]:
    """Return a request that declares the tool of the lists."""
    return request_of(model, {"messages": messages}, ["f", "my_tool_v1"], stream=stream)


@pytest.mark.parametrize(("case", "model", "stream"), SENT)
def test_broken_list_of_messages_is_repaired(
    http: httpx.Client, everywhere: Everywhere, case: str, model: str, stream: bool
) -> None:
    """The provider accepts it, gets all of it but for reported losses, and the answer is whole."""
    check(http, everywhere, case, request_for(model, BROKEN[case], stream=stream))


@pytest.mark.parametrize("case", share_of(list(BROKEN), 2))
def test_broken_list_of_messages_is_repaired_for_a_model_that_thinks_by_a_budget(
    http: httpx.Client, everywhere: Everywhere, case: str
) -> None:
    """Claude then wants thinking at the beginning of the open turn, which most lists do not have."""
    thinks = {"thinking": {"type": "enabled", "budget_tokens": 1_024}, "max_tokens": 4_096}
    check(http, everywhere, case, request_for("anthropic/claude-sonnet-4-5", BROKEN[case]) | thinks)


def check(http: httpx.Client, everywhere: Everywhere, case: str, request: dict[str, Any]) -> None:
    """Send a list, and compare it with the body that the provider got."""
    model = request["model"]
    provider = everywhere.of(model)

    answer = ask(http, everywhere.served, request)

    sent = provider.sent()
    assert answer_faults(answer) == []
    refused = [one.refused for one in sent if one.status != 200]
    assert len(sent) - len(refused) == 1
    assert len(refused) <= ("claude" in model and case in SEEN_BY_THE_PROVIDER), refused
    chats, body = as_chats(BROKEN[case]), sent[-1].body
    texts, joins = unwrapped(arrived(model, body)), model == JOINING
    if lost(chats, body, texts, [], joins=joins):  # otherwise no change has to tell of anything
        assert lost(chats, body, texts, changes_of(http, everywhere.served, request), joins=joins) == []
    assert invented(body) == []


@pytest.mark.each_value
@pytest.mark.parametrize("model", TARGETS)
@pytest.mark.parametrize("case", UNREADABLE)
def test_list_that_nobody_can_read_is_refused_with_its_place(
    http: httpx.Client, everywhere: Everywhere, case: str, model: str
) -> None:
    provider, (messages, path) = everywhere.of(model), UNREADABLE[case]

    answer = ask(http, everywhere.served, request_for(model, messages))

    check_refusal(answer, path)
    assert [one for one in provider.sent() if one.status == 200] == []
    assert model == NATIVE or provider.sent() == []


@pytest.mark.each_value
@pytest.mark.parametrize("model", OTHERS)
@pytest.mark.parametrize("case", CLAUDE_ALONE)
def test_block_that_only_claude_understands_is_refused_for_others(
    http: httpx.Client, everywhere: Everywhere, case: str, model: str
) -> None:
    provider, (messages, path) = everywhere.of(model), CLAUDE_ALONE[case]

    answer = ask(http, everywhere.served, request_for(model, messages))

    check_refusal(answer, path)
    assert provider.sent() == []


@pytest.mark.parametrize("case", CLAUDE_ALONE)
def test_block_that_only_claude_understands_reaches_claude_as_it_is(
    http: httpx.Client, everywhere: Everywhere, case: str
) -> None:
    provider, (messages, _) = everywhere.of(NATIVE), CLAUDE_ALONE[case]

    ask(http, everywhere.served, request_for(NATIVE, messages))

    assert [one.body["messages"] for one in provider.sent()] == [messages]


def check_refusal(answer: httpx.Response, path: str) -> None:
    """Check a refusal in Anthropic's envelope, whose message begins with the path of the fault."""
    assert answer.status_code == 400, answer.text
    told = answer.json()
    assert told["type"] == "error"
    assert told["error"]["type"] == "invalid_request_error"
    assert told["request_id"] == answer.headers["request-id"]
    assert told["error"]["message"].startswith(path), told
