"""Tests that any body gets an answer or its format's error within five seconds, and never a 500.

``make fuzz`` sends the most bodies. The proxy runs on a real socket in its own thread, in front of the strict emulators
of Gemini, OpenAI and Anthropic. What the proxy lets through must not break a provider either. A provider's refusal is a
valid answer here.
"""

from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import os
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.emulator import serving as serving_gemini
from proxy.observability import logs
from proxy.upstream.select_transport import SelectingUpstream
from tests.support.anthropic_emulator import serving_anthropic
from tests.support.builders import assistant, call, tool, user
from tests.support.gemini_grammar import (
    find_answer_faults,
    find_array_faults,
    find_error_faults,
)
from tests.support.gemini_grammar import find_stream_faults as find_gemini_faults
from tests.support.messages_grammar import find_message_faults
from tests.support.messages_grammar import find_stream_faults as find_event_faults
from tests.support.openai_emulator import serving_openai
from tests.support.proxied import CHAT, Proxied, proxied, settings_of
from tests.support.responses_grammar import find_response_faults, find_stream_faults
from tests.support.strategies.hostile import MODELS, hostile_bytes, hostile_requests
from tests.support.strategies.hostile_blocks import CLAUDE, hostile_messages
from tests.support.strategies.hostile_items import hostile_responses
from tests.support.strategies.hostile_parts import odd_gemini_requests

LONGEST_S = 5.0
PATHS = (CHAT, CHAT, CHAT, "/v1/explain")
RESPONSES = "/v1/responses"
RESPONSES_PATHS = (
    *(RESPONSES, RESPONSES, RESPONSES, f"{RESPONSES}/input_tokens", f"{RESPONSES}/compact"),
    "/v1/explain?format=openai_responses",
)
MESSAGES = "/v1/messages"
MESSAGES_PATHS = (
    *(MESSAGES, MESSAGES, MESSAGES, f"{MESSAGES}?beta=true", f"{MESSAGES}/count_tokens"),
    "/v1/explain?format=anthropic_messages",
)
GEMINI = "/v1beta/models/"
GEMINI_METHODS = (
    *("generateContent", "generateContent", "streamGenerateContent?alt=sse", "streamGenerateContent"),
    *("countTokens", "embedContent", "batchEmbedContents"),
)
GEMINI_EXPLAIN = "/v1/explain?format=gemini_native"
ALL_PATHS = (
    *(*PATHS, *RESPONSES_PATHS, *MESSAGES_PATHS, "/v1/conversations", GEMINI_EXPLAIN),
    *(f"{GEMINI}gemini:{method}" for method in GEMINI_METHODS),
)
MODES = ("repair", "repair", "off")
"""The sanitizer's modes, each as often as it is drawn.

With ``off``, unrepaired histories reach the code that writes the provider's request.
"""


class Fuzzed:
    """Open connections to the proxies under test, with counts of the answers' statuses and the slowest time."""

    def __init__(self, ports: dict[str, int]) -> None:
        self.statuses: Counter[str] = Counter()
        self.slowest = 0.0
        self._clients = {
            mode: http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST_S)
            for mode, port in ports.items()
        }

    def send(
        self, path: str, body: bytes, mode: str = "repair", headers: dict[str, str] | None = None
    ) -> int:
        """Send *body* to the proxy of *mode*, check the answer, and return its status."""
        started = time.monotonic()
        client = self._clients[mode]
        client.request("POST", path, body, {"Content-Type": "application/json", **(headers or {})})
        response = client.getresponse()
        raw = response.read()
        self.slowest = max(self.slowest, time.monotonic() - started)
        self.statuses[f"{path} {response.status}"] += 1
        kind = response.headers["Content-Type"]
        assert response.status < 500 or is_empty(body, raw), raw
        if path.startswith(GEMINI):
            check_gemini(raw, kind, response.status, path)
        elif response.status != 200:
            (check_envelope if path.startswith(MESSAGES) else check_error)(raw)
        elif path.startswith(MESSAGES):
            check_message(raw, kind)
        elif kind.startswith("text/event-stream"):
            (check_events if path == RESPONSES else check_stream)(raw)
        elif path == RESPONSES:
            assert find_response_faults(json.loads(raw)) == []
        else:
            assert "error" not in json.loads(raw)
        return response.status

    def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            client.close()


