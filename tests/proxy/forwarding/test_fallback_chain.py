"""Tests the fallback chain of a request: its pool, then each fallback model once."""

from __future__ import annotations

import json
from functools import partial

import pytest

from proxy.config import Settings, load_settings
from proxy.core.errors import ModelNotFound
from proxy.forwarding.fallback_chain import FallbackChain
from proxy.ingress.openai_responses.fields import read_fields
from proxy.ingress.openai_responses.read_request import to_chat
from proxy.planning.provider_needs import able_to_serve
from proxy.resilience.failure_table import TABLE, Kind, Row
from proxy.resilience.read_error import NO_ERROR_FACTS
from tests.support.proxied import settings_of

ROWS: dict[Kind, Row] = {row.kind: row for row in reversed(TABLE)}
SERVER, OVERFLOW, FILTER = (
    ROWS[kind] for kind in (Kind.SERVER_ERROR, Kind.CONTEXT_OVERFLOW, Kind.CONTENT_FILTER)
)


def settings() -> Settings:
    """Return settings with four models, circular fallback chains, and a wildcard."""
    names = {name: f"openai/{name}" for name in ("a", "b", "c", "long")} | {"openai/*": "openai/*"}
    router = {
        "fallbacks": [{"a": ["b", "c"]}, {"b": ["a"]}, {"openai/*": ["c"]}],
        "context_window_fallbacks": [{"a": ["long"]}],
    }
    return settings_of(names, router_settings=router)


def names_after(course: FallbackChain, row: Row) -> list[str]:
    """Fall back until no fallback is left, and return the models in order."""
    found = []
    while course.can_fall_back(row):
        course.fall_back(row)
        found.append(course.pool[0].name)
    return found


def test_chain_is_the_asked_models_in_the_configured_order() -> None:
    """Each configured fallback is used once. The chain of a fallback is not followed."""
    assert names_after(FallbackChain("a", settings()), SERVER) == ["b", "c"]


def test_overflow_falls_back_along_the_context_window_chain_only() -> None:
    """An overflow uses the context window's chain only, since another model with the same window would refuse too."""
    course = FallbackChain("a", settings())
    assert names_after(course, OVERFLOW) == ["long"]
    assert names_after(course, SERVER) == ["b", "c"]


def test_filtered_prompt_has_no_fallback_of_its_own() -> None:
    """A filtered prompt goes to another model only where the operator names one for it."""
    assert names_after(FallbackChain("a", settings()), FILTER) == []


def test_model_of_a_wildcard_has_the_wildcards_chain() -> None:
    """A model that matches a wildcard has the chain of the wildcard's name."""
    assert names_after(FallbackChain("openai/x", settings()), SERVER) == ["c"]
    assert names_after(FallbackChain("c", settings()), SERVER) == []


def test_chain_of_the_star_is_for_models_without_their_own() -> None:
    """The chain of ``*`` is for models without a chain of their own, as in LiteLLM."""
    router = {"fallbacks": [{"a": ["b"]}, {"*": ["c"]}]}
    of = settings_of({name: f"openai/{name}" for name in "abcd"}, router_settings=router)
    assert [names_after(FallbackChain(name, of), SERVER) for name in "adc"] == [["b"], ["c"], []]


def test_fallback_begins_with_new_tries() -> None:
    """A fallback starts with new counts: the failures of one model do not count for the next."""
    course = FallbackChain("a", settings())
    course.count(course.pool[0], SERVER)
    vars(course)["refused_for"] = NO_ERROR_FACTS
    assert (course.tries, course.kinds, course.tried) == (1, {SERVER.kind: 1}, {0})
    course.fall_back(SERVER)
    assert (course.tries, course.kinds, course.tried) == (0, {}, set())
    assert course.repair_cause is None


def test_unknown_model_is_not_found() -> None:
    """A model that is not configured raises ModelNotFound."""
    with pytest.raises(ModelNotFound):
        FallbackChain("nope", settings())


