"""Drives a running process so that each of its metrics changes."""

from __future__ import annotations

import functools
import json
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.process.asking import Answer, function_tool
from tests.process.emulators import openai_in_a_thread
from tests.process.running import Served, serve
from tests.support.builders import assistant, call, system, tool, user
from tests.support.openai_emulator import OpenAIEmulator

TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACED = {"traceparent": f"00-{TRACE_ID}-00f067aa0ba902b7-01"}

STEADY, NARROW, BACKED, LONELY = "steady", "narrow", "backed", "lonely"
"""Names of models: one that answers, one with a small window, one with a fallback, and one without a fallback."""

KEY = "sk-driven"
LIMITED = {
    "drain_delay": 0,
    "drain_grace": 2,
    "keys": [{"name": "driven", "key": KEY, "rpm_limit": 1, "max_budget": 100}],
}
"""General settings with a key that may ask once a minute, and has a spend limit."""

_PROMPT = "Say what a careful engineer looks at before a release, and in which order. " * 40
_THOUGHTFUL = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-4.1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}],
    "usage": {
        "prompt_tokens": 900,
        "completion_tokens": 90,
        "total_tokens": 990,
        "prompt_tokens_details": {"cached_tokens": 800},
        "completion_tokens_details": {"reasoning_tokens": 80},
    },
}
_LONG = "The build wrote another line of its log, and nobody has read it. " * 400


class Driver:
    """Sends the process requests that change each of its metrics."""

    def __init__(self, served: Served, provider: OpenAIEmulator, http: httpx.Client) -> None:
        self._served, self._provider, self._http = served, provider, http

    def drive(self) -> None:
        """Call every method that sends requests once. The order matters, since the provider's faults are a queue."""
        self.answer()
        self.change()
        self.fail()
        self.cut()
        self.go_in_circles()
        self.learn()
        self.leave()

    def answer(self) -> None:
        """Ask for whole and streamed answers with usage, and send two requests that must fail.

        One answer reports reasoning tokens and cached prompt tokens.
        """
        for stream in (False, True):
            options: dict[str, Any] = {"stream_options": {"include_usage": True}} if stream else {}
            assert self._ask(STEADY, [user(_PROMPT)], stream=stream, **options).is_whole
        self._provider.faults.append({"payload": _THOUGHTFUL})
        assert self._ask(STEADY, [user()]).is_whole
        assert self._ask("nope", [user()]).status == 404
        assert self._ask(STEADY, 3).status == 400

    def change(self) -> None:
        """Send a history that needs a repair, with an unknown parameter.

        Mode ``observe`` does not repair the history.
        """
        self._ask(STEADY, [tool("x"), user()], made_up=1)

    def fail(self) -> None:
        """Cause a retry, a fallback, failed requests, and a stream that breaks."""
        self._provider.faults.append({"status": 503})
        assert self._ask(STEADY, [user()]).is_whole
        self._provider.faults.extend([{"status": 503}] * 2)
        assert self._ask(BACKED, [user()]).is_whole
        for status in (503, 401, 429, 400):
            self._provider.faults.extend([{"status": status}] * 2)
            assert self._ask(LONELY, [user(f"Fail with {status}.")]).status >= 400
            self._provider.faults.clear()
        self._provider.faults.append({"text": "one two three four five six", "cut_after_chunks": 4})
        assert not self._ask(STEADY, [user()], stream=True).is_whole

    def cut(self) -> None:
        """Send a history that is longer than the model's window."""
        history = [system(), user("Find the fault.")]
        for at in range(12):
            history += [assistant(None, [call(f"c{at}", "read_log", json.dumps({"part": at}))])]
            history += [tool(f"c{at}", _LONG)]
        assert self._ask(NARROW, history, tools=[function_tool("read_log")]).is_whole

    def go_in_circles(self) -> None:
        """Repeat the same call round by round, as an agent in a loop does."""
        history = [user("What is it like in Oslo?")]
        for at in range(6):
            history += [assistant(None, [call(f"c{at}", "get_weather")]), tool(f"c{at}", "It rains.")]
            assert self._ask(STEADY, history, tools=[function_tool("get_weather")]).is_whole

    def learn(self) -> None:
        """Have a parameter refused in four conversations. In the fifth one the proxy drops it in advance."""
        words = "Unsupported parameter: 'seed' is not supported with this model."
        for at in range(5):
            if at < 4:
                self._provider.faults.append({"status": 400, "message": words})
            assert self._ask(STEADY, [user(f"Learn, {at}.")], seed=1).is_whole
        assert "turnright_learned_applied_total{" in self.scrape()

    def spend(self) -> None:
        """Ask twice with a key that may ask once a minute."""
        assert self._ask(STEADY, [user()], key=KEY).is_whole
        assert self._ask(STEADY, [user()], key=KEY).status == 429

    def leave(self) -> None:
        """Disconnect before the answer has arrived."""
        before = len(self._provider.requests)
        self._provider.faults.append({"delay_seconds": 30})
        body = json.dumps({"model": STEADY, "messages": [user()]}).encode()
        address = urlsplit(self._served.origin)
        assert address.hostname is not None
        with socket.create_connection((address.hostname, address.port or 80)) as client:
            head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
            client.sendall(head.encode() + body)
            _until(lambda: len(self._provider.requests) > before)
        _until(lambda: any(line["outcome"] == "client_disconnected" for line in self._finished()))

    def scrape(self, accept: str = "text/plain") -> str:
        """Return the text of ``/metrics``, in the format that *accept* asks for."""
        return self._http.get(f"{self._served.origin}/metrics", headers={"Accept": accept}).text

    def _finished(self) -> list[dict[str, Any]]:
        return self._served.running.events("request_finished")

    def _ask(self, model: str, messages: Any, *, key: str = "", **parameters: Any) -> Answer:
        request = {"model": model, "messages": messages, **parameters}
        headers = TRACED | ({"Authorization": f"Bearer {key}"} if key else {})
        response = self._http.post(
            f"{self._served.base_url}/chat/completions", content=json.dumps(request).encode(), headers=headers
        )
        return Answer(response.status_code, response.headers, response.text)


