"""Models that are left out, since a variable is not set."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import ConfigurationError, load_settings
from proxy.config.pools import choose_pool, resolve
from proxy.config.unset_variables import take_out
from proxy.core.errors import ModelNotFound, ModelUnavailable
from tests.proxy.config.samples import entry, faults_in, faults_of, load, text_of

GOOD = entry("good", api_key="k")


@pytest.mark.parametrize("reference", ["os.environ/ABSENT", "${ABSENT}"])
@pytest.mark.parametrize(
    "params",
    [
        {"api_key": "REFERENCE"},
        {"api_base": "REFERENCE"},
        {"model": "REFERENCE"},
        {"extra_headers": {"X-Key": "REFERENCE"}},
        {"extra_body": {"list": ["REFERENCE"]}},
        {"aws_role_name": "REFERENCE"},
    ],
)
def test_an_unset_variable_takes_out_its_model_alone(params: dict[str, Any], reference: str) -> None:
    """The model answers 503 and is not listed. The others are served."""
    filled = eval(repr(params).replace("REFERENCE", reference))
    loaded = load(entry("bad", **filled), GOOD)

    assert loaded.warnings == (
        "model_list[0]: left out, since the environment variable ABSENT is not set; bad answers 503 where no other "
        "entry serves it",
    )
    assert loaded.settings.routes.names == ("good",)
    with pytest.raises(ModelUnavailable) as caught:
        choose_pool("bad", loaded.settings)
    assert "ABSENT" in str(caught.value.for_log)
    assert "ABSENT" not in str(caught.value)


def test_another_entry_of_the_name_serves_it() -> None:
    """A pool loses one member."""
    settings = load(entry("a", api_key="os.environ/ABSENT"), entry("a", api_key="k")).settings

    assert [found.position for found in choose_pool("a", settings)] == [0]
    assert settings.unavailable == {}


def test_a_wildcard_that_is_left_out_answers_for_its_names() -> None:
    """Any name under it is unavailable, and others are unknown."""
    settings = load(entry("groq/*", "groq/*", api_key="os.environ/ABSENT"), GOOD).settings

    with pytest.raises(ModelUnavailable):
        choose_pool("groq/llama", settings)
    with pytest.raises(ModelNotFound):
        choose_pool("mistral/x", settings)


def test_credentials_that_miss_a_variable_take_out_their_models() -> None:
    """The entry names them."""
    credentials = [
        {"credential_name": "c", "credential_values": {"api_key": "os.environ/ABSENT"}},
        {"credential_name": "d", "credential_values": {"api_key": "k"}},
    ]
    settings = load(
        entry("a", litellm_credential_name="c"),
        entry("b", litellm_credential_name="d"),
        credential_list=credentials,
    ).settings

    assert settings.unavailable == {"a": ("ABSENT",)}
    assert [entry.credential_name for entry in settings.credential_list] == ["d"]


def test_a_fallback_to_a_model_that_is_left_out_is_no_fault() -> None:
    """The chain goes on to the next one."""
    assert (
        faults_of(
            entry("bad", api_key="os.environ/ABSENT"),
            GOOD,
            router_settings={"fallbacks": [{"good": ["bad"]}]},
        )
        == []
    )


def test_no_model_left_is_a_fault() -> None:
    """A proxy without a model serves nobody."""
    entries = [entry("a", api_key="os.environ/ONE"), entry("b", api_key="${TWO}")]

    assert faults_of(*entries) == [
        ("model_list", "no model is left: the environment variables ONE, TWO are not set")
    ]


def test_strict_refuses_each_unset_variable() -> None:
    """An operator who wants all models wants no start without them."""
    text = text_of(entry("bad", api_key="os.environ/ABSENT"), GOOD)

    assert faults_in(text, strict=True) == [
        ("model_list[0].litellm_params.api_key", "the environment variable ABSENT is not set")
    ]
    with pytest.raises(ConfigurationError):
        load_settings(text, {}, strict=True)
    assert load_settings(text, {"ABSENT": "k"}, strict=True).warnings == ()


def test_an_empty_variable_is_set() -> None:
    """A key that is empty is none, for servers of one's own."""
    settings = load(entry("a", api_key="os.environ/EMPTY"), environ={"EMPTY": ""}).settings

    assert resolve(settings, "a")[0].api_key is None


@pytest.mark.parametrize(
    "raw", [{}, {"model_list": 3}, {"model_list": []}, {"model_list": [None, {"litellm_params": 3}]}]
)
def test_a_wrong_shape_is_left_to_validation(raw: dict[object, object]) -> None:
    """Every entry stays."""
    assert take_out(raw, {}).raw == raw


def test_variables_elsewhere_are_faults() -> None:
    """A key of clients must never be left out."""
    assert faults_of(general_settings={"master_key": "os.environ/ABSENT"}) == [
        ("general_settings.master_key", "the environment variable ABSENT is not set")
    ]
