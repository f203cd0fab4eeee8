"""Tests that the work on a hostile request grows linearly with its size, in every file of the code."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from proxy.config import Settings, load_settings, resolve
from proxy.core.chat_request import ChatRequest
from proxy.core.errors import ProxyError
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.ingress.anthropic_messages.read_request import read_request as parse_messages_request
from proxy.ingress.gemini_native.fields import read_fields
from proxy.ingress.gemini_native.read_request import to_chat
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.ingress.openai_responses.read_request import read_request as parse_responses_request
from proxy.ingress.openai_text.requests import parse_completion_request, parse_embedding_request
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.guard_turns import guard_chat
from proxy.planning.plan import plan_request
from proxy.planning.plan_target import plan_target
from proxy.state.learned_windows import LearnedWindows
from proxy.upstream.litellm.messages import litellm_messages
from proxy.upstream.wires.table import wire_of
from sanitizers.turns import TurnPolicy
from tests.support.counted_steps import count_steps
from tests.support.covering_cases import EVERYTHING
from tests.support.hostile_bodies import CHAT, FAMILIES, GEMINI_API, MESSAGES_API, RESPONSES, body_of, path_of
from tests.support.hostile_bodies.schemas import SCHEMAS

SMALL, LARGE = 2_048, 8_192
"""The bodies' sizes in bytes: large enough to show quadratic work, small enough to count every step."""

MOST = 4.6
"""The largest factor by which the steps of a file may grow when the body grows by the factor four."""

FREE = 2_000
"""Further steps that a file may take for a large body, since short cuts for small bodies end at some size."""

MAX_FOR_SCHEMAS = 60 * 100_000
"""The most steps for any schema: 60 for each of the 100,000 nodes that a search for references may visit."""

_NESTING = 128
_GUARD = TurnPolicy(mode="enforce", max_rounds=0, tell_model=True, hint_after_errors=2)

MODELS = ("gemini/gemini-3.6-flash", "mistral/mistral-large-latest")
"""Two models with different rules.

Gemini wants alternating roles and object arguments, and Mistral wants ids of nine letters.
"""

NARROW = "narrow"
"""A model with a context window so small that every history is cut for the model."""

_WINDOW = 256


@pytest.fixture(scope="module")
def settings() -> Settings:
    """Return settings with :data:`MODELS` and :data:`NARROW`."""
    models: list[dict[str, Any]] = [
        {"model_name": model, "litellm_params": {"model": model, "api_base": "http://127.0.0.1:1"}}
        for model in MODELS
    ]
    narrow = {"model_name": NARROW, "litellm_params": {"model": MODELS[0]}}
    models.append({**narrow, "model_info": {"max_input_tokens": _WINDOW}})
    given = {"model_list": models, "budget": {"exclude_tools": ["nothing"]}}
    return load_settings(json.dumps(given).encode(), {}).settings


def work_on(family: str, size: int, model: str, settings: Settings) -> Counter[str]:
    """Return the steps of each file for a request, from its parsing to the provider's request."""
    body = body_of(family, size, model)

    def work() -> None:
        with suppress(ProxyError):  # a refusal is an answer as well
            path = path_of(family)
            if path == RESPONSES:
                chat = parse_responses_request(body, max_nesting=_NESTING, mends=True, weight=len(body))
            elif path == MESSAGES_API:
                chat = parse_messages_request(body, max_nesting=_NESTING, mends=True, weight=len(body))
            elif path == GEMINI_API:
                chat = parse_gemini_request(body, model)
            elif path != CHAT:
                parse = parse_embedding_request if path.endswith("embeddings") else parse_completion_request
                parse(body, max_nesting=_NESTING)
                return
            else:
                chat = parse_chat_request(body, max_nesting=_NESTING, mends=True)
            guard_chat(chat, _GUARD, None, mode="repair")
            deployment = resolve(settings, model)[0]
            facts = facts_of(deployment, settings.budget, LearnedWindows().lessons_of(deployment, 0.0))
            target = plan_target(deployment, settings.sanitize, lambda *_: frozenset())
            plan = plan_request(chat, target, facts=facts)
            litellm_messages(plan.messages, plan.profile)
            call = UpstreamCall(
                deployment=deployment,
                messages=plan.messages,
                parameters=plan.parameters,
                timeouts=Timeouts(1.0, 1.0, 1.0, 1.0),
                ask_usage=True,
                extra_body={},
                profile=plan.profile,
            )
            wire_of(deployment).write_request(call, stream=True)

    return count_steps(work)


def parse_gemini_request(body: bytes, model: str) -> ChatRequest:
    """Return the request of Gemini's API in *body*, which the path says is for *model*."""
    fields = read_fields(body, model=model, max_nesting=_NESTING, mends=True, weight=len(body))
    return to_chat(fields, weight=len(body)).chat


def beyond_proportion(small: Counter[str], large: Counter[str]) -> dict[str, tuple[int, int]]:
    """Return the files whose steps grew more than the bytes did, with both counts."""
    return {path: (small[path], most) for path, most in large.items() if most > FREE + MOST * small[path]}


BLOCKS, CONTENTS = (
    [family for family in FAMILIES if path_of(family) == path] for path in (MESSAGES_API, GEMINI_API)
)
LEFT_OUT = set() if EVERYTHING else {*BLOCKS, *CONTENTS}.difference(BLOCKS[1::3], CONTENTS[1::3])
FAMILIES_NOW = [family for family in FAMILIES if family not in SCHEMAS and family not in LEFT_OUT]
"""The families of a run. ``test_linear_native_work`` takes another third of Anthropic's format and of Gemini's."""


@pytest.mark.each_value
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("family", FAMILIES_NOW)
def test_steps_grow_with_the_size(settings: Settings, family: str, model: str) -> None:
    """In each file, four times the bytes take about four times the steps at most."""
    small = work_on(family, SMALL, model, settings)
    large = work_on(family, LARGE, model, settings)

    assert beyond_proportion(small, large) == {}
    assert large.total() > 50


@pytest.mark.parametrize(
    "family", ["repeated_calls", "calls_in_one_turn", "cycles_of_calls", "failed_results"]
)
def test_steps_of_cuts_grow_with_the_size(settings: Settings, family: str) -> None:
    """The steps also grow linearly where most of a history has to be cut."""
    small = work_on(family, SMALL, NARROW, settings)
    large = work_on(family, LARGE, NARROW, settings)

    assert beyond_proportion(small, large) == {}
    assert large["sanitizers/budget/replay.py"] > 50


@pytest.mark.parametrize("family", SCHEMAS)
def test_steps_for_a_schema_are_bounded(settings: Settings, family: str) -> None:
    """The steps for a schema have an upper limit.

    The steps are not proportional to the schema's size, since references multiply the schema's nodes.
    """
    steps = work_on(family, LARGE, MODELS[0], settings)

    assert 50 < steps.total() < MAX_FOR_SCHEMAS