def _until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.01)


@contextmanager
def running(directory: Path, **sections: Any) -> Iterator[tuple[Served, Driver]]:
    """Run ``turnright serve`` in front of a provider while the context lasts. *sections* extend its configuration."""
    with (
        openai_in_a_thread() as provider,
        httpx.Client(timeout=30, trust_env=False) as http,
        serve(directory, _configuration(provider, sections)) as served,
    ):
        yield served, Driver(served, provider, http)


@functools.cache
def scrape_of_driven() -> str:
    """Return the metrics of a driven process, of one in mode ``observe``, and of one whose key has limits."""
    texts = []
    with tempfile.TemporaryDirectory() as name:
        with running(Path(name)) as (_, driver):
            driver.drive()
            texts.append(driver.scrape())
        with running(Path(name), sanitize={"mode": "observe"}) as (_, driver):
            driver.change()
            texts.append(driver.scrape())
        with running(Path(name), general_settings=LIMITED) as (_, driver):
            driver.spend()
            texts.append(driver.scrape())
    return "".join(texts)


def _configuration(provider: OpenAIEmulator, sections: dict[str, Any]) -> dict[str, Any]:
    def entry(name: str, **info: int) -> dict[str, Any]:
        parameters = {"model": "openai/gpt-4.1", "api_key": "emulated", "api_base": provider.base_url}
        return {"model_name": name, "litellm_params": parameters, "model_info": info, "transport": "direct"}

    return {
        "model_list": [entry(STEADY), entry(NARROW, max_input_tokens=12_000), entry(BACKED), entry(LONELY)],
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {"num_retries": 1, "fallbacks": [{BACKED: [STEADY]}]},
        **sections,
    }