def test_filtered_request_falls_back_along_its_own_chain_only() -> None:
    """``content_policy_fallbacks`` names the models that may get a filtered request."""
    of = settings_of(
        {name: f"openai/{name}" for name in "abc"},
        router_settings={"fallbacks": [{"*": ["b"]}], "content_policy_fallbacks": [{"a": ["c"]}]},
    )
    assert names_after(FallbackChain("a", of), FILTER) == ["c"]
    assert names_after(FallbackChain("b", of), FILTER) == []
    assert names_after(FallbackChain("a", of), SERVER) == ["b"]


def test_default_fallbacks_are_for_models_without_a_chain() -> None:
    """A model never falls back to itself. Default fallbacks are not used after a content filter or an overflow."""
    of = settings_of(
        {name: f"openai/{name}" for name in "abcd"},
        router_settings={"fallbacks": [{"a": ["b"]}], "default_fallbacks": ["c", "d"]},
    )
    assert [names_after(FallbackChain(name, of), SERVER) for name in "abc"] == [["b"], ["c", "d"], ["d"]]
    assert names_after(FallbackChain("b", of), FILTER) == names_after(FallbackChain("b", of), OVERFLOW) == []


@pytest.mark.parametrize(
    ("asked", "models"),
    [
        pytest.param("x", ["b", "c"], id="own chain"),
        pytest.param("y", ["c"], id="its model's chain"),
        pytest.param("a", ["c"], id="the model itself"),
    ],
)
def test_second_name_falls_back_and_is_no_second_model(asked: str, models: list[str]) -> None:
    """A model is called once, even if a chain lists it under several names."""
    of = settings_of(
        {name: f"openai/{name}" for name in "abc"},
        router_settings={
            "model_group_alias": {"x": "a", "y": "a", "third": "c"},
            "fallbacks": [{"x": ["a", "y", "b", "third", "c"]}, {"a": ["third", "c"]}],
        },
    )
    assert names_after(FallbackChain(asked, of), SERVER) == models


def test_fallback_that_was_left_out_is_not_asked() -> None:
    """A model whose key variable is not set is skipped under its name, a wildcard and an alias."""
    left_out = {"model": "openai/*", "api_key": "os.environ/ABSENT"}
    of = settings_of(
        {"a": "openai/a", "b": {**left_out, "model": "openai/b"}, "far/*": left_out, "c": "openai/c"},
        router_settings={
            "model_group_alias": {"second": "b"},
            "fallbacks": [{"a": ["b", "far/x", "second", "c"]}],
        },
    )
    assert names_after(FallbackChain("a", of), SERVER) == ["c"]


def test_pools_have_the_deployments_that_can_serve_what_the_request_needs() -> None:
    """A pool without such a deployment stays whole, and its plan refuses the request."""
    fields = read_fields(b'{"model": "m", "prompt": {"id": "p"}}', max_nesting=9)
    chat = to_chat(fields, fields.items).chat
    entries = [
        {"model_name": name, "litellm_params": {"model": model}}
        for name, model in [
            *(("a", "gemini/x"), ("a", "openai/x"), ("a", "xai/x"), ("b", "gemini/x"), ("b", "openai/y")),
            ("c", "gemini/x"),
        ]
    ]
    file = {"model_list": entries, "router_settings": {"fallbacks": [{"a": ["c", "b"]}]}}
    find_able = partial(able_to_serve, request=chat)
    chain = FallbackChain("a", load_settings(json.dumps(file).encode(), {}).settings, find_able)
    pools = [chain.pool]
    while chain.can_fall_back(SERVER):
        chain.fall_back(SERVER)
        pools.append(chain.pool)

    assert [[member.model for member in pool] for pool in pools] == [
        ["openai/x", "xai/x"],
        ["gemini/x"],
        ["openai/y"],
    ]
