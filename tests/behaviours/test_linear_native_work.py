"""Tests that the work on a hostile request grows linearly with its size where a provider speaks the client's format.

The items of a client of the Responses API go out as items, the messages of a client of Anthropic's API as messages, and
the contents of a client of Gemini's API as contents, changed or not. A chat goes out as items where the model has no
chats, and as messages where the model is Claude.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from proxy.config import Settings, load_settings, resolve
from proxy.core.errors import ProxyError
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.ingress.anthropic_messages.read_request import read_request as parse_messages_request
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.ingress.openai_responses.read_request import read_request as parse_responses_request
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.plan import plan_request
from proxy.planning.plan_target import plan_target
from proxy.state.learned_windows import LearnedWindows
from proxy.upstream.wires.table import wire_for
from tests.behaviours.test_linear_work import LARGE, SMALL, beyond_proportion, parse_gemini_request
from tests.support.counted_steps import count_steps
from tests.support.covering_cases import EVERYTHING
from tests.support.hostile_bodies import CHAT, FAMILIES, GEMINI_API, MESSAGES_API, RESPONSES, body_of, path_of
from tests.support.hostile_bodies.schemas import SCHEMAS

CLAUDE = "anthropic/claude-opus-4-6"
GEMINI = "gemini/gemini-3.6-flash"
MODELS = {
    RESPONSES: "xai/grok-4",
    MESSAGES_API: CLAUDE,
    GEMINI_API: GEMINI,
    CHAT: "openai/gpt-5.3-codex",
}
"""The model for each path of requests."""

_WIRES = {
    RESPONSES: "proxy/upstream/wires/openai_responses/requests.py",
    MESSAGES_API: "proxy/upstream/wires/anthropic/native_requests.py",
    GEMINI_API: "proxy/upstream/wires/gemini/native_requests.py",
}
_NESTING = 128


@pytest.fixture(scope="module")
def settings() -> Settings:
    """Return settings with :data:`MODELS`, of which each answers in the Responses API, or is Claude or Gemini."""
    models: list[dict[str, Any]] = [
        {
            "model_name": model,
            "litellm_params": {"model": model, "api_base": "http://127.0.0.1:1/v1", "api_key": "k"},
            "model_info": {} if model in (CLAUDE, GEMINI) else {"mode": "responses"},
        }
        for model in MODELS.values()
    ]
    return load_settings(json.dumps({"model_list": models}).encode(), {}).settings


def work_on(family: str, size: int, settings: Settings, model: str = "") -> Counter[str]:
    """Return the steps of each file for a request, from its parsing to the provider's request.

    *model* is asked, or that of the path in :data:`MODELS`.
    """
    path = path_of(family)
    model = model or MODELS[path]
    body = body_of(family, size, model)

    def work() -> None:
        with suppress(ProxyError):  # a refusal is an answer as well
            if path == RESPONSES:
                chat = parse_responses_request(body, max_nesting=_NESTING, mends=True, weight=len(body))
            elif path == MESSAGES_API:
                chat = parse_messages_request(body, max_nesting=_NESTING, mends=True, weight=len(body))
            elif path == GEMINI_API:
                chat = parse_gemini_request(body, model)
            else:
                chat = parse_chat_request(body, max_nesting=_NESTING, mends=True)
            deployment = resolve(settings, model)[0]
            facts = facts_of(deployment, settings.budget, LearnedWindows().lessons_of(deployment, 0.0))
            plan = plan_request(
                chat, plan_target(deployment, settings.sanitize, lambda *_: frozenset()), facts=facts
            )
            call = UpstreamCall(
                deployment=deployment,
                messages=plan.messages,
                parameters=plan.parameters,
                timeouts=Timeouts(1.0, 1.0, 1.0, 1.0),
                ask_usage=True,
                extra_body={},
                source=plan.request.source,
                profile=plan.profile,
            )
            wire_for(call).write_request(call, stream=True)

    return count_steps(work)


ITEMS, BLOCKS, CONTENTS, CHATS = (
    [family for family in FAMILIES if path_of(family) == path and family not in SCHEMAS]
    for path in (RESPONSES, MESSAGES_API, GEMINI_API, CHAT)
)
FAMILIES_NOW = (
    [*ITEMS, *BLOCKS, *CONTENTS, *CHATS]
    if EVERYTHING
    else [*ITEMS[::2], *BLOCKS[::3], *CONTENTS[::3], *CHATS[::6]]
)
"""The families of a run. ``make test-deep`` takes all, since ``test_linear_work`` has them on other wires."""

CHATS_NOW = CHATS if EVERYTHING else CHATS[3::6]


@pytest.mark.parametrize("family", FAMILIES_NOW)
def test_steps_grow_with_the_size(settings: Settings, family: str) -> None:
    """In each file, four times the bytes take about four times the steps at most."""
    small = work_on(family, SMALL, settings)
    large = work_on(family, LARGE, settings)

    assert beyond_proportion(small, large) == {}
    assert large.total() > 50


@pytest.mark.parametrize("family", CHATS_NOW)
def test_steps_of_chats_to_claude_grow_with_the_size(settings: Settings, family: str) -> None:
    small = work_on(family, SMALL, settings, CLAUDE)
    large = work_on(family, LARGE, settings, CLAUDE)

    assert beyond_proportion(small, large) == {}


@pytest.mark.parametrize(
    ("path", "families"), [(RESPONSES, ITEMS), (MESSAGES_API, BLOCKS), (GEMINI_API, CONTENTS)]
)
def test_requests_are_written_in_the_client_s_format(
    settings: Settings, path: str, families: list[str]
) -> None:
    """Otherwise nothing of the wire would be counted."""
    some = families[::8]
    written = [family for family in some if work_on(family, SMALL, settings)[_WIRES[path]]]

    assert len(written) > len(some) / 2
