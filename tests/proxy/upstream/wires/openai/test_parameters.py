"""Tests that parameters that OpenAI's own models refuse are withheld only at OpenAI's own address."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.wires.openai import build_request
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.proxy.upstream.dialects.test_openai_models import withheld
from tests.support.builders import user


def sent(model: str, parameters: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return the fields of the request without the model and the messages."""
    call = UpstreamCall(
        deployment=deployment_of(model, **fields),
        messages=[user("x")],
        parameters=parameters,
        timeouts=LIMITS,
    )
    body: dict[str, Any] = json.loads(build_request(call, stream=False))
    return {name: value for name, value in body.items() if name not in ("model", "messages")}


def budget(tokens: int) -> dict[str, Any]:
    """Return Claude's ``thinking`` with a budget."""
    return {"type": "enabled", "budget_tokens": tokens}


@pytest.mark.parametrize("model", ["o1", "o3-mini", "gpt-5", "gpt-5.1", "gpt-5-search-api"])
def test_max_tokens_goes_under_the_models_name_for_it(model: str) -> None:
    """``max_tokens`` is sent as ``max_completion_tokens``, and is withheld where a request has both."""
    both = {"max_tokens": 5, "max_completion_tokens": 7}

    assert sent(f"openai/{model}", {"user": "u", "max_tokens": 5}) == {
        "user": "u",
        "max_completion_tokens": 5,
    }
    assert withheld(f"openai/{model}", {"max_tokens": 5}) == set()
    assert withheld(f"openai/{model}", both) == {"max_tokens"}


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-5-chat-latest"])
def test_model_that_takes_max_tokens_gets_it(model: str) -> None:
    """A model that knows ``max_tokens`` gets it under this name, and neither limit is withheld."""
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
def test_rules_for_openai_s_models_apply_at_openai_s_address_only(
    model: str, base: str | None, own: bool
) -> None:
    """Other OpenAI-compatible servers get the parameters unchanged."""
    fields = {} if base is None else {"api_base": base}
    asked = {"stop": ["x"], "max_tokens": 5}

    assert withheld(model, asked, **fields) == ({"stop"} if own else set())
    assert ("max_completion_tokens" in sent(model, {"max_tokens": 5}, **fields)) is own


def test_parameters_that_the_deployment_allows_keep_value_and_name() -> None:
    """The operator's ``allowed_openai_params`` overrides the rules for OpenAI's models."""
    allowed = {"allowed_openai_params": ["max_tokens", "temperature"]}

    assert withheld("openai/o3", {"temperature": 0.5, "top_p": 0.5}, **allowed) == {"top_p"}
    assert sent("openai/o3", {"max_tokens": 5}, **allowed) == {"max_tokens": 5}


def body_of(profile: str | None, parameters: dict[str, Any], *, stream: bool = False) -> dict[str, Any]:
    """Return the body for a server of OpenAI's wire whose entry names *profile*."""
    deployment = replace(deployment_of("openai/m", api_base="http://127.0.0.1:1/v1"), profile=profile)
    call = UpstreamCall(deployment, [user("x")], parameters=parameters, timeouts=LIMITS)
    body: dict[str, Any] = json.loads(build_request(call, stream=stream))
    return body


@pytest.mark.parametrize(("profile", "asked"), [("mistral", False), ("deepseek", True), (None, True)])
def test_only_services_that_know_stream_options_get_them(profile: str | None, asked: bool) -> None:
    """Mistral refuses ``stream_options`` and reports the usage unasked."""
    assert ("stream_options" in body_of(profile, {}, stream=True)) is asked


def test_profile_chooses_the_names_of_parameters() -> None:
    """The seed has Mistral's name, and DeepSeek gets its switch for thinking."""
    assert body_of("mistral", {"seed": 1})["random_seed"] == 1
    assert body_of(None, {"seed": 1})["seed"] == 1
    assert body_of("deepseek-thinking", {"reasoning_effort": "high"})["thinking"] == {"type": "enabled"}
    assert "thinking" not in body_of(None, {"reasoning_effort": "high"})


CLAUDE = "databricks/databricks-claude-sonnet-4-5"


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({"reasoning_effort": "low"}, {"max_tokens": 5120, "thinking": budget(1024)}),
        ({"reasoning_effort": "high", "max_tokens": 9000}, {"max_tokens": 9000, "thinking": budget(4096)}),
        ({"reasoning_effort": "none", "temperature": 0.5}, {"temperature": 0.5}),
    ],
)
def test_effort_of_claude_at_databricks_is_a_budget_of_tokens(
    given: dict[str, Any], written: dict[str, Any]
) -> None:
    """Without a limit, the answer gets room beside the thinking."""
    assert sent(CLAUDE, given, api_base="https://adb.test/serving-endpoints") == written


@pytest.mark.parametrize("effort", ["default", "high"])
def test_effort_that_the_operator_allows_stays(effort: str) -> None:
    """An allowed parameter is sent as it came. No budget belongs to the effort ``default``."""
    given = {"reasoning_effort": effort}
    params = {"api_base": "https://adb.test/serving-endpoints", "allowed_openai_params": ["reasoning_effort"]}

    assert sent(CLAUDE, given, **params) == given
