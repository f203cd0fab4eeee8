"""Tests of the question to a running process."""

from __future__ import annotations

import argparse

import pytest

from proxy.cli.ask_process import CannotAskError, Question, ask_process, unusable_option


def options(url: str = "http://127.0.0.1:1", key_env: str = "ASKED_KEY") -> argparse.Namespace:
    """Return the options of a command that asks a process."""
    return argparse.Namespace(url=url, key_env=key_env)


async def test_process_that_does_not_listen_cannot_be_asked() -> None:
    """The error names the address and the kind of failure."""
    with pytest.raises(CannotAskError, match=r"^http://127\.0\.0\.1:1 does not answer: Client"):
        await ask_process(options(), Question("GET", "learned", {}))


@pytest.mark.parametrize(
    ("url", "key", "word"),
    [
        ("http://h:4000", "sk-1", None),
        ("https://h/v1", "", None),
        ("file:///etc/passwd", "", "--url"),
        ("http://user@h", "", "--url"),
        ("http://h", "sk-ключ", "ASKED_KEY"),
        ("http://h", "a\nb", "ASKED_KEY"),
    ],
)
def test_options_are_checked_before(
    monkeypatch: pytest.MonkeyPatch, url: str, key: str, word: str | None
) -> None:
    """The words name the option or the variable, and never the key."""
    monkeypatch.setenv("ASKED_KEY", key)
    why = unusable_option(options(url))

    assert (why is None) is (word is None)
    assert word is None or word in str(why)
    assert not key or key not in str(why)
