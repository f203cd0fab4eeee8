"""Tests that client texts and credentials reach only their recipients, on every path and with every failure.

Every secret is a mark that is given once, to one owner: the proxy, its operator, or one request. A mark of the proxy
must be in no answer, and a request's mark in no other request's answer. The operator's instructions are for the master
key's explanations alone. No mark may be in the log, on standard error, or in the metrics. The provider repeats all that
it gets (:mod:`tests.process.telltale`).
"""

from __future__ import annotations

import base64
import itertools
import json
import re
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.process.running import Running, Served, serve
from tests.process.telltale import MANNERS, Telltale, asking_for, telltale
from tests.support.builders import assistant, call, image, tool, user
from tests.support.covering_cases import EVERYTHING

MARK = re.compile(r"zq\d{6}qz", re.IGNORECASE)
PROXY, ADDRESS, OPERATOR = "the proxy", "an address", "the operator"
MODELS = ("openai", "gemini", "chained", "dead")
CHAT = "/v1/chat/completions"
TEXTS = ("/v1/embeddings", "/v1/completions")
NOISY = {
    "LITELLM_LOG": "DEBUG",
    "OPENAI_LOG": "debug",
    "HTTPX_LOG_LEVEL": "trace",
    "PYTHONWARNINGS": "always",
    "PYTHONASYNCIODEBUG": "1",
}
"""Environment variables that make libraries log more, as an operator would set them to find a fault."""

Mark = Callable[[], str]


@dataclass
class Marks:
    """Unique marks, each with its owner."""

    owners: dict[str, str] = field(default_factory=dict, repr=False)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def give(self, owner: str) -> str:
        """Return a new mark of *owner*."""
        mark = f"zq{next(self._numbers):06d}qz"
        self.owners[mark] = owner
        return mark

    def owners_in(self, text: str) -> set[str]:
        """Return the owners of the marks in *text*."""
        return {self.owners.get(mark.lower(), mark) for mark in MARK.findall(text)}


@dataclass(frozen=True)
class Watched:
    """A running process, its provider, the marks, the proxy's keys by their holders, and a client."""

    served: Served
    provider: Telltale
    marks: Marks
    keys: dict[str, str]
    http: httpx.Client

    def owners_in_output(self) -> set[str]:
        """Return the owners of the marks in the process's output, except in requested model names."""
        running = self.served.running
        return self.marks.owners_in(_ASKED_MODEL.sub("", running.output + running.errors))


_ASKED_MODEL = re.compile(r'"asked_model":"[A-Za-z0-9._:/@*-]{1,100}"')
"""The model that a client asked for.

A request's log line holds this name with a limited length, since operators look it up.
"""


@contextmanager
def watching(directory: Path, transport: str) -> Iterator[Watched]:
    """Run the proxy in front of the telltale provider, with a mark in place of every secret, and verbose libraries."""
    marks = Marks()
    keys = {"master": f"sk-{marks.give(PROXY)}", "client": f"sk-{marks.give(PROXY)}"}
    with telltale() as provider:

        def entry(name: str, model: str, port: int) -> dict[str, Any]:
            params = {
                "model": model,
                "api_base": f"http://127.0.0.1:{port}/{marks.give(ADDRESS)}",
                "api_key": f"sk-{marks.give(PROXY)}",
                "extra_headers": {"x-ours": f"Token {marks.give(PROXY)}"},
            }
            words = f"A model's text: {marks.give(OPERATOR)} and {marks.give(OPERATOR)}."
            return {
                "model_name": name,
                "transport": transport,
                "litellm_params": params,
                "instructions": words,
            }

        config = {
            "model_list": [
                entry("openai", "openai/gpt-4.1", provider.port),
                entry("gemini", "gemini/gemini-2.5-pro", provider.port),
                entry("chained", "openai/gpt-4.1", provider.port),
                entry("chained", "openai/gpt-4o", provider.port),
                entry("dead", "openai/gpt-4.1", 1),
            ],
            "router_settings": {
                "num_retries": 1,
                "cooldown_time": 0,
                "fallbacks": [{"chained": ["gemini"]}],
                "self_correction": "always",
                "first_byte_timeout": 0.5,
                "timeout": 2,
            },
            "general_settings": {
                "master_key": keys["master"],
                "keys": [{"name": "team", "key": keys["client"], "instructions": marks.give(OPERATOR)}],
                "instructions": f'Policy {marks.give(OPERATOR)},\n"quoted" {marks.give(OPERATOR)}.',
                "drain_delay": 0,
                "drain_grace": 1,
            },
            "turns": {"max_rounds": 1, "mode": "enforce", "tell_model": True},
        }
        assert marks.owners_in(checked(directory, config)) == {ADDRESS}, "check shows where, and no key"
        limits = httpx.Limits(max_keepalive_connections=0)
        with (
            serve(directory, config, variables=NOISY) as served,
            httpx.Client(trust_env=False, limits=limits) as client,
        ):
            yield Watched(served, provider, marks, keys, client)


