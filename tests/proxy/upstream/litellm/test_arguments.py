"""Tests of the arguments of litellm's calls: the proxy's own, and parameters from the allow-list."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.core.upstream_call import TextCall, Timeouts, UpstreamCall
from proxy.upstream.litellm.arguments import build_arguments, build_embedding_arguments
from tests.proxy.upstream.deployments import deployment_of
from tests.support.builders import user
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = LITELLM_NOISE

LIMITS = Timeouts(2, 1, 1, 1)
BASE = "http://127.0.0.1:1/v1"
TOOL = {"type": "function", "function": {"name": "f", "strict": True, "parameters": {"type": "object"}}}


def arguments_of(model: str, *, stream: bool = False, call: Any = None, **params: Any) -> dict[str, Any]:
    """Return the arguments of one call."""
    fields = {"parameters": {}, **(call or {})}
    wanted = UpstreamCall(
        deployment_of(model, api_base=BASE, **params), [user("a")], timeouts=LIMITS, **fields
    )
    return build_arguments(wanted, stream=stream)


def test_proxy_s_own_arguments_are_set() -> None:
    """The arguments allow no retries, and hold one address and one key.

    For a server without a key, the arguments hold a placeholder key.
    """
    arguments = arguments_of("openai/m", call={"parameters": {"temperature": 0.5}})

    assert arguments["temperature"] == 0.5
    assert (arguments["max_retries"], arguments["drop_params"], arguments["stream"]) == (0, True, False)
    assert (arguments["model"], arguments["api_base"]) == ("openai/m", BASE)
    assert arguments["api_key"] == "no-key"
    assert arguments_of("openai/m", api_key="k")["api_key"] == "k"


@pytest.mark.parametrize(
    ("model", "params"),
    [
        ("bedrock/m", {}),
        ("sagemaker_chat/m", {}),
        ("vertex_ai/m", {}),
        ("azure/m", {"tenant_id": "t", "client_id": "c", "client_secret": "s"}),
    ],
)
def test_credentials_other_than_a_key_get_no_stand_in(model: str, params: dict[str, Any]) -> None:
    """A placeholder key would be sent in place of other credentials, for example as Bedrock's API key."""
    assert "api_key" not in arguments_of(model, **params)
    assert arguments_of(model, api_key="k", **params)["api_key"] == "k"


def test_the_timeout_is_that_of_the_deployment_for_every_call() -> None:
    """Each new timeout value would make litellm open another HTTP client."""
    one = arguments_of("openai/m", timeout=7)["timeout"]

    assert (one.read, one.connect) == (7, 2)
    assert arguments_of("openai/m", timeout=7, call={"weight": 5})["timeout"] == one


@pytest.mark.parametrize(
    ("stream", "ask", "given"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_only_a_stream_is_asked_for_its_usage(stream: bool, ask: bool, given: bool) -> None:
    """A whole answer holds its usage anyway."""
    arguments = arguments_of("openai/m", stream=stream, call={"ask_usage": ask})

    assert ("stream_options" in arguments) is given


@pytest.mark.parametrize(
    ("model", "extra_body", "top_k"), [("openai/m", None, 3), ("hosted_vllm/m", {"top_k": 3}, None)]
)
def test_top_k_goes_in_the_body_where_openai_s_sdk_asks(
    model: str, extra_body: Any, top_k: int | None
) -> None:
    """For servers behind OpenAI's SDK, ``top_k`` goes in the body, since the SDK has no such argument."""
    arguments = arguments_of(model, call={"parameters": {"top_k": 3}})

    assert (arguments.get("extra_body"), arguments.get("top_k")) == (extra_body, top_k)


def test_carried_parameters_are_allowed_by_name() -> None:
    """Litellm drops parameters that its table lacks, unless the call allows them by name."""
    arguments = arguments_of(
        "openai/m", call={"parameters": {"user": "u", "n": 1}}, allowed_openai_params=["seed"]
    )

    assert arguments["allowed_openai_params"] == ["seed", "user"]


@pytest.mark.parametrize(("model", "is_kept"), [("openai/m", True), ("cohere/m", False)])
def test_tools_are_copies_without_the_fields_that_cohere_refuses(model: str, is_kept: bool) -> None:
    """The tools are copied, since litellm writes into the tools that it gets."""
    [sent] = arguments_of(model, call={"parameters": {"tools": [TOOL]}})["tools"]

    assert sent is not TOOL
    assert ("strict" in sent["function"]) is is_kept


def test_headers_and_credentials_of_the_deployment_go_along() -> None:
    """Litellm gets the headers and credentials as plain text."""
    arguments = arguments_of("openai/m", extra_headers={"X-Team": "red-team"}, organization="org-1")

    assert arguments["extra_headers"] == {"X-Team": "red-team"}
    assert arguments["organization"] == "org-1"


def test_dimensions_of_embeddings_are_allowed_by_name() -> None:
    """Without that permission, litellm drops ``dimensions`` for models whose names litellm does not know."""
    call = TextCall(
        deployment_of("openai/e", api_base=BASE), {"input": "a", "dimensions": 5}, LIMITS, extra_body={"x": 1}
    )
    arguments = build_embedding_arguments(call)

    assert arguments["allowed_openai_params"] == ["dimensions"]
    assert (arguments["input"], arguments["dimensions"], arguments["extra_body"]) == ("a", 5, {"x": 1})


def test_profile_chooses_the_names_of_parameters_on_a_route_that_litellm_passes_on() -> None:
    """OpenAI's SDK has no argument ``random_seed``, so this field goes into ``extra_body``."""
    deployment = replace(deployment_of("openai/m", api_base=BASE), profile="mistral")
    call = UpstreamCall(deployment, [user("a")], parameters={"seed": 1}, timeouts=LIMITS)
    arguments = build_arguments(call, stream=False)

    assert arguments["extra_body"] == {"random_seed": 1}
    assert "seed" not in arguments


@pytest.mark.parametrize(
    ("model", "profile", "asked"),
    [
        ("openai/m", "mistral", False),
        ("openai/m", None, True),
        ("hosted_vllm/m", "mistral", False),
        ("mistral/m", None, True),
    ],
)
def test_usage_is_asked_for_where_the_provider_takes_that(
    model: str, profile: str | None, asked: bool
) -> None:
    """On Mistral's own route litellm reads the option itself, and sends no such field."""
    deployment = replace(deployment_of(model, api_base=BASE), profile=profile)
    call = UpstreamCall(deployment, [user("a")], parameters={}, timeouts=LIMITS)

    assert ("stream_options" in build_arguments(call, stream=True)) is asked
