"""Tests of the environment variables and the loggers of litellm."""

from __future__ import annotations

import logging
import os

import pytest

from proxy.upstream.litellm.environment import LOGGERS, QUIET, quiet_litellm


def test_environment_of_the_operator_is_overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the operator's debug setting, litellm would write histories into the log."""
    monkeypatch.setenv("LITELLM_LOG", "DEBUG")
    monkeypatch.setenv("LITELLM_MODE", "DEV")
    quiet_litellm()

    assert {name: os.environ[name] for name in QUIET} == dict(QUIET)


@pytest.mark.parametrize("name", LOGGERS)
def test_a_logger_that_litellm_switched_on_is_silent_again(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The log lines of litellm quote messages and addresses."""
    logger = logging.getLogger(name)
    logger.disabled, logger.propagate = False, True
    quiet_litellm()
    logger.error("a message of a client")

    assert caplog.records == []
    assert (logger.disabled, logger.propagate) == (True, False)