def is_empty(body: bytes, raw: bytes) -> bool:
    """Tell whether the request itself leaves nothing of the answer.

    The answer begins with one of its stop sequences, or a summary is longer than its limit of tokens.
    """
    asked = (("nothing", "stop"), ("nothing", "stop_sequences"), ("no whole summary", "max_output_tokens"))
    if b"top" in body and b"equences" in body:  # Gemini's stand deeper, in either spelling
        return b"nothing" in raw
    return any(words.encode() in raw and bool(json.loads(body).get(name)) for words, name in asked)


def check_error(raw: bytes) -> None:
    """Check that *raw* is OpenAI's error envelope with a message."""
    error = json.loads(raw)["error"]
    assert error.keys() >= {"message", "type", "param", "code"}
    assert error["message"]
    assert "Traceback" not in error["message"]


def check_envelope(raw: bytes) -> None:
    """Check that *raw* is Anthropic's error envelope with a message."""
    told = json.loads(raw)
    assert told["type"] == "error"
    assert told["error"]["type"]
    assert told["error"]["message"]
    assert "Traceback" not in told["error"]["message"]


def check_message(raw: bytes, kind: str) -> None:
    """Check that *raw* is a message, a stream of one, or a number of tokens."""
    if kind.startswith("text/event-stream"):
        assert find_event_faults(raw, relayed=True) == []
    elif (answer := json.loads(raw)).keys() != {"input_tokens"}:
        assert find_message_faults(answer, relayed=True) == []


def check_gemini(raw: bytes, kind: str, status: int, path: str) -> None:
    """Check that *raw* is an answer of Gemini's API, a stream of one, or Google's error envelope."""
    relayed = path.startswith(f"{GEMINI}gemini")
    if status != 200:
        assert find_error_faults(json.loads(raw), status) == []
    elif kind.startswith("text/event-stream"):
        assert find_gemini_faults(raw, relayed=relayed) == []
    elif "streamGenerateContent" in path:
        assert find_array_faults(raw, relayed=relayed) == []
    elif ":generateContent" in path:
        assert find_answer_faults(json.loads(raw), relayed=relayed) == []
    else:
        assert json.loads(raw).keys() & {"totalTokens", "embedding", "embeddings"}


def check_stream(raw: bytes) -> None:
    """Check that the stream *raw* ends in ``[DONE]`` or in an error."""
    last = raw.decode().removesuffix("\n\n").split("\n\n")[-1].removeprefix("data: ")
    if last != "[DONE]":
        check_error(last.encode())


def check_events(raw: bytes) -> None:
    """Check that the stream *raw* follows the grammar of the Responses API up to its one last event."""
    assert find_stream_faults(raw) == []


@asynccontextmanager
async def everything() -> AsyncIterator[dict[str, Proxied]]:
    """Serve a proxy for each sanitizer mode, in front of the emulators."""
    async with serving_gemini() as gemini, serving_openai() as openai, serving_anthropic() as anthropic:

        def entry(name: str, model: str, base: str) -> dict[str, object]:
            parameters = {"model": model, "api_base": base, "api_key": "emulated"}
            return {"model_name": name, "transport": "direct", "litellm_params": parameters}

        base = f"{gemini}/v1beta"
        models = [
            entry("gemini", "gemini/gemini-3.6-flash", base),
            entry("gemini-2.5", "gemini/gemini-2.5-pro", base),
            entry("openai", "openai/gpt-4.1", openai.base_url),
            entry(CLAUDE, "anthropic/claude-opus-4-6", anthropic.base_url),
        ]
        async with AsyncExitStack() as stack:
            proxies = {}
            for mode in set(MODES):
                settings = settings_of(model_list=models, sanitize={"mode": mode})
                upstream = SelectingUpstream.for_settings(settings)
                proxies[mode] = await stack.enter_async_context(proxied(settings, upstream))
            yield proxies


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[Fuzzed]:
    """Run the emulators and proxies on their own event loop, without a log. Print the counts at the end."""
    ready, stop = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()
    ports: dict[str, int] = {}
    left: list[int] = []

    async def run() -> None:
        async with everything() as proxies:
            ports.update({mode: proxy.server.port for mode, proxy in proxies.items()})
            ready.set()
            await stop.wait()
            for proxy in proxies.values():
                await proxy.idle()
                left.append(proxy.server.gateway.admission.in_flight)

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), name="fuzzed")
    thread.start()
    assert ready.wait(20)
    client = Fuzzed(ports)
    try:
        with pytest.MonkeyPatch.context() as patch, Path(os.devnull).open("w") as nowhere:
            patch.setattr(logs, "_log", logs.Log(nowhere))
            yield client
    finally:
        client.close()
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)
        loop.close()
    assert set(left) == {0}
    for status, count in sorted(client.statuses.items()):
        print(f"{status}: {count}")  # noqa: T201 - with -rP
    print(f"{client.statuses.total()} bodies, the slowest took {client.slowest:.3f} s")  # noqa: T201


