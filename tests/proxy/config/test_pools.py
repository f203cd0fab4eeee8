"""Tests of a model's pool of deployments and of its fallbacks (``test_routes`` tests the index of names)."""

from __future__ import annotations

import pytest

from proxy.config.allowed_models import AllowedModels
from proxy.config.pools import chain_of, choose_pool, model_names, near_names, resolve, shown_names
from proxy.core.errors import ModelNotFound, ModelUnavailable
from proxy.core.key_errors import ModelNotAllowed
from tests.proxy.config.samples import entry, load, settings_of

SETTINGS = settings_of(entry("fast"), entry("gemini/*", "gemini/*"))
CHAINS = ({"fast": ("own",)}, {"gemini/*": ("wildcard",), "*": ("any",)}, {"fast": ("second",)})


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("fast", ("own",)),
        ("gemini/gemini-x", ("wildcard",)),
        ("gemini/*", ()),
    ],
)
def test_a_model_s_own_chain_goes_before_its_wildcard_s(model: str, expected: tuple[str, ...]) -> None:
    """The first fallback chain of a model's own name counts, then its wildcard's chain."""
    if not expected:
        with pytest.raises(ModelNotFound):
            choose_pool(model, SETTINGS)
        return
    assert chain_of(CHAINS, model, choose_pool(model, SETTINGS)) == expected


def test_the_chain_of_every_model_is_the_last_choice() -> None:
    """The chain of ``*`` is for models without a chain of their own."""
    assert chain_of(CHAINS, "other", ()) == ("any",)
    assert chain_of(CHAINS[:1], "other", ()) == ()


def test_an_unknown_model_is_refused_with_the_configured_names() -> None:
    """The refusal lists the configured models, and cuts the client's name at 200 characters."""
    with pytest.raises(ModelNotFound) as refused:
        choose_pool("m" * 300, SETTINGS)

    assert refused.value.param == "model"
    assert (
        refused.value.message
        == f"The model '{'m' * 200}' is not configured. Configured models: fast, gemini/*."
    )


ALIASES = {
    "gpt-4": "fast",
    "slow": "fast",
    "best": {"model": "gemini/gemini-x"},
    "secret": {"model": "fast", "hidden": True},
    "gone": "left-out",
    "chained": "slow",
}
NAMED = load(
    entry("fast"),
    entry("slow", "openai/slow"),
    entry("gemini/*", "gemini/*"),
    entry("left-out", api_key="os.environ/ABSENT"),
    entry("left/*", "openai/*", api_key="os.environ/ABSENT"),
    router_settings={"model_group_alias": ALIASES},
).settings


@pytest.mark.parametrize(
    ("asked", "model"),
    [
        pytest.param("gpt-4", "gemini/gemini-2.5-flash", id="second name"),
        pytest.param("slow", "gemini/gemini-2.5-flash", id="goes before a model of the same name"),
        pytest.param("chained", "openai/slow", id="is followed once"),
        pytest.param("best", "gemini/gemini-x", id="of a wildcard's model"),
        pytest.param("secret", "gemini/gemini-2.5-flash", id="hidden"),
        pytest.param("gone", None, id="of a model that was left out"),
    ],
)
def test_second_name_is_answered_by_its_model(asked: str, model: str | None) -> None:
    """An alias wins over a model of the same name, and its target is not read as an alias again."""
    assert [member.model for member in resolve(NAMED, asked)] == ([model] if model else [])


def test_second_names_are_shown_unless_hidden_or_left_out() -> None:
    """Aliases are shown after the models of the list, unless hidden or left out. No alias is used as a label."""
    assert shown_names(NAMED) == ("fast", "slow", "gemini/*", "best", "chained", "gpt-4")
    assert model_names(NAMED) == ("fast", "slow", "gemini/*")


@pytest.mark.parametrize("asked", ["left-out", "gone", "left/gpt-4o"])
def test_model_that_was_left_out_is_unavailable_and_its_variable_is_for_the_log(asked: str) -> None:
    """A model that was left out gives a 503; only the log names the unset variable."""
    with pytest.raises(ModelUnavailable) as refused:
        choose_pool(asked, NAMED)

    assert (refused.value.status, refused.value.code) == (503, "model_unavailable")
    assert refused.value.for_log == "not set: ABSENT"
    assert "ABSENT" not in refused.value.message


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("fasst", ("fast",)),
        ("FAST", ("fast",)),
        ("gpt4", ("gpt-4",)),
        ("secre", ()),
        ("left-ou", ()),
        ("gemini-2.5-pro", ("gemini/gemini-2.5-pro",)),
        ("gemni/gemini-2.5-pro", ("gemini/gemini-2.5-pro",)),
        ("Gemini/Gemma-X", ("gemini/Gemma-X",)),
        ("gemni/../x", ()),
        ("claude-sonnet-4-5", ()),
        ("zzzzzz", ()),
        ("", ()),
    ],
)
def test_typo_is_answered_with_the_nearest_served_names(asked: str, near: tuple[str, ...]) -> None:
    """A typo is answered with similar names that are served, never hidden or left out."""
    assert near_names(NAMED, asked) == near
    assert all(resolve(NAMED, name) for name in near)


