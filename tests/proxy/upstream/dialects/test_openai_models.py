"""Tests of the parameters that OpenAI's own models refuse at OpenAI's own address."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.dialects.responses_models import NO_FIELD, asks_responses
from proxy.upstream.direct.transport import DirectUpstream
from proxy.upstream.wires.openai.parameters import renamed_parameters
from tests.proxy.upstream.deployments import deployment_of

ALL: dict[str, Any] = {
    "frequency_penalty": 0.5,
    "logit_bias": {},
    "logprobs": True,
    "max_tokens": 9,
    "n": 2,
    "parallel_tool_calls": False,
    "presence_penalty": 0.5,
    "prediction": {},
    "reasoning_effort": "low",
    "seed": 1,
    "stop": ["x"],
    "temperature": 0.5,
    "tools": [],
    "tool_choice": "auto",
    "top_logprobs": 1,
    "top_p": 0.5,
    "user": "u",
    "verbosity": "low",
}


SAMPLING = {"logprobs", "temperature", "top_logprobs", "top_p"}


O_SERIES = SAMPLING | {
    "frequency_penalty",
    "logit_bias",
    "parallel_tool_calls",
    "presence_penalty",
    "verbosity",
}


AT_REST = {"frequency_penalty", "logit_bias", "prediction", "presence_penalty", "stop"}


GPT_5 = AT_REST | SAMPLING


EFFORT = {"reasoning_effort", "verbosity"}


WITHHELD: dict[str, set[str]] = {
    "o1": O_SERIES,
    "o3-mini": O_SERIES,
    "o3-mini-2025-01-31": O_SERIES,
    "o3": O_SERIES | {"stop"},
    "o4-mini": O_SERIES | {"stop"},
    "ft:o4-mini-2025-04-16:us::1": O_SERIES | {"stop"},
    "gpt-5": GPT_5,
    "gpt-5-2025-08-07": GPT_5,
    "gpt-5-mini": GPT_5,
    "gpt-5-pro": GPT_5,
    "gpt-5.1": GPT_5,
    "gpt-5.1-codex": GPT_5,
    "gpt-5.6": GPT_5,
    "gpt-6-sol": GPT_5,
    "gpt-5-search-api": GPT_5 | {"n", "parallel_tool_calls", "reasoning_effort", "seed"},
    "gpt-5-chat-latest": EFFORT,
    "gpt-4o": EFFORT,
    "gpt-4.1-mini": EFFORT,
    "gpt-3.5-turbo": EFFORT,
    "ft:gpt-4o-mini-2024-07-18:us::1": EFFORT,
    "omni-1": set(),
    "my-gpt-5": set(),
}


def withheld(model: str, parameters: dict[str, Any], **fields: Any) -> set[str]:
    """Return the parameters that the transport does not send upstream."""
    return set(DirectUpstream().unsupported(deployment_of(model, **fields), parameters))


@pytest.mark.parametrize("model", WITHHELD)
def test_each_family_refuses_its_own_parameters(model: str) -> None:
    """Each family withholds exactly its own parameters, and no family withholds tools.

    A model that is asked through the Responses API also withholds what has no field there.
    """
    by_responses = NO_FIELD if asks_responses(deployment_of(f"openai/{model}")) else set()

    assert withheld(f"openai/{model}", ALL) == WITHHELD[model] | (by_responses & ALL.keys())


AT_AZURE = {"api_base": "https://res.openai.azure.com", "api_version": "2025-04-01-preview"}


@pytest.mark.parametrize(
    ("name", "model"),
    [
        *((model, model) for model in ("o3-mini", "gpt-5-mini", "gpt-5.1", "gpt-4o", "omni-1")),
        ("gpt5_series/mine", "gpt-5"),
        ("o_series/mine", "o4-mini"),
        ("mine", "omni-1"),
    ],
)
def test_azure_s_models_refuse_what_openai_s_do(name: str, model: str) -> None:
    """A deployment at Azure has the name of its model, or one that begins with the model's family."""
    assert withheld(f"azure/{name}", ALL, **AT_AZURE) == WITHHELD[model]


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("gpt-4o", EFFORT),
        ("openai/gpt-4o", EFFORT),
        ("o3-mini", O_SERIES),
        ("openai/gpt-5", GPT_5),
        ("Llama-3.3-70B-Instruct", set()),
        ("mistral-ai/mistral-medium-2505", set()),
    ],
)
def test_openai_s_models_at_github_refuse_what_openai_s_do(name: str, refused: set[str]) -> None:
    """GitHub runs OpenAI's models at Azure. Its other models have no rules here."""
    assert withheld(f"github/{name}", ALL) == refused


@pytest.mark.parametrize(
    ("name", "sent"),
    [("gpt5_series/mine", "max_completion_tokens"), ("o3", "max_completion_tokens"), ("mine", "max_tokens")],
)
def test_limit_of_azure_s_reasoning_models_has_its_newer_name(name: str, sent: str) -> None:
    """A model that reasons refuses ``max_tokens``."""
    deployment = deployment_of(f"azure/{name}", **AT_AZURE)

    assert renamed_parameters(deployment, {"max_tokens": 9}) == {sent: 9}


@pytest.mark.parametrize(
    ("model", "effort", "kept"),
    [
        ("gpt-5.1", None, True),
        ("gpt-5.2-2025-12-11", None, True),
        ("gpt-5.4-mini", None, True),
        ("gpt-5.4", "none", True),
        ("gpt-5.4", "low", False),
        ("gpt-5.5", None, False),
        ("gpt-5.5", "none", True),
        ("gpt-6-sol", "none", True),
        ("gpt-5", "none", False),
        ("gpt-5.1-chat-latest", None, False),
        ("gpt-5.2-pro", None, False),
        ("o3", "none", False),
    ],
)
def test_sampling_is_refused_while_the_model_reasons(model: str, effort: str | None, kept: bool) -> None:
    """From GPT-5.1 on, a model may skip reasoning, and some models do so by default."""
    asked = {"temperature": 0.5, "top_p": 0.5, **({"reasoning_effort": effort} if effort else {})}

    assert withheld(f"openai/{model}", asked) == (set() if kept else {"temperature", "top_p"})


@pytest.mark.parametrize(("temperature", "kept"), [(1, True), (1.0, True), (0, False), (1.1, False)])
def test_temperature_of_one_is_taken_while_the_model_reasons(temperature: float, kept: bool) -> None:
    """A temperature of 1 is accepted, since it is the default."""
    assert withheld("openai/o3", {"temperature": temperature}) == (set() if kept else {"temperature"})