def checked(directory: Path, config: dict[str, Any]) -> str:
    """Return all that ``turnright check`` prints of a configuration."""
    path = directory / "checked.yaml"
    path.write_text(yaml.safe_dump(config))
    running = Running(directory, "check", "--config", str(path), variables=NOISY)
    assert running.wait(60) == 0
    return running.output + running.errors


@pytest.fixture(scope="session")
def watched(directory: Path, transport: str) -> Iterator[Watched]:
    """Run a process on each transport, and check at the end that its output holds no mark."""
    with watching(directory, transport) as running:
        yield running
    assert running.owners_in_output() == set(), "nor at its end"


@dataclass(frozen=True)
class Step:
    """One request: its model, path, shape and key holder, and the manner of the provider's answer."""

    manner: str
    model: str = "openai"
    path: str = CHAT
    stream: bool = False
    shape: int = 0
    holder: str = "client"
    leaves: bool = False


def body_of(step: Step, mark: Mark) -> bytes:
    """Return a body with marks wherever a client can put text.

    The step's shape makes the body good, broken, refused or unreadable.
    """
    asked = f"{asking_for(step.manner)} {mark()}"
    head: dict[str, Any] = {"model": step.model, "stream": step.stream, "user": mark(), mark(): mark()}
    if step.path in TEXTS:
        return json.dumps(head | {"input": asked, "prompt": asked}).encode()
    name, schema = (
        mark(),
        {"type": "object", "properties": {mark(): {"type": "string", "description": mark()}}},
    )
    function = {"name": name, "description": mark(), "parameters": schema}
    tools = [{"type": "function", "function": function}]
    png = f"data:image/png;base64,{base64.b64encode(mark().encode()).decode()}"
    arguments = json.dumps({"q": mark()})
    history = [
        {"role": "system", "content": mark()},
        user([{"type": "text", "text": asked}, image(png)]),
        assistant(mark(), [call("c1", name, arguments)]),
        tool("c1", mark()),
    ]
    good = {**head, "messages": history, "tools": tools}
    shapes: list[Any] = [
        good,
        {**head, "messages": [user(asked)]},
        {**head, "messages": [*history, tool("c9", mark()), assistant(mark())]},
        {**head, "messages": [user(asked), assistant(None, [call(mark(), mark(), f"{{{mark()}")])]},
        {
            **good,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "x", "schema": {mark(): mark()}},
            },
        },
        {**head, "messages": [user(asked), user([image(f"https://{mark()}.test/{mark()}.png")])]},
        {**head, "messages": [tool(mark(), mark())]},
        {**head, "messages": [{"role": mark(), "content": mark()}]},
        {**head, "messages": [{"role": "user", "content": {mark(): mark()}}]},
        {**good, "temperature": mark()},
        {**good, "tools": [{"type": "function", "function": {"name": mark(), "parameters": mark()}}]},
        {**good, "tool_choice": {"type": "function", "function": {"name": mark()}}},
        {**good, "model": f"{step.model}-{mark()}"},
        json.dumps({**head, "messages": [user(mark())]}).encode()[:-5],
        mark().encode(),
    ]
    shape = shapes[step.shape % len(shapes)]
    return shape if isinstance(shape, bytes) else json.dumps(shape).encode()


SHAPES = 15


def ask(watched: Watched, step: Step) -> str:
    """Send one request and return its answer: status, headers and body.

    Fails if the answer holds a mark of another owner.
    """
    owner = f"{watched.marks.give('-')} {step}"
    headers = {
        "Authorization": f"Bearer {watched.keys.get(step.holder, watched.marks.give(owner))}",
        "Cookie": f"session={watched.marks.give(owner)}",
        "x-custom": watched.marks.give(owner),
        "x-goog-api-key": watched.marks.give(owner),
        "x-request-id": watched.marks.give(owner) + " is none",
        "traceparent": watched.marks.give(owner),
        "x-turnright-max-rounds": watched.marks.give(owner) if step.shape == SHAPES - 1 else "5",
        "Content-Type": "application/json",
    }
    if step.holder == "nobody":
        del headers["Authorization"]
    body = body_of(step, lambda: watched.marks.give(owner))
    url = f"{watched.served.origin}{step.path}?key={watched.marks.give(owner)}"
    timeout = httpx.Timeout(30, read=0.3 if step.leaves else 30)
    try:
        with watched.http.stream("POST", url, content=body, headers=headers, timeout=timeout) as response:
            said = f"{response.status_code} {response.reason_phrase} {dict(response.headers)}"
            for text in response.iter_text():
                said += text
                if step.leaves:
                    break
    except httpx.ReadTimeout:
        assert step.leaves, step
        said = ""
    allowed = {owner} | ({OPERATOR} if sees_instructions(step) else set())
    assert watched.marks.owners_in(said) <= allowed, f"{step}: {said}"
    return said


