"""Tests that a model's preview agrees with the dry run of a request, and shows no key."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import Settings, resolve
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.describe_dry_run import describe_dry_run
from proxy.planning.dry_run import DryRunInput, run_dry
from proxy.planning.plan_target import plan_target
from proxy.planning.preview import DeploymentPreview, ModelPreview, preview_of
from proxy.state.lessons import no_lessons
from tests.proxy.config.samples import entry, settings_of


def model(settings: Settings, name: str = "gemini") -> ModelPreview:
    """Return the preview of one model name."""
    return {told.name: told for told in preview_of(settings)}[name]


def deployment(entry_: dict[str, Any], **sections: Any) -> DeploymentPreview:
    """Return the preview of one deployment."""
    [told] = model(settings_of(entry_, **sections)).deployments
    return told


@pytest.mark.parametrize(
    "target",
    [
        "gemini/gemini-3.6-flash",
        "openai/gpt-4.1",
        "anthropic/claude-sonnet-4-5",
        "openai/gpt-5",
        "hosted_vllm/my-own",
    ],
)
@pytest.mark.parametrize(
    "budget",
    [{}, {"preset": "lango"}, {"preset": "localcowork"}, {"margin": 0.3, "reserve": 100, "low": 0.2}],
)
def test_numbers_are_those_of_a_request(target: str, budget: dict[str, Any]) -> None:
    """The preview has the budget of a short request's dry run, without tools and system messages."""
    settings = settings_of(entry("gemini", target), budget=budget)
    request = parse_chat_request(
        b'{"model":"gemini","messages":[{"role":"user","content":"x"}]}', max_nesting=9
    )
    [deployment] = resolve(settings, "gemini")
    facts = facts_of(deployment, settings.budget, no_lessons(deployment))
    plan_for = plan_target(deployment, settings.sanitize, lambda *_: frozenset())
    explained = describe_dry_run(run_dry(DryRunInput(request, plan_for, facts)))

    [told] = model(settings).deployments
    assert told.budget is not None
    assert told.rules is not None
    assert told.rules.profile == explained["profile"]
    shown = explained["budget"]
    assert (told.budget.window, told.budget.window_from) == (shown["window"], shown["window_source"])
    assert told.budget.limit == shown["limit"]
    fixed = shown["tools"] + shown["system"]
    for ours, name in (("cut_above", "high"), ("cut_to", "low"), ("refused_above", "hard")):
        value = getattr(told.budget, ours)
        assert (value is None) == (shown[name] is None), name
        # what is fixed is taken off before the marks are rounded to their steps
        assert value is None or 0 <= value - shown[name] <= fixed + 1_024, name


@pytest.mark.parametrize(
    ("given", "transport", "why", "host"),
    [
        (entry(model="gemini/gemini-3.6-flash"), "direct", "auto", "generativelanguage.googleapis.com"),
        (entry(model="gpt-4o"), "direct", "auto", "api.openai.com"),
        (entry(model="openai/x", api_base="http://llm:8000/v1/tenant"), "direct", "auto", "llm:8000"),
        (entry(model="anthropic/claude-sonnet-4-5"), "direct", "auto", "api.anthropic.com"),
        (entry(model="cohere/command-a"), "litellm", "auto", None),
        (entry(model="groq/llama-4") | {"transport": "direct"}, "direct", "configured", "api.groq.com"),
        (entry(model="groq/llama-4"), "direct", "auto", "api.groq.com"),
        (entry(model="scaleway/x"), "direct", "auto", "api.scaleway.ai"),
        (
            entry(model="azure/x", api_base="https://r.test", api_version="v1", api_key="k"),
            "direct",
            "auto",
            "r.test",
        ),
        (entry(model="azure/x", api_base="https://r.test", api_key="k"), "litellm", "auto", "r.test"),
    ],
)
def test_transport_and_host_are_shown(
    given: dict[str, Any], transport: str, why: str, host: str | None
) -> None:
    """The preview has the transport, its reason, and the host. A path, which may name a tenant, is left out."""
    told = deployment(given)

    assert (told.transport, told.transport_from, told.host) == (transport, why, host)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (entry(model="groq/llama-4"), None),
        (entry(model="gemini/gemini-3.6-flash"), None),
        (entry(model="groq/llama-4") | {"transport": "litellm"}, None),
        (entry(model="anthropic/claude-x"), None),
        (entry(model="cohere/x"), "the direct transport does not speak this provider's wire"),
        (entry(model="hosted_vllm/x"), "the direct transport needs litellm_params.api_base"),
        (
            entry(model="azure/x", api_base="https://r.test", api_version="v1", client_secret="sk-hidden"),
            "litellm fetches a token of Entra ID with client_secret",
        ),
    ],
)
def test_reason_for_litellm_is_told(given: dict[str, Any], reason: str | None) -> None:
    """A deployment on the direct transport has none, and no reason shows a value of a setting."""
    assert deployment(given).litellm_because == reason


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (entry(model="openai/gpt-5.3-codex"), "always"),
        (
            entry(model="hosted_vllm/x", api_base="http://vllm/v1") | {"model_info": {"mode": "responses"}},
            "always",
        ),
        (entry(model="openai/gpt-5.3-codex") | {"transport": "litellm"}, "never"),
        (entry(model="openai/gpt-5.5"), "with tools"),
        (entry(model="openai/gpt-4.1"), "never"),
    ],
)
def test_chats_by_the_responses_api_are_told(given: dict[str, Any], said: str) -> None:
    """Litellm decides by itself which API it asks."""
    assert deployment(given).by_responses == said


