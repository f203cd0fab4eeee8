"""Tests of refused values: callbacks that check calls, and tags that choose deployments."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.refused_values import CALLBACKS
from tests.proxy.config.samples import entry, faults_of, load

TAGGED = entry("a", tags=["free"])
FILTERED = {"enable_tag_filtering": True}


@pytest.mark.parametrize(("name", "reason"), CALLBACKS.items())
def test_each_callback_that_checks_calls_is_refused(name: str, reason: str) -> None:
    """A callback that checks calls is refused, alone or in a list with loggers."""
    name = name.replace("*", "x")

    assert faults_of(litellm_settings={"callbacks": ["otel", name]}) == [
        ("litellm_settings.callbacks[1]", reason)
    ]
    assert faults_of(litellm_settings={"callbacks": name}) == [("litellm_settings.callbacks", reason)]


@pytest.mark.parametrize(
    "callbacks",
    [None, [], "prometheus", ["langfuse", "otel", "s3", "dynamic_rate_limiter_v3"], [3], {"a": 1}],
)
def test_callbacks_that_log_are_ignored(callbacks: Any) -> None:
    """Callbacks that only log are ignored with one warning."""
    assert len(load(litellm_settings={"callbacks": callbacks}).warnings) == 1


@pytest.mark.parametrize("key", ["success_callback", "failure_callback", "service_callback"])
def test_callbacks_after_a_call_only_log(key: str) -> None:
    """Callbacks that run after a call are ignored, even an operator's own code."""
    assert len(load(litellm_settings={key: ["custom.logger"]}).warnings) == 1


@pytest.mark.parametrize(
    "key", ["success_callback", "failure_callback", "service_callback", "input_callback"]
)
@pytest.mark.parametrize("name", ["presidio", "LAKERA_prompt_injection", "My_Guardrail"])
def test_a_guard_among_callbacks_that_log_is_refused(key: str, name: str) -> None:
    """The name of a guard is refused in each list of callbacks, in any case of letters."""
    assert [path for path, _ in faults_of(litellm_settings={key: ["otel", name]})] == [
        f"litellm_settings.{key}[1]"
    ]


def test_a_check_before_calls_that_enforces_a_limit_is_refused() -> None:
    """A check of an unknown limit is refused. Those that choose a deployment, or heed ``rpm``, are ignored."""
    checks = ["prompt_caching", "enforce_team_quota", "enforce_model_rate_limits"]

    assert [path for path, _ in faults_of(router_settings={"optional_pre_call_checks": checks})] == [
        "router_settings.optional_pre_call_checks[1]"
    ]
    assert len(load(router_settings={"optional_pre_call_checks": checks[:1]}).warnings) == 1


@pytest.mark.parametrize(
    ("entries", "router", "refused"),
    [
        ([TAGGED, entry("a")], FILTERED, True),
        ([TAGGED, TAGGED], FILTERED, True),
        ([TAGGED, entry("b")], FILTERED, False),
        ([entry("a"), entry("a")], FILTERED, False),
        ([TAGGED, entry("a")], {"enable_tag_filtering": False}, False),
        ([TAGGED, entry("a")], {}, False),
    ],
)
def test_tags_that_choose_a_deployment_are_refused(
    entries: list[Any], router: dict[str, Any], refused: bool
) -> None:
    """Tags that choose a deployment within a pool are refused, since requests would reach the wrong deployment."""
    faults = faults_of(*entries, router_settings=router)

    assert [path for path, _ in faults] == ["router_settings.enable_tag_filtering"] * refused
