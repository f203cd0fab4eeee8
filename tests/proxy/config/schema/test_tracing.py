"""``general_settings.tracing``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.tracing import Tracing
from tests.proxy.config.samples import faults_of, settings_of


@pytest.mark.parametrize("given", [{}, None])
def test_the_environment_decides_by_default(given: Any) -> None:
    """Nothing is said about spans, and contexts are passed on."""
    settings = settings_of(general_settings={"tracing": given})

    assert settings.general_settings.tracing == Tracing(enabled=None, propagate=True)


@pytest.mark.parametrize(
    ("key", "value"), [("enabled", "yes"), ("enabled", 1), ("propagate", None), ("endpoint", "http://c:4318")]
)
def test_what_is_no_flag_is_refused(key: str, value: Any) -> None:
    """A value that is none, or a key that is not there, is refused by its path."""
    ((path, _),) = faults_of(general_settings={"tracing": {key: value}})

    assert path == f"general_settings.tracing.{key}"