@pytest.mark.parametrize(
    ("params", "key"),
    [
        ({"api_key": "sk-hidden"}, "set"),
        ({"extra_headers": {"Authorization": "Bearer sk-hidden"}}, "in extra_headers"),
        ({"extra_headers": {"X-Team": "sk-hidden"}}, "not set"),
        ({"aws_access_key_id": "sk-hidden", "aws_secret_access_key": "sk-hidden"}, "in credentials"),
        ({"aws_profile_name": "sk-hidden"}, "in credentials"),
        ({"aws_web_identity_token": "sk-hidden"}, "in credentials"),
        ({"azure_ad_token": "sk-hidden"}, "in credentials"),
        ({"client_secret": "sk-hidden"}, "in credentials"),
        ({"azure_password": "sk-hidden"}, "in credentials"),
        ({"vertex_ai_credentials": "sk-hidden"}, "in credentials"),
        ({"client_id": "sk-hidden"}, "not set"),
        ({"model": "*"}, "the provider's own"),
        ({"model": "*", "api_key": "sk-hidden", "api_base": "http://127.0.0.1:9"}, "set"),
        ({}, "not set"),
    ],
)
def test_a_key_s_presence_is_shown_and_no_part_of_it(params: dict[str, Any], key: str) -> None:
    """The preview says whether and where a key is set, and shows no part of the key."""
    [told] = model(settings_of(entry(name := "*" if "model" in params else "m", **params)), name).deployments

    assert told.key == key
    assert "hidden" not in repr(told)


@pytest.mark.parametrize(
    ("target", "media", "mode", "addresses"),
    [
        ("openai/gpt-4.1", {}, "repair", "passed on"),
        ("gemini/gemini-2.5-pro", {}, "repair", "refused"),
        ("gemini/gemini-2.5-pro", {"fetch": True}, "repair", "fetched"),
        ("gemini/gemini-2.5-pro", {"fetch": True}, "observe", "refused"),
        ("anthropic/claude-opus-4-8", {}, "repair", "passed on"),
    ],
)
def test_images_by_url_are_passed_on_fetched_or_refused(
    target: str, media: dict[str, Any], mode: str, addresses: str
) -> None:
    """Images by URL are fetched only where fetching is switched on and the mode repairs."""
    told = deployment(entry(model=target), general_settings={"media": media}, sanitize={"mode": mode})

    assert told.rules is not None
    assert told.rules.addresses == addresses


def test_timeouts_are_shown() -> None:
    """An attempt has its deployment's own timeout, but at most the router's."""
    router = {"timeout": 100, "connect_timeout": 1, "first_byte_timeout": 2, "idle_timeout": 3}
    given: list[dict[str, Any]] = [{"timeout": 50}, {}, {"timeout": 500}]
    own, none, long = (deployment(entry(**params), router_settings=router) for params in given)

    assert [told.attempt_s for told in (own, none, long)] == [50, 100, 100]
    assert (own.connect_s, own.first_byte_s, own.idle_s) == (1, 2, 3)


