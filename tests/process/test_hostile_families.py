"""Tests that the running process answers bodies that are made to be slow to process, and serves on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.answering import answering
from tests.process.running import Served, serve
from tests.support.covering_cases import EVERYTHING, share_of
from tests.support.hostile_bodies import CHAT, FAMILIES, GEMINI_API, address_of, body_of, path_of

SIZE = 16 * 1024
"""Bytes of a body.

Other tests count steps, and so find quadratic work. These tests demand only that each family is answered.
"""

MODELS = (
    "gemini/gemini-3.6-flash",
    "openai/gpt-4.1",
    "mistral/mistral-large-latest",
    "hosted_vllm/meta-llama/Llama-3.3-70B-Instruct",
    "anthropic/claude-opus-4-6",
)
"""One model on Gemini's wire, three on OpenAI's, and one on Anthropic's.

Those on OpenAI's differ in their rules for histories: any call ids, call ids of nine characters, and alternating roles.
"""

CONTENTS = [family for family in FAMILIES if path_of(family) == GEMINI_API]
FAMILIES_NOW = [
    family for family in FAMILIES if EVERYTHING or family not in CONTENTS or family in CONTENTS[::3]
]
"""The families of a run. ``make test-deep`` takes all of Gemini's format."""

SMALL = "small"
"""A model with a window so small that histories must be cut."""

THROUGH_LITELLM = "litellm-gemini"


def _entry(name: str, model: str, api_base: str, **further: Any) -> dict[str, Any]:
    ends = {"gemini": "/v1beta", "anthropic": ""}
    base = api_base + ends.get(model.partition("/")[0], "/v1")
    parameters = {"model": model, "api_key": "answered", "api_base": base}
    return {"model_name": name, "transport": "direct", "litellm_params": parameters, **further}


@pytest.fixture(scope="module")
def hostile(directory: Path) -> Iterator[Served]:
    """Run ``turnright serve``, without retries, in front of a provider that answers everything."""
    with answering() as api_base:
        models = [_entry(model, model, api_base) for model in MODELS]
        window = {"max_input_tokens": 4_000}
        models.append(_entry(SMALL, "gemini/gemini-3.6-flash", api_base, model_info=window))
        models.append(_entry(THROUGH_LITELLM, "gemini/gemini-3.6-flash", api_base, transport="litellm"))
        config = {
            "model_list": models,
            "general_settings": {"drain_delay": 0, "drain_grace": 2},
            "router_settings": {"num_retries": 0, "cooldown_time": 0},
        }
        with serve(directory, config) as process:
            yield process


@pytest.mark.parametrize("family", FAMILIES_NOW)
def test_each_family_is_answered_and_the_process_goes_on(
    http: httpx.Client, hostile: Served, family: str
) -> None:
    """Each body gets an answer or a refusal, never a 5xx status, and the process still answers ``/livez``."""
    models = [*MODELS, SMALL]
    if path_of(family) != CHAT:  # other formats become the same chats
        models = share_of(models, [*FAMILIES].index(family))
    for model in models:
        response = http.post(hostile.origin + address_of(family, model), content=body_of(family, SIZE, model))

        assert response.status_code < 500, (model, response.text[:500])
        assert http.get(f"{hostile.origin}/livez").status_code == 200


@pytest.mark.parametrize(
    "family", ["calls_in_one_turn", "identical_illegal_ids", "orphans", "systems", "tools"]
)
def test_families_are_answered_through_litellm(http: httpx.Client, hostile: Served, family: str) -> None:
    """Hostile bodies cause no 5xx status through litellm either, whose converters walk the history as well."""
    body = body_of(family, SIZE, THROUGH_LITELLM)

    response = http.post(hostile.origin + path_of(family), content=body)

    assert response.status_code < 500, response.text[:500]
    assert http.get(f"{hostile.origin}/livez").status_code == 200