@given(
    body=hostile_bytes(),
    path=st.sampled_from(ALL_PATHS),
    mode=st.sampled_from(MODES),
)
def test_random_bytes_are_no_fault_of_ours(fuzzed: Fuzzed, body: bytes, path: str, mode: str) -> None:
    fuzzed.send(path, body, mode)


@given(body=hostile_requests(), path=st.sampled_from(PATHS), mode=st.sampled_from(MODES))
def test_requests_with_odd_values_are_no_fault_of_ours(
    fuzzed: Fuzzed, body: bytes, path: str, mode: str
) -> None:
    """Requests with unexpected values at any depth cause no 5xx status, except where stop sequences leave nothing."""
    fuzzed.send(path, body, mode)


@given(body=hostile_responses(), path=st.sampled_from(RESPONSES_PATHS), mode=st.sampled_from(MODES))
def test_requests_of_odd_items_are_no_fault_of_ours(
    fuzzed: Fuzzed, body: bytes, path: str, mode: str
) -> None:
    """Requests of the Responses API with unexpected items, tools and fields cause no 5xx status."""
    fuzzed.send(path, body, mode)


@given(body=hostile_messages(), path=st.sampled_from(MESSAGES_PATHS), mode=st.sampled_from(MODES))
def test_requests_of_odd_blocks_are_no_fault_of_ours(
    fuzzed: Fuzzed, body: bytes, path: str, mode: str
) -> None:
    """Requests of Anthropic's API with unexpected blocks, tools and fields cause no 5xx status."""
    fuzzed.send(path, body, mode)


@given(
    request=odd_gemini_requests(),
    model=st.sampled_from((*MODELS, CLAUDE)),
    method=st.sampled_from((*GEMINI_METHODS, "")),
    mode=st.sampled_from(MODES),
)
def test_requests_of_odd_contents_are_no_fault_of_ours(
    fuzzed: Fuzzed, request: dict[str, Any], model: str, method: str, mode: str
) -> None:
    """Requests of Gemini's API with unexpected parts, tools and settings cause no 5xx status."""
    if method:
        fuzzed.send(f"{GEMINI}{model}:{method}", json.dumps(request).encode(), mode)
    else:
        fuzzed.send(GEMINI_EXPLAIN, json.dumps({"model": model, **request}).encode(), mode)


def test_compressed_body_is_bounded_by_its_unpacked_size(fuzzed: Fuzzed) -> None:
    """A small compressed body is a 413 if it unpacks to a large one."""
    bomb = gzip.compress(b"[" + b" " * (64 * 2**20) + b"]")

    assert fuzzed.send(CHAT, bomb, headers={"Content-Encoding": "gzip"}) == 413


@pytest.mark.parametrize("mode", sorted(set(MODES)))
@pytest.mark.parametrize("path", sorted(set(PATHS)))
@pytest.mark.parametrize("model", ["gemini", "gemini-2.5", "openai"])
@pytest.mark.parametrize("depth", [90, 260, 600, 1_000, 1_100, 20_000])
def test_deeply_nested_arguments_are_answered(
    fuzzed: Fuzzed, depth: int, model: str, path: str, mode: str
) -> None:
    """Deeply nested arguments cause no 5xx status.

    Arguments are texts, so that the body's nesting limit does not see them. The calls are parallel, so that their
    arguments are compared.
    """
    arguments = '{"a":' * depth + "1" + "}" * depth
    calls = [call(one, "f", arguments) for one in ("a", "b")]
    history = [user("go"), assistant(calls=calls), tool("a", "1"), tool("b", "2")]

    fuzzed.send(path, json.dumps({"model": model, "messages": history}).encode(), mode)


def test_good_requests_are_answered(fuzzed: Fuzzed) -> None:
    """The proxy still answers a good request after the hostile ones."""
    body = {"model": "gemini", "messages": [{"role": "user", "content": "Hello."}]}

    assert fuzzed.send(CHAT, json.dumps(body).encode()) == 200
