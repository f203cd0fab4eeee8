"""Tests of models that are left out because an environment variable is not set."""

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
    """Only the model with an unset variable is left out, and is then unavailable. Other models are served."""
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


@pytest.mark.parametrize("instructions", ["os.environ/ABSENT", {"file": "${ABSENT}"}])
def test_unset_variable_of_instructions_takes_out_their_model(instructions: Any) -> None:
    """The model is never served without its policy. The gateway's own instructions have no such way out."""
    loaded = load({**entry("bad", api_key="k"), "instructions": instructions}, GOOD)

    assert loaded.settings.routes.names == ("good",)
    assert [warning.partition(":")[0] for warning in loaded.warnings] == ["model_list[0]"]
    with pytest.raises(ModelUnavailable):
        choose_pool("bad", loaded.settings)


def test_another_entry_of_the_name_serves_it() -> None:
    """Another entry of the same name still serves the model, and its position is that in the file."""
    settings = load(entry("a", api_key="os.environ/ABSENT"), entry("a", api_key="k")).settings

    assert [found.position for found in choose_pool("a", settings)] == [1]
    assert settings.unavailable == {}


def test_a_wildcard_that_is_left_out_answers_for_its_names() -> None:
    """Names under a wildcard that was left out are unavailable, and other names are unknown."""
    settings = load(entry("groq/*", "groq/*", api_key="os.environ/ABSENT"), GOOD).settings

    with pytest.raises(ModelUnavailable):
        choose_pool("groq/llama", settings)
    with pytest.raises(ModelNotFound):
        choose_pool("mistral/x", settings)


@pytest.mark.parametrize("asked", ["private", "private/a", "second", "team/private"])
def test_a_wildcard_does_not_answer_for_a_model_that_is_left_out(asked: str) -> None:
    """A request for a model that was left out goes to no other provider, though a shorter wildcard matches its name."""
    settings = load(
        entry("private", "hosted_vllm/private", api_base="os.environ/ABSENT"),
        entry("private/*", "hosted_vllm/*", api_base="os.environ/ABSENT"),
        entry("os.environ/NAME", "hosted_vllm/private", api_base="os.environ/ABSENT"),
        entry("*", "openai/*", api_key="k"),
        environ={"NAME": "team/private"},
        router_settings={"model_group_alias": {"second": "private"}},
    ).settings

    assert resolve(settings, asked) == ()
    with pytest.raises(ModelUnavailable):
        choose_pool(asked, settings)
    assert resolve(settings, "other")
    assert settings.routes.names == ("*",)


def test_an_entry_that_is_served_goes_before_a_wildcard_that_is_left_out() -> None:
    """An exact name and a longer wildcard are served, though a shorter wildcard is left out."""
    settings = load(
        entry("*", "openai/*", api_key="os.environ/ABSENT"),
        entry("groq/*", "groq/*", api_key="k"),
        GOOD,
    ).settings

    assert resolve(settings, "good")
    assert resolve(settings, "groq/llama")
    assert resolve(settings, "other") == ()


def test_credentials_that_miss_a_variable_take_out_their_models() -> None:
    """Named credentials with an unset variable take out the models that use them."""
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
    """A fallback to a model that was left out is no fault."""
    assert (
        faults_of(
            entry("bad", api_key="os.environ/ABSENT"),
            GOOD,
            router_settings={"fallbacks": [{"good": ["bad"]}]},
        )
        == []
    )


def test_no_model_left_is_a_fault() -> None:
    """A file whose models are all left out is a fault that names the variables."""
    entries = [entry("a", api_key="os.environ/ONE"), entry("b", api_key="${TWO}")]

    assert faults_of(*entries) == [
        ("model_list", "no model is left: the environment variables ONE, TWO are not set")
    ]


def test_strict_refuses_each_unset_variable() -> None:
    """With ``strict`` each unset variable is a fault."""
    text = text_of(entry("bad", api_key="os.environ/ABSENT"), GOOD)

    assert faults_in(text, strict=True) == [
        ("model_list[0].litellm_params.api_key", "the environment variable ABSENT is not set")
    ]
    with pytest.raises(ConfigurationError):
        load_settings(text, {}, strict=True)
    assert load_settings(text, {"ABSENT": "k"}, strict=True).warnings == ()


def test_an_empty_key_s_variable_means_no_key() -> None:
    """An empty variable of ``api_key`` means that there is no key."""
    settings = load(entry("a", api_key="os.environ/EMPTY"), environ={"EMPTY": ""}).settings

    assert resolve(settings, "a")[0].api_key is None


