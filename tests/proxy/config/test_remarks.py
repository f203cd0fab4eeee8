"""Tests of warnings about valid settings that are probably a mistake."""

from __future__ import annotations

import pytest

from tests.proxy.config.samples import entry, load


def test_a_parameter_that_gemini_does_not_get_is_a_warning() -> None:
    """A parameter of other providers in an entry of Gemini is a warning, since it has no effect."""
    assert load(entry("a", "gemini/gemini-2.5-pro", min_p=0.1)).warnings == (
        "model_list[0].litellm_params.min_p: is not sent, since Gemini has no such field",
    )


@pytest.mark.parametrize("phase", ["connect_timeout", "first_byte_timeout", "idle_timeout"])
def test_a_phase_above_the_deadline_warns(phase: str) -> None:
    """A timeout above the deadline gives a warning, since it has no effect."""
    assert load(router_settings={"timeout": 4, phase: 5}).warnings == (
        f"router_settings.{phase}: is above router_settings.timeout, which ends the request first",
    )
    assert load(router_settings={"timeout": 5, phase: 5}).warnings == ()


def test_a_deployment_s_timeout_above_the_deadline_warns() -> None:
    """A deployment's timeout above the deadline gives a warning that names the deadline's path."""
    loaded = load(entry(timeout=5), entry(timeout=6), litellm_settings={"request_timeout": 5})

    assert loaded.warnings == (
        "model_list[1].litellm_params.timeout: is above litellm_settings.request_timeout, which ends the request first",
    )


def test_open_access_beside_a_master_key_warns() -> None:
    """The permission for open access gives a warning if a key is set, since it has no effect."""
    (warning,) = load(general_settings={"master_key": "m", "allow_unauthenticated_access": True}).warnings

    assert warning == "general_settings.allow_unauthenticated_access: has no effect beside a key"


def test_a_master_key_that_is_not_used_warns() -> None:
    """TURNRIGHT_MASTER_KEY gives a warning if a file does not refer to it."""
    (warning,) = load(environ={"TURNRIGHT_MASTER_KEY": "hidden"}).warnings

    assert warning.startswith("TURNRIGHT_MASTER_KEY is set and not used")
    assert "hidden" not in warning


@pytest.mark.parametrize(
    ("variable", "key", "value"),
    [
        ("TURNRIGHT_STORE_URL", "url", "redis://:hidden@h"),
        ("TURNRIGHT_STORE_SECRET", "secret", "hidden-hidden-hidden"),
    ],
)
def test_a_variable_of_the_store_that_is_not_used_warns(variable: str, key: str, value: str) -> None:
    """A variable of the store gives a warning if a file has no such key, and none if the file sets the key."""
    assert load(environ={variable: value}).warnings == (
        f"{variable} is set and not used: the file has no store.{key}; add {key}: os.environ/{variable}",
    )
    assert load(environ={variable: value}, store={key: f"os.environ/{variable}"}).warnings == ()


@pytest.mark.parametrize(
    ("general", "beside"),
    [
        ({"master_key": "m"}, "a key"),
        ({"allow_unauthenticated_access": True}, "allow_unauthenticated_access"),
    ],
)
def test_allowed_hosts_without_an_effect_warn(general: dict[str, object], beside: str) -> None:
    """Allowed hosts give a warning if every host name is allowed anyway."""
    (warning,) = load(general_settings={**general, "allowed_hosts": ["nas"]}).warnings

    assert warning == f"general_settings.allowed_hosts: has no effect beside {beside}"
    assert load(general_settings={"allowed_hosts": ["nas"]}).warnings == ()
