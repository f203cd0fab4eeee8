"""What OpenAI's own models refuse, at OpenAI's own address and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.upstream.direct.transport import DirectUpstream
from proxy.upstream.wires.openai import build_request
from tests.support.builders import user
from tests.support.proxied import settings_of

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


def deployment_of(model: str, **fields: Any) -> Deployment:
    """Build a deployment; it is OpenAI's own unless `api_base` says otherwise."""
    [deployment] = resolve(settings_of({"m": {"model": model, "api_key": "k", **fields}}), "m")
    return deployment


def withheld(model: str, parameters: dict[str, Any], **fields: Any) -> set[str]:
    """Ask the transport which of the parameters do not go upstream."""
    return set(DirectUpstream().unsupported(deployment_of(model, **fields), parameters))


def sent(model: str, parameters: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return what goes upstream beside the model and the messages."""
    call = UpstreamCall(
        deployment=deployment_of(model, **fields),
        messages=[user("x")],
        parameters=parameters,
        timeouts=Timeouts(1, 1, 1, 1),
    )
    body: dict[str, Any] = json.loads(build_request(call, stream=False))
    return {name: value for name, value in body.items() if name not in ("model", "messages")}


@pytest.mark.parametrize("model", WITHHELD)
def test_each_family_has_its_withheld_parameters(model: str) -> None:
    """Each family refuses what it refuses, and tools never."""
    assert withheld(f"openai/{model}", ALL) == WITHHELD[model]


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
def test_sampling_without_reasoning(model: str, effort: str | None, kept: bool) -> None:
    """From 5.1 on a model may answer without reasoning, some do by default; then it can be sampled from."""
    asked = {"temperature": 0.5, "top_p": 0.5, **({"reasoning_effort": effort} if effort else {})}

    assert withheld(f"openai/{model}", asked) == (set() if kept else {"temperature", "top_p"})


@pytest.mark.parametrize(("temperature", "kept"), [(1, True), (1.0, True), (0, False), (1.1, False)])
def test_temperature_of_one(temperature: float, kept: bool) -> None:
    """The default is taken even where it is the only one."""
    assert withheld("openai/o3", {"temperature": temperature}) == (set() if kept else {"temperature"})


@pytest.mark.parametrize("model", ["o1", "o3-mini", "gpt-5", "gpt-5.1", "gpt-5-search-api"])
def test_max_tokens_goes_under_the_models_name_for_it(model: str) -> None:
    """The limit goes under the name that the model takes; of two limits the newer name's counts."""
    both = {"max_tokens": 5, "max_completion_tokens": 7}

    assert sent(f"openai/{model}", {"user": "u", "max_tokens": 5}) == {
        "user": "u",
        "max_completion_tokens": 5,
    }
    assert withheld(f"openai/{model}", {"max_tokens": 5}) == set()
    assert withheld(f"openai/{model}", both) == {"max_tokens"}


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-5-chat-latest"])
def test_max_tokens_where_it_is_known(model: str) -> None:
    """A model that takes the old name gets it."""
    assert sent(f"openai/{model}", {"max_tokens": 5}) == {"max_tokens": 5}
    assert withheld(f"openai/{model}", {"max_tokens": 5, "max_completion_tokens": 7}) == set()


@pytest.mark.parametrize(
    ("model", "base", "own"),
    [
        ("openai/o3", "https://api.openai.com/v1", True),
        ("openai/o3", "https://API.OpenAI.com/v1", True),
        ("openai/o3", "https://eu.api.openai.com/v1", True),
        ("openai/o3", "http://127.0.0.1:8000/v1", False),
        ("openai/o3", "https://api.openai.com.example/v1", False),
        ("openai/o3", "https://notapi.openai.com/v1", False),
        ("openrouter/o3", None, False),
        ("xai/o3", "https://api.openai.com/v1", False),
    ],
)
def test_only_at_openai(model: str, base: str | None, own: bool) -> None:
    """A server that only speaks OpenAI's wire gets the parameters as they came."""
    fields = {} if base is None else {"api_base": base}
    asked = {"stop": ["x"], "max_tokens": 5}

    assert withheld(model, asked, **fields) == ({"stop"} if own else set())
    assert ("max_completion_tokens" in sent(model, {"max_tokens": 5}, **fields)) is own


def test_deployment_knows_better() -> None:
    """What a deployment allows by name goes, and goes by that name."""
    allowed = {"allowed_openai_params": ["max_tokens", "temperature"]}

    assert withheld("openai/o3", {"temperature": 0.5, "top_p": 0.5}, **allowed) == {"top_p"}
    assert sent("openai/o3", {"max_tokens": 5}, **allowed) == {"max_tokens": 5}