def sees_instructions(step: Step) -> bool:
    """Return True where an answer may hold the operator's text: for the operator, and where the model repeats it."""
    return step.manner == "wrong call" or (step.holder == "master" and step.path.endswith("/explain"))


def ask_all(watched: Watched, steps: list[Step]) -> list[str]:
    """Send requests, up to twelve at once, and check the metrics and the process's output for marks."""
    with ThreadPoolExecutor(12) as pool:
        said = list(pool.map(lambda step: ask(watched, step), steps))
    metrics = watched.http.get(f"{watched.served.origin}/metrics").text
    assert watched.marks.owners_in(metrics) == set()
    assert watched.owners_in_output() == set()
    return said


def test_whatever_the_provider_does(watched: Watched) -> None:
    """No manner of the provider's answer leaks a mark, from any model, streamed or whole."""
    steps = [
        Step(
            manner, model, stream=stream, shape=int(stream)
        )  # with tools a stream is held back until it is whole
        for manner in MANNERS
        for model in MODELS
        for stream in (False, True)
        if model != "dead" or manner == "answer"
    ]
    said = ask_all(watched, steps)

    assert watched.provider.seen == set(MANNERS)
    statuses = {int(text.split()[0]) for text in said}
    assert statuses >= {200, 400, 401, 403, 404, 413, 422}, statuses
    assert max(statuses) >= 500
    assert any('"error"' in text for text in said if text.startswith("200"))


def test_whatever_the_client_sends(watched: Watched) -> None:
    """No shape of a body leaks a mark, with a client's key, the master key, a wrong key or none."""
    steps = [
        Step("answer", model, path, stream, shape, holder)
        for model in ("openai", "gemini")
        for path in (CHAT, "/v1/explain")
        for stream in (False, True)
        for shape in range(SHAPES)
        for holder in (("client", "master", "stranger", "nobody") if shape < 2 else ("client",))
    ]
    plain = [Step(manner, model, path) for manner in MANNERS[:16] for model in MODELS[:2] for path in TEXTS]
    said = ask_all(
        watched, [*steps, *plain, Step("answer", path="/v1/nothing"), Step("answer", path="/v1/models")]
    )

    assert {int(text.split()[0]) for text in said} >= {200, 400, 401, 404, 405}


@settings(max_examples=60 if EVERYTHING else 8)
@given(
    st.lists(
        st.builds(
            Step,
            st.sampled_from(MANNERS),
            st.sampled_from(MODELS),
            st.sampled_from((CHAT, CHAT, "/chat/completions", "/v1/explain", *TEXTS)),
            st.booleans(),
            st.integers(0, SHAPES - 1),
            st.sampled_from(("client", "client", "master", "stranger")),
            st.booleans(),
        ),
        min_size=8,
        max_size=16,
    )
)
def test_random_clients_at_once_leak_nothing(watched: Watched, steps: list[Step]) -> None:
    """Random requests at once leak no mark, even where clients leave."""
    ask_all(watched, steps)


def test_what_is_no_request(watched: Watched) -> None:
    """Invalid HTTP, which aiohttp itself refuses and logs, leaks no mark."""
    port = int(watched.served.origin.rpartition(":")[2])
    for template in (
        "GET / HTTP/1.1\r\nHost: localhost\r\nno header {}\r\n\r\n",
        "{} {} {}\r\n\r\n",
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n{}\r\n{}",
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: {}\r\nContent-Length: 1\r\n\r\n{{",
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: {}\r\nContent-Length: 9\r\n\r\n{}",
        "GET /v1/models HTTP/9.9\r\nHost: {}\r\nExpect: {}\r\n\r\n",
    ):
        owner = watched.marks.give("-")
        marks = [watched.marks.give(owner) for _ in range(3)]
        with socket.create_connection(("127.0.0.1", port), timeout=5) as raw:
            raw.sendall(template.format(*marks).encode())
            raw.shutdown(socket.SHUT_WR)
            said = b""
            while more := raw.recv(65_536):
                said += more
        assert watched.marks.owners_in(said.decode()) <= {owner}

    assert watched.owners_in_output() == set()
