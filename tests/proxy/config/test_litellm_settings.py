"""Tests of the router's keys in ``litellm_settings``."""

from __future__ import annotations

import pytest

from tests.proxy.config.samples import faults_of, load


def test_router_keys_of_litellm_settings_arrive() -> None:
    """Keys of ``litellm_settings`` arrive in the router's settings, ``request_timeout`` as ``timeout``."""
    router = load(litellm_settings={"connect_timeout": 3, "request_timeout": 50}).settings.router_settings

    assert (router.connect_timeout, router.timeout) == (3, 50)


def test_the_router_s_own_section_wins() -> None:
    """``router_settings`` overrides a different value, and a warning has both paths."""
    loaded = load(router_settings={"timeout": 10}, litellm_settings={"timeout": 20})

    assert loaded.settings.router_settings.timeout == 10
    assert loaded.warnings == ("litellm_settings.timeout: overridden by router_settings.timeout",)


def test_the_key_wins_over_its_alias() -> None:
    """``timeout`` wins over its alias ``request_timeout`` in the same section."""
    loaded = load(litellm_settings={"request_timeout": 20, "timeout": 10})

    assert loaded.settings.router_settings.timeout == 10
    assert loaded.warnings == ("litellm_settings.request_timeout: overridden by litellm_settings.timeout",)


def test_same_value_in_both_sections_gives_no_warning() -> None:
    """The same value in both sections gives no warning."""
    assert load(router_settings={"timeout": 10}, litellm_settings={"timeout": 10}).warnings == ()


@pytest.mark.parametrize(
    ("section", "fault"),
    [
        pytest.param(3, ("litellm_settings", "must be a mapping of keys to values"), id="no mapping"),
        pytest.param(
            {"num_retry": 1},
            ("litellm_settings.num_retry", "is not a key of turnright; did you mean num_retries?"),
            id="unknown",
        ),
        pytest.param(
            {"request_timeout": "x"}, ("litellm_settings.request_timeout", "must be a number"), id="value"
        ),
    ],
)
def test_faults_name_the_section_that_was_written(section: object, fault: tuple[str, str]) -> None:
    """A fault in ``litellm_settings`` is reported with the path in that section."""
    assert faults_of(litellm_settings=section) == [fault]


def test_a_router_section_of_the_wrong_shape_is_the_only_fault() -> None:
    """A ``router_settings`` of the wrong shape is the only fault, with its path."""
    assert faults_of(router_settings=3, litellm_settings={"timeout": 1}) == [
        ("router_settings", "must be a mapping of keys to values")
    ]