ANY = load(
    entry("gpt-4"),
    entry("byok/*", "openai/*"),
    entry("*", "*"),
    environ={"OPENAI_API_KEY": "k", "GEMINI_API_KEY": "k"},
).settings


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("byk/gpt-4o", ("byok/gpt-4o", "gpt-4")),
        ("opanai/gpt-4o", ("openai/gpt-4o",)),
        ("gemnii/gemini-2.5-pro", ("gemini/gemini-2.5-pro",)),
        ("grok/grok-4", ()),
    ],
)
def test_typo_in_a_provider_is_answered_with_wildcards_and_providers_that_have_a_key(
    asked: str, near: tuple[str, ...]
) -> None:
    """A typo is answered with names under wildcards and names of the list, the most similar first."""
    assert near_names(ANY, asked) == near


def test_second_name_has_its_model_s_chain_where_it_has_none() -> None:
    """An alias uses its own fallback chain, else its model's chain, else the chain of ``*``."""
    chains = ({"fast": ("own",)}, {"best": ("alias's",)}, {"gemini/gemini-x": ("model's",)}, {"*": ("any",)})
    pool = resolve(NAMED, "best")

    assert chain_of(chains, "gpt-4", resolve(NAMED, "gpt-4"), "fast") == ("own",)
    assert chain_of(chains, "best", pool, "gemini/gemini-x") == ("alias's",)
    assert chain_of(chains, "other", pool, "gemini/gemini-x") == ("model's",)


def _allowed(*models: str) -> AllowedModels:
    found = AllowedModels.of(models)
    assert found is not None
    return found


@pytest.mark.parametrize("model", ["b", "nowhere", "left-out", "gemini/x", "gemini/*", "a" * 500])
def test_a_model_that_the_key_may_not_use_is_refused_in_one_way(model: str) -> None:
    """The refusal does not tell whether the model is served, left out or unknown, and names models of the key alone."""
    settings = load(
        entry("a"), entry("b"), entry("gemini/*", "gemini/*"), entry("left-out", api_key="os.environ/ABSENT")
    ).settings

    with pytest.raises(ModelNotAllowed) as refused:
        choose_pool(model, settings, _allowed("a"))
    assert (
        str(refused.value)
        .replace(model[:200], "X", 1)
        .startswith("The model 'X' does not exist, or this key may not use it.")
    )
    assert str(refused.value).endswith(" Models of this key: a.")


def test_a_model_that_the_key_may_use_and_that_is_not_there_is_as_for_others() -> None:
    """A pattern of the key may stand for names that are not served, or were left out."""
    settings = load(entry("a"), entry("ab"), entry("c"), entry("ad", api_key="os.environ/ABSENT")).settings

    with pytest.raises(ModelNotFound, match=r"Did you mean ab\? Models of this key: a, ab\."):
        choose_pool("abb", settings, _allowed("a*"))
    with pytest.raises(ModelUnavailable):
        choose_pool("ad", settings, _allowed("a*"))


def test_no_name_of_others_is_suggested() -> None:
    """Neither a provider's prefix nor a misspelling leads to a name that the key may not use."""
    settings = settings_of(entry("openai/*", "openai/*"), entry("mine"), entry("mine-too"))

    assert near_names(settings, "gpt-4o") == ("openai/gpt-4o",)
    assert near_names(settings, "gpt-4o", _allowed("mine")) == ()
    assert near_names(settings, "openia/gpt-4o", _allowed("mine")) == ()
    assert near_names(settings, "gpt-4o", _allowed("openai/gpt-4o")) == ("openai/gpt-4o",)
    assert near_names(settings, "mine-to", _allowed("mine")) == ("mine",)


def test_the_names_of_a_key_are_found_once() -> None:
    """Errors that list names cost no search among all names each time."""
    settings = settings_of(entry("a"), entry("b"))
    allowed = _allowed("a")

    assert shown_names(settings, allowed) == ("a",)
    assert shown_names(settings, _allowed("a")) is shown_names(settings, allowed)
