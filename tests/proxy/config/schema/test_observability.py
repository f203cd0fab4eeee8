"""Tests of the settings of the log, of tracing and of the inspector."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.observability import Logs, Tracing
from tests.proxy.config.samples import faults_of, load, settings_of


@pytest.mark.parametrize(
    ("key", "value"),
    [("format", "text"), ("format", True), ("level", "debug"), ("file", "x")],
)
def test_unknown_log_setting_is_refused_by_its_path(key: str, value: Any) -> None:
    """A wrong format or level, or an unknown key, is one fault with its path."""
    ((path, _),) = faults_of(general_settings={"logs": {key: value}})

    assert path == f"general_settings.logs.{key}"


def test_log_settings_may_be_environment_variables() -> None:
    """The log's format and level may come from environment variables."""
    logs = load(
        general_settings={"logs": {"format": "os.environ/FORM", "level": "os.environ/LEVEL"}},
        environ={"FORM": "readable", "LEVEL": "warning"},
    ).settings.general_settings.logs

    assert (logs.format, logs.level) == ("readable", "warning")
    assert settings_of(general_settings={"logs": None}).general_settings.logs == Logs()


@pytest.mark.parametrize("given", [{}, None])
def test_tracing_is_unset_and_contexts_are_passed_on_by_default(given: Any) -> None:
    """By default tracing is unset, so the environment decides about spans, and trace contexts are passed on."""
    settings = settings_of(general_settings={"tracing": given})

    assert settings.general_settings.tracing == Tracing(enabled=None, propagate=True)


@pytest.mark.parametrize(
    ("key", "value"), [("enabled", "yes"), ("enabled", 1), ("endpoint", "http://c:4318")]
)
def test_tracing_takes_flags_alone(key: str, value: Any) -> None:
    """A tracing setting that is not a flag, or is unknown, is a fault with its path."""
    ((path, _),) = faults_of(general_settings={"tracing": {key: value}})

    assert path == f"general_settings.tracing.{key}"
