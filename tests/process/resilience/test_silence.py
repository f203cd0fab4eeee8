"""Tests that silent streams are kept alive, and that nothing is held back for more than ten seconds.

The tests use one transport, since the streams of both look the same. The three streams of twelve seconds run at once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.process.emulators import Gemini
from tests.process.resilience.asking_again import SLACK_S
from tests.process.resilience.conftest import entry
from tests.process.running import Served, emulate, serve
from tests.support.builders import user

HELD_S = 10.0
SILENT_S = 12.0
BEAT = ": keep-alive"


@dataclass(frozen=True)
class Heard:
    """One event of a stream, or a comment, and when it came."""

    seconds: float
    line: str

    @property
    def delta(self) -> dict[str, str]:
        """The delta of a chunk."""
        choices = json.loads(self.line.removeprefix("data: "))["choices"]
        delta: dict[str, str] = choices[0]["delta"] if choices else {}
        return delta


@pytest.fixture(scope="module")
def patient(directory: Path, http: httpx.Client) -> Iterator[tuple[Served, dict[str, Gemini]]]:
    """Run ``turnright serve`` with long limits, and one emulator for each model name."""
    with emulate(directory) as one, emulate(directory) as two, emulate(directory) as three:
        providers = {
            name: Gemini(origin, http)
            for name, origin in (("silent", one), ("thinking", two), ("failing", three))
        }
        config = {
            "model_list": [
                entry(name, "gemini/gemini-2.5-pro", "direct", provider.api_base)
                for name, provider in providers.items()
            ],
            "general_settings": {"drain_delay": 0, "drain_grace": 2},
            "router_settings": {"num_retries": 1},
        }
        with serve(directory, config) as process:
            yield process, providers


@pytest.fixture(scope="module")
def heard(patient: tuple[Served, dict[str, Gemini]]) -> dict[str, tuple[int, list[Heard]]]:
    """Return the status and the lines of each of the three streams, by model name."""
    served, providers = patient
    providers["silent"].fault(delay_seconds=SILENT_S)
    providers["silent"].say("hello")
    providers["thinking"].fault(chunk_delay_seconds=SILENT_S)
    providers["thinking"].answer({"text": "hm", "thought": True}, {"text": "hello"})
    providers["failing"].fault(delay_seconds=SILENT_S, status=400, message="not like this")

    def listen(name: str) -> tuple[int, list[Heard]]:
        request = {"model": name, "messages": [user("go")], "stream": True}
        begun = time.monotonic()
        with httpx.stream(
            "POST", f"{served.base_url}/chat/completions", json=request, timeout=60, trust_env=False
        ) as answer:
            lines = [Heard(time.monotonic() - begun, line) for line in answer.iter_lines() if line]
        return answer.status_code, lines

    with ThreadPoolExecutor(len(providers)) as pool:
        return dict(zip(providers, pool.map(listen, providers), strict=True))


def test_silent_provider_gets_a_heartbeat_after_ten_seconds(
    heard: dict[str, tuple[int, list[Heard]]],
) -> None:
    """A silent stream gets a comment after ten seconds, and then the complete answer."""
    status, (beat, *events, done) = heard["silent"]

    assert status == 200
    assert beat.line == BEAT
    assert HELD_S <= beat.seconds < SILENT_S
    assert "".join(event.delta.get("content", "") for event in events) == "hello"
    assert all(SILENT_S <= event.seconds < SILENT_S + SLACK_S for event in events)
    assert done.line == "data: [DONE]"


def test_thoughts_are_held_for_ten_seconds(heard: dict[str, tuple[int, list[Heard]]]) -> None:
    """Thoughts are held back for at most ten seconds, since an answer of thoughts alone is retried."""
    status, (thoughts, *events, done) = heard["thinking"]

    assert status == 200
    assert thoughts.delta["reasoning_content"] == "hm"
    assert HELD_S <= thoughts.seconds < SILENT_S
    assert "".join(event.delta.get("content", "") for event in events) == "hello"
    assert not any("reasoning_content" in event.delta for event in events)
    assert done.line == "data: [DONE]"


def test_failure_behind_a_comment(heard: dict[str, tuple[int, list[Heard]]]) -> None:
    """A failure after a comment is the stream's last event, without ``[DONE]``, since the status is already sent."""
    status, (beat, last) = heard["failing"]

    assert status == 200
    assert beat.line == BEAT
    error = json.loads(last.line.removeprefix("data: "))["error"]
    assert error["message"] == "not like this"