def test_a_wildcard_has_no_rules_and_no_budget() -> None:
    """Rules and budget depend on the model that a client will name."""
    [told] = model(settings_of(entry("gemini/*", "gemini/*", api_key="k")), "gemini/*").deployments

    assert (told.rules, told.budget) == (None, None)
    assert (told.transport, told.key, told.host) == ("direct", "set", "generativelanguage.googleapis.com")


def test_entry_for_any_provider_has_no_address_and_no_transport_of_its_own() -> None:
    """Host and transport depend on the provider that a client will name, unless the entry gives them."""
    [free] = model(settings_of(entry("*", "*")), "*").deployments
    [bound] = model(
        settings_of(entry("*", "*", api_base="http://h:9/v1") | {"transport": "litellm"}), "*"
    ).deployments

    assert (free.transport, free.host) == (None, None)
    assert (bound.transport, bound.host) == ("litellm", "h:9")


def test_fallbacks_are_shown() -> None:
    """The fallback chain is the model's own or the chain of all models, without the model itself."""
    chains = {"fallbacks": [{"a": ["b", "c"]}, {"*": ["c"]}], "context_window_fallbacks": [{"b": ["a"]}]}
    settings = settings_of(*(entry(name) for name in "abc"), router_settings=chains)

    told = preview_of(settings)
    assert [(each.name, each.fallbacks, each.context_window_fallbacks) for each in told] == [
        ("a", ("b", "c"), ()),
        ("b", ("c",), ("a",)),
        ("c", (), ()),
    ]


def test_the_turn_guard_is_the_model_s() -> None:
    """Turn limits that are set for one model are shown only at that model."""
    turns = {"max_rounds": 7, "per_model": [{"model": "b", "mode": "off"}]}
    a, b = preview_of(settings_of(entry("a"), entry("b"), turns=turns))

    assert a.turns is not None
    assert (a.turns.max_rounds, b.turns) == (7, None)


def test_compaction_is_the_model_s_and_needs_the_mode_repair() -> None:
    """Values of compaction that are set for one model are shown at that model, where histories are compacted."""
    compaction = {"enabled": True, "model": "a", "per_model": [{"model": "b", "keep_messages": 4}]}
    a, b = preview_of(settings_of(entry("a"), entry("b"), compaction=compaction))

    assert a.compaction is not None
    assert b.compaction is not None
    assert (a.compaction.keep_messages, b.compaction.keep_messages) == (10, 4)
    [strict] = preview_of(
        settings_of(entry("a"), sanitize={"mode": "strict"}, compaction=compaction | {"per_model": []})
    )
    assert strict.compaction is None


@pytest.mark.parametrize("sections", [{"sanitize": {"mode": "off"}}, {"budget": {"preset": "off"}}])
def test_a_preset_without_cuts_shows_the_window(sections: dict[str, Any]) -> None:
    """The preview shows the window although nothing is cut."""
    told = deployment(entry(), **sections).budget

    assert told is not None
    assert told.window is not None
    assert (told.cut_above, told.cut_to, told.refused_above) == (None, None, None)


def test_second_names_and_all_chains_are_shown() -> None:
    """A wildcard's preview shows the aliases of its models. A model without its own chain shows the default chain."""
    settings = settings_of(
        entry("a"),
        entry("gemini/*", "gemini/*"),
        router_settings={
            "model_group_alias": {"x": "a", "y": {"model": "gemini/pro", "hidden": True}},
            "default_fallbacks": ["a"],
            "content_policy_fallbacks": [{"a": ["gemini/pro"]}],
        },
    )

    assert model(settings, "a").aliases == ("x",)
    assert model(settings, "gemini/*").aliases == ("y for gemini/pro",)
    assert model(settings, "gemini/*").fallbacks == ("a",)
    assert model(settings, "a").content_policy_fallbacks == ("gemini/pro",)


def test_order_and_weight_are_shown() -> None:
    """The preview lists the deployments by their order."""
    told = model(settings_of(entry(order=2), entry(order=1, weight=0.5))).deployments

    assert [(each.order, each.weight) for each in told] == [(1, 0.5), (2, 0.0)]
