"""Tests that a rolling restart under load loses no request: a new process takes over while the old one drains.

OpenAI's own client sends a steady load without retries: whole answers and streams in turn, most connections kept open.
The balancer between the client and the processes follows changes of their readiness with a delay.
"""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionChunk

from tests.process.balancing import Balancer, balancing
from tests.process.running import INSTALLED, Served, serve
from tests.support.openai_emulator import OpenAIEmulator

CLIENTS: Any = [{"stream": stream, "kept": kept} for stream in (False, True) for kept in (0, 1, 1)]
UPDATE_S = 0.3
DELAY_S = 3.0
"""The configured drain delay in seconds, longer than the balancer needs to update its endpoints."""

ANSWER = re.compile(r"You wrote \d+ characters\. This is answer number (\d+)\.")


@dataclass
class Load:
    """Clients that keep asking, and the answers and faults that they got."""

    answers: list[int] = field(default_factory=list)
    """The number in the text of each answer. The provider numbers its answers, so that a repeated answer shows."""

    streams: int = 0
    faults: list[str] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)

    def ask(self, base_url: str, *, stream: bool, kept: int, rounds: int | None) -> None:
        """Ask *rounds* times or until stopped, whole and streamed in turn, with up to *kept* idle connections."""
        limits = httpx.Limits(max_keepalive_connections=kept)
        with openai.OpenAI(
            base_url=base_url,
            api_key="unused",
            max_retries=0,
            http_client=httpx.Client(trust_env=False, timeout=60, limits=limits),
        ) as client:
            for _ in itertools.count() if rounds is None else range(rounds):
                if self._stop.is_set():
                    break
                try:
                    self._take(_streamed(client) if stream else _whole(client), stream=stream)
                except Exception as error:  # noqa: BLE001 - each one is a request that was lost
                    self.faults.append(f"{'stream' if stream else 'whole'}: {error!r} {error.__cause__!r}")
                stream = not stream
                time.sleep(0.01)

    def _take(self, text: str, *, stream: bool) -> None:
        said = ANSWER.fullmatch(text)
        if said is None:
            self.faults.append(f"not whole: {text!r}")
        else:
            self.answers.append(int(said[1]))
            self.streams += stream

    @contextmanager
    def running(self, base_url: str, rounds: int | None = None) -> Iterator[None]:
        """Let all clients ask while the context lasts, or *rounds* times each. On exit all answers are there."""
        threads = [
            threading.Thread(target=self.ask, args=(base_url,), kwargs={**client, "rounds": rounds})
            for client in CLIENTS
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            if rounds is None:
                self._stop.set()
            for thread in threads:
                thread.join()


MESSAGES: Any = [{"role": "user", "content": "x"}]


def _whole(client: openai.OpenAI) -> str:
    answer = client.chat.completions.create(model="mine", messages=MESSAGES)
    assert answer.choices[0].finish_reason == "stop"
    return answer.choices[0].message.content or ""


def _streamed(client: openai.OpenAI) -> str:
    """Return the text of a stream and check its end, which OpenAI's own stream reader hides."""
    completions = client.chat.completions.with_streaming_response
    with completions.create(model="mine", messages=MESSAGES, stream=True) as response:
        *events, last = [line.removeprefix("data: ") for line in response.iter_lines() if line]
    chunks = [ChatCompletionChunk.model_validate_json(event) for event in events]
    assert last == "[DONE]", last
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices[0].finish_reason] == ["stop"]
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


@pytest.fixture
def slow_provider(openai_emulator: OpenAIEmulator) -> Iterator[OpenAIEmulator]:
    """Return the provider with slow answers. Every eighth stream lasts longer than the drain delay."""
    openai_emulator.faults.extend(
        {"delay_seconds": 0.1, "chunk_delay_seconds": 0.02 if number % 8 else 0.6} for number in range(20_000)
    )
    yield openai_emulator
    openai_emulator.faults.clear()


@contextmanager
def taking_part(
    directory: Path,
    balancer: Balancer,
    provider: OpenAIEmulator,
    transport: str,
    program: Sequence[str] = INSTALLED,
) -> Iterator[Served]:
    """Start a process as the image does, and add its port to the balancer once the process is ready."""
    params = {"model": "openai/gpt-4.1", "api_key": "emulated", "api_base": provider.base_url}
    config = {
        "model_list": [{"model_name": "mine", "transport": transport, "litellm_params": params}],
        "general_settings": {"drain_delay": DELAY_S, "drain_grace": 20},
        "router_settings": {"num_retries": 0},
    }
    with serve(directory, config, program=program) as served:
        balancer.known.append(port_of(served))
        yield served


def port_of(served: Served) -> int:
    """Return the port of a process."""
    return int(served.origin.rpartition(":")[2])


def until(condition: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
    """Wait until *condition* holds."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, what
        time.sleep(0.01)


def test_no_request_is_lost_in_a_rolling_restart(directory: Path, slow_provider: OpenAIEmulator) -> None:
    """Every request is answered whole and once, streams to their end, and no connection is refused.

    The drain does not depend on the transport: tests/process/test_shutdown.py tests it on both.
    """
    load = Load()
    with ExitStack() as stack:
        balancer = stack.enter_context(balancing(update_s=UPDATE_S))
        old = stack.enter_context(taking_part(directory, balancer, slow_provider, "direct"))
        until(lambda: balancer.endpoints == (port_of(old),), "the old one takes part")
        with load.running(balancer.base_url):
            new = stack.enter_context(taking_part(directory, balancer, slow_provider, "direct"))
            until(lambda: port_of(new) in balancer.endpoints, "the new one takes part")
            old.running.signal()
            status = old.running.wait()
            until(lambda: balancer.endpoints == (port_of(new),), "the new one alone")
            answered = len(load.answers)
            until(lambda: len(load.answers) > answered + 20, "answers of the new one")
        served = [len(each.running.wait_for_events("request_finished", 1)) for each in (old, new)]

    assert load.faults == []
    assert (status, old.running.errors, old.running.events("cut_off")) == (0, "", [])
    assert balancer.refused == 0
    assert len(set(load.answers)) == len(load.answers) > 50
    assert 0 < load.streams < len(load.answers)
    assert all(served)


NAMESPACE = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child")
"""Command prefix that runs a command as process 1, as in a container."""


@pytest.fixture
def namespace() -> Sequence[str]:
    """Return the prefix that runs a command as process 1. The test is skipped where that is not allowed."""
    try:
        subprocess.run([*NAMESPACE, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs unshare, and the right to make a PID namespace")
    return NAMESPACE


def test_it_ends_as_the_first_process(
    directory: Path, slow_provider: OpenAIEmulator, namespace: Sequence[str]
) -> None:
    """SIGTERM drains process 1 as well, although the kernel drops signals that process 1 does not handle."""
    load = Load()
    with (
        balancing(update_s=0) as balancer,
        taking_part(directory, balancer, slow_provider, "direct", program=(*namespace, *INSTALLED)) as served,
    ):
        unshare = served.running.process.pid
        [first] = Path(f"/proc/{unshare}/task/{unshare}/children").read_text().split()
        assert (
            Path(f"/proc/{first}/status").read_text().partition("NSpid:")[2].split("\n")[0].split()[-1] == "1"
        )
        with load.running(served.base_url, rounds=1):
            until(lambda: len(slow_provider.requests) > 0, "a request in flight")
            os.kill(int(first), signal.SIGTERM)
        status = served.running.wait()

    assert (status, load.faults, len(load.answers)) == (0, [], len(CLIENTS))
