"""Tests of the parameters that a deployment gets in a request for embeddings or a text completion."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from proxy.config import resolve
from proxy.core.chat_request import ProviderNeed
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.core.text_request import EmbeddingSource, TextRequest
from proxy.forwarding.text.plan_attempts import TextAttemptPlanner
from proxy.forwarding.text.plans import able_to_embed, plan_embeddings, plan_text
from tests.support.proxied import settings_of


def deployment_of(model: str, **params: Any) -> Deployment:
    """Return the deployment of *model*."""
    [found] = resolve(
        settings_of(model_list=[{"model_name": "m", "litellm_params": {"model": model, **params}}]), "m"
    )
    return found


def request_of(**parameters: Any) -> TextRequest:
    """Return a request with *parameters* and two unknown parameters."""
    return TextRequest("m", False, False, parameters, {"guided": 1, "steering": 2})


def refusing(*names: str) -> Any:
    """Return a check by which a deployment takes all parameters but *names*."""

    def unsupported(_: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        return frozenset(names) & parameters.keys()

    return unsupported


def test_embeddings_lose_parameters_that_their_provider_does_not_take() -> None:
    """An unknown parameter is sent only where the deployment allows it by name."""
    request = request_of(input="a", dimensions=2, user="u")
    plan = plan_embeddings(
        request, deployment_of("openai/e", allowed_openai_params=["guided"]), "repair", refusing("user")
    )

    assert dict(plan.parameters) == {"input": "a", "dimensions": 2}
    assert dict(plan.extra_body) == {"guided": 1}
    assert plan.dropped == ("steering", "user")


def test_text_is_sent_unchanged_where_the_model_completes_texts() -> None:
    """A model that completes texts itself also gets the parameters that chats do not have."""
    plan = plan_text(
        request_of(prompt="a", echo=True, best_of=2), deployment_of("openai/t"), "repair", refusing("best_of")
    )

    assert dict(plan.parameters) == {"prompt": "a", "echo": True, "best_of": 2}
    assert plan.dropped == ("guided", "steering")


def test_chat_model_gets_only_the_parameters_of_chats() -> None:
    """Parameters that chats do not have are dropped for a chat model, and the plan names the dropped ones."""
    plan = plan_text(
        request_of(prompt="a", best_of=2, temperature=1),
        deployment_of("gemini/gemini-3.6-flash"),
        "repair",
        refusing("seed"),
    )

    assert plan.parameters["prompt"] == "a"
    assert "best_of" not in plan.parameters
    assert set(plan.dropped) == {"best_of", "guided", "steering"}


@pytest.mark.parametrize("name", ["echo", "suffix"])
def test_parameter_that_changes_the_text_is_refused_for_a_chat_model(name: str) -> None:
    """``echo`` and ``suffix`` are refused for a chat model, since the client would get another kind of text."""
    with pytest.raises(InvalidRequest) as refused:
        plan_text(
            request_of(prompt="a", **{name: "x"}),
            deployment_of("gemini/gemini-3.6-flash"),
            "repair",
            refusing(),
        )

    assert refused.value.param == name


def test_text_gets_the_defaults_that_texts_have() -> None:
    """A text completion gets the deployment's defaults where the request says nothing.

    Defaults that only chats have are left out.
    """
    deployment = deployment_of(
        "openai/t", max_completion_tokens=9, temperature=0.5, stop=["\n\n"], logprobs=True, dimensions=3, n=2
    )
    plan = plan_text(request_of(prompt="a", temperature=0), deployment, "repair", refusing())

    assert dict(plan.parameters) == {
        "prompt": "a",
        "temperature": 0,
        "max_tokens": 9,
        "stop": ["\n\n"],
        "n": 2,
    }


def test_best_of_keeps_out_the_default_number_of_answers() -> None:
    """A request with ``best_of`` does not get the default ``n``, which could be above it."""
    plan = plan_text(request_of(prompt="a", best_of=1), deployment_of("openai/t", n=2), "repair", refusing())

    assert dict(plan.parameters) == {"prompt": "a", "best_of": 1}


def test_a_chat_for_a_text_gets_the_defaults_of_chats() -> None:
    """A chat model that completes a text gets its defaults, but for those whose answer a text cannot carry."""
    deployment = deployment_of("mistral/m", max_tokens=9, temperature=0.5, logprobs=True, dimensions=3)
    plan = plan_text(request_of(prompt="a", temperature=0), deployment, "off", refusing())

    assert dict(plan.parameters) == {"prompt": "a", "temperature": 0, "max_tokens": 9}


def test_embeddings_get_their_default_length() -> None:
    """Embeddings get the default ``dimensions`` and ``user``, unless their provider does not take them."""
    deployment = deployment_of("openai/e", dimensions=3, user="u", temperature=1)

    plan = plan_embeddings(request_of(input="a"), deployment, "repair", refusing("user"))
    assert dict(plan.parameters) == {"input": "a", "dimensions": 3}

    plan = plan_embeddings(request_of(input="a", dimensions=2), deployment, "repair", refusing())
    assert dict(plan.parameters) == {"input": "a", "dimensions": 2, "user": "u"}


def gemini_request(*needs: ProviderNeed) -> TextRequest:
    """Return a request of Gemini's API with *needs*."""
    source = EmbeddingSource(b"{}", {"taskType": "X"}, is_batch=False, own=("taskType",), needs=needs)
    return TextRequest("m", False, False, {"input": ["a"], "dimensions": 2}, {}, source=source)


def test_gemini_gets_the_source_and_the_operator_s_defaults_alone() -> None:
    """The client's own parameters stand in the source. Another provider gets them, and not the source."""
    request, model = gemini_request(), "gemini/gemini-embedding-001"
    plain = plan_embeddings(request, deployment_of(model), "repair", refusing())
    default = plan_embeddings(request, deployment_of(model, dimensions=5), "repair", refusing())
    other = plan_embeddings(request, deployment_of("openai/e", dimensions=5), "repair", refusing())

    assert (plain.source, dict(plain.parameters), plain.dropped) == (request.source, {"input": ["a"]}, ())
    assert dict(default.parameters) == {"input": ["a"], "dimensions": 5}
    assert (other.source, dict(other.parameters)) == (None, dict(request.parameters))
    assert other.dropped == ("taskType",)


def test_words_of_a_source_are_the_client_s() -> None:
    """An error of the provider's may quote them."""
    request = gemini_request()
    deployment = deployment_of("gemini/gemini-embedding-001")
    make_plan = partial(plan_embeddings, unsupported=refusing())
    planner = TextAttemptPlanner(request, make_plan, settings_of({"m": "gemini/gemini-embedding-001"}))
    assert request.source is not None

    assert request.source.fields in planner.values_of(make_plan(request, deployment, "repair"))


def test_needs_of_a_source_choose_the_deployments_of_a_pool() -> None:
    """A pool without such a deployment stays whole, and its plan refuses the request."""
    media = ProviderNeed("'content.parts[0]' must have a text.", "content.parts[0]")
    request = gemini_request(media)
    gemini, other = deployment_of("gemini/gemini-embedding-2-preview"), deployment_of("openai/e")
    assert request.source is not None

    assert able_to_embed(request.source, [other, gemini]) == (gemini,)
    assert able_to_embed(request.source, [other]) == (other,)
    assert plan_embeddings(request, gemini, "repair", refusing()).source is request.source
    with pytest.raises(InvalidRequest) as refused:
        plan_embeddings(request, other, "strict", refusing())
    assert (refused.value.param, refused.value.of_deployment) == ("content.parts[0]", True)