@pytest.mark.parametrize(
    "params",
    [
        {"api_base": "os.environ/EMPTY"},
        {"organization": "${EMPTY}"},
        {"vertex_project": "os.environ/EMPTY"},
        {"headers": {"X-Key": "os.environ/EMPTY"}},
        {"aws_access_key_id": "os.environ/EMPTY"},
        {"extra_body": {"api_key": "os.environ/EMPTY"}},
    ],
)
@pytest.mark.parametrize("value", ["", " "])
def test_an_empty_variable_elsewhere_takes_out_its_model(params: dict[str, Any], value: str) -> None:
    """An empty variable of any other parameter takes out its model, as an unset variable does.

    ``strict`` makes the empty variable a fault.
    """
    loaded = load(entry("bad", **params), GOOD, environ={"EMPTY": value})

    assert loaded.warnings == (
        "model_list[0]: left out, since the environment variable EMPTY is empty; bad answers 503 where no other entry "
        "serves it",
    )
    [(_, text)] = faults_in(text_of(entry("bad", **params), GOOD), {"EMPTY": value}, strict=True)
    assert text == "the environment variable EMPTY is empty"


def test_unset_and_empty_variables_are_told_apart() -> None:
    """The fault for a file without a model left says which variables are not set, and which are empty."""
    entries = [entry("a", api_key="os.environ/ONE", api_base="os.environ/TWO")]

    assert faults_of(*entries, environ={"TWO": ""}) == [
        (
            "model_list",
            "no model is left: the environment variable ONE is not set and the environment variable TWO is empty",
        )
    ]


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"temperature": "hot"}, "litellm_params.temperature"),
        ({"order": "first"}, "litellm_params.order"),
        ({"extra_headers": {"a b": "x"}}, 'litellm_params.extra_headers."a b"'),
        ({"model": "gemini/*"}, "litellm_params.model"),
    ],
)
def test_other_faults_of_an_entry_that_is_left_out_are_reported(params: dict[str, Any], path: str) -> None:
    """An unset variable does not hide the other faults of its entry. Their paths are those of the file."""
    left_out = entry("bad", **{"api_base": "os.environ/ABSENT", **params})

    assert [found for found, _ in faults_of(GOOD, left_out, entry("c", api_key="os.environ/ABSENT"))] == [
        f"model_list[1].{path}"
    ]
    assert [found for found, _ in faults_of(left_out)] == [f"model_list[0].{path}", "model_list"]


def test_faults_beside_the_parameters_of_a_left_out_entry_are_reported() -> None:
    """A wrong ``transport`` or ``model_info`` of an entry that is left out is a fault."""
    left_out = {
        **entry("bad", "my-model", api_base="os.environ/ABSENT"),
        "transport": "bogus",
        "model_info": {"max_input_tokens": 0},
    }

    assert {path for path, _ in faults_of(left_out, GOOD)} == {
        "model_list[0].transport",
        "model_list[0].model_info.max_input_tokens",
    }


def test_faults_of_credentials_that_are_left_out_are_reported() -> None:
    """An unset variable hides neither other faults of the same named credentials nor faults of later ones."""
    listed = [
        {
            "credential_name": "b",
            "credential_values": {"api_key": "os.environ/ABSENT", "api_base": "ftp://h"},
        },
        {"credential_name": "c", "credential_values": {"api_base": "ftp://h"}},
    ]

    assert [
        path for path, _ in faults_of(entry("a", litellm_credential_name="b"), GOOD, credential_list=listed)
    ] == [
        "credential_list[0].credential_values.api_base",
        "credential_list[1].credential_values.api_base",
    ]


@pytest.mark.parametrize("reference", ["os.environ/ABSENT", "${ABSENT}"])
def test_a_left_out_entry_has_no_faults_for_its_variable(reference: str) -> None:
    """A setting that refers to an unset variable has no fault of its own, whatever value it would need."""
    params: dict[str, Any] = {
        "api_base": reference,
        "headers": {"X-A": reference},
        "extra_body": {"a": [reference]},
        "vertex_credentials": reference,
        "reasoning_effort": reference,
        "model": reference,
    }

    assert faults_of({**entry("bad", **params), "transport": "direct"}, GOOD) == []


def test_a_left_out_name_from_a_variable_is_resolved() -> None:
    """The name of a model that is left out may come from a variable."""
    settings = load(
        entry("os.environ/MNAME", api_key="os.environ/ABSENT"), GOOD, environ={"MNAME": "named"}
    ).settings

    assert settings.unavailable == {"named": ("ABSENT",)}


@pytest.mark.parametrize(
    "raw", [{}, {"model_list": 3}, {"model_list": []}, {"model_list": [None, {"litellm_params": 3}]}]
)
def test_a_wrong_shape_is_left_to_validation(raw: dict[object, object]) -> None:
    """A model list of the wrong shape is left unchanged for validation."""
    assert take_out(raw, {}).raw == raw


def test_variables_elsewhere_are_faults() -> None:
    """An unset variable outside of models is a fault, as for a client's key."""
    assert faults_of(general_settings={"master_key": "os.environ/ABSENT"}) == [
        ("general_settings.master_key", "the environment variable ABSENT is not set")
    ]
