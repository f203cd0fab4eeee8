"""Tests of the words on what is stored."""

from __future__ import annotations

from proxy.state.sessions.describe_sessions import describe_sessions
from tests.proxy.config.samples import settings_of


def test_words_have_what_how_long_and_how_much() -> None:
    """The operator reads all of it at the start and in ``check``."""
    settings = settings_of(sessions={"turns": 20, "retention": "90s"})

    assert describe_sessions(settings.sessions, settings.store) == (
        "stored responses and conversations of the Responses API, for 90 s after their last use; at most 256 MiB, and "
        "64 MiB of one key; the newest 20 to 30 turns are sent"
    )


def test_sessions_that_are_off_are_said_to_be_off() -> None:
    """The words name the setting."""
    settings = settings_of(sessions={"enabled": False})

    assert "`sessions.enabled` is false" in describe_sessions(settings.sessions, settings.store)
