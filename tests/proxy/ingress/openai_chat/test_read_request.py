"""What a client can get wrong about a request: each is told with its status and place, and nothing is sent."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from proxy.config import Settings
from proxy.ingress.openai_chat.parameters import PARAMETERS
from tests.support.builders import assistant, text, user
from tests.support.proxied import CHAT, MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream
from tests.support.strategies import any_histories

MIB = 2**20
FUNCTION = {"type": "function", "function": {"name": "f"}}


@dataclass(frozen=True, slots=True)
class Case:
    """A body that cannot be used, and what the client is told."""

    name: str
    body: Any
    param: str | None = None
    status: int = 400
    code: str = "invalid_request"
    says: str = ""


def messages(*history: Any) -> dict[str, Any]:
    """Build a request with this history."""
    return {"model": MODEL, "messages": list(history)}


def nested(depth: int) -> Any:
    """Build a value of so many containers, one in the other."""
    value: Any = {}
    for level in range(depth - 1):
        value = [value] if level % 2 else {"a": value}
    return value


def raw(fields: str) -> bytes:
    """Build a good request with further fields in JSON's own text."""
    return json.dumps(chat()).encode()[:-1] + b", " + fields.encode() + b"}"


BODIES = (
    Case("empty body", b"", says="not valid JSON"),
    Case("cut off", b'{"model": "gemini", "messages": [', says="not valid JSON"),
    Case("form data", b"model=gemini", says="not valid JSON"),
    Case("two values", b"{} {}", says="not valid JSON"),
    Case("no object: list", b"[]", says="must be a JSON object"),
    Case("no object: text", b'"x"', says="must be a JSON object"),
    Case("no object: null", b"null", says="must be a JSON object"),
    Case("no UTF-8", b'{"model": "\xff\xfe"}', says="UTF-8"),
    Case("UTF-16", '{"model": "gemini"}'.encode("utf-16"), says="not valid JSON"),
    Case("lone high surrogate", raw('"user": "\\ud83d"'), says="not valid JSON"),
    Case("lone low surrogate", raw('"user": "\\ude00"'), says="not valid JSON"),
    Case(
        "half a character beside the messages",
        json.dumps({**messages(user("cut \ud83d")), "stop": "\ud83d"}).encode(),
        says="not valid JSON",
    ),
    Case(
        "half a character and no JSON",
        json.dumps(messages(user("cut \ud83d"))).encode()[:-1],
        says="not valid JSON",
    ),
    Case(
        "half a character and NaN",
        json.dumps({**messages(user("cut \ud83d")), "temperature": float("nan")}).encode(),
        says="not valid JSON",
    ),
    Case("surrogate bytes", b'{"model": "\xed\xa0\xbd"}', says="UTF-8"),
    Case("NaN", raw('"temperature": NaN'), says="not valid JSON"),
    Case("Infinity", raw('"temperature": Infinity'), says="not valid JSON"),
    Case("number over a double", raw('"temperature": 1e400'), says="not valid JSON"),
    Case("nested: messages", messages(user([text("x", deep=nested(120))])), says="nested deeper than 100"),
    Case(
        "nested: tools",
        chat(tools=[{"type": "function", "function": {"name": "f", "parameters": nested(120)}}]),
        says="nested deeper than 100",
    ),
    Case("nested: unknown field", chat(foo=nested(120)), says="nested deeper than 100"),
    Case("nested: past the parser", b"[" * 200_000, says="not valid JSON"),
    Case("no messages", {"model": MODEL}, "messages"),
    Case("messages null", {"model": MODEL, "messages": None}, "messages"),
    Case("messages empty", messages(), "messages"),
    Case("messages an object", {"model": MODEL, "messages": {"role": "user"}}, "messages"),
    Case("messages a text", {"model": MODEL, "messages": "Hello."}, "messages"),
    Case("message a text", messages(user(), "Hello."), "messages[1]"),
    Case("message null", messages(None), "messages[0]"),
    Case("role unknown", messages(user(), {"role": "wizard", "content": "x"}), "messages[1].role"),
    Case("role missing", messages({"content": "x"}), "messages[0].role"),
    Case("role a number", messages({"role": 1, "content": "x"}), "messages[0].role"),
    Case("role a list", messages({"role": ["user"], "content": "x"}), "messages[0].role"),
    Case("content a number", messages(user(5)), "messages[0].content"),
    Case("content an object", messages(user({"type": "text", "text": "x"})), "messages[0].content"),
    Case(
        "part unknown",
        messages(user(), user([text("x"), {"type": "smell", "smell": "x"}])),
        "messages[1].content[1].type",
    ),
    Case("part a text", messages(user([text("x"), "y"])), "messages[0].content[1]"),
    Case("part without a type", messages(user([{"text": "x"}])), "messages[0].content[0].type"),
    Case("text a number", messages(user([{"type": "text", "text": 1}])), "messages[0].content[0].text"),
    Case(
        "image without a URL",
        messages(user([{"type": "image_url", "image_url": {}}])),
        "messages[0].content[0].image_url.url",
    ),
    Case("calls an object", messages(assistant(None, tool_calls={})), "messages[0].tool_calls"),
    Case("call a text", messages(assistant(None, ["f"])), "messages[0].tool_calls[0]"),
    Case(
        "call id a number",
        messages(assistant(None, [{"id": 1, "function": {"name": "f"}}])),
        "messages[0].tool_calls[0].id",
    ),
    Case(
        "result id a number",
        messages({"role": "tool", "tool_call_id": 7, "content": "x"}),
        "messages[0].tool_call_id",
    ),
    Case("model missing", {"messages": [user()]}, "model"),
    Case("model empty", chat(model=""), "model"),
    Case("model null", chat(model=None), "model"),
    Case("model a number", chat(model=7), "model"),
    Case(
        "model unknown",
        chat(model="gpt-9"),
        "model",
        404,
        "model_not_found",
        "The model 'gpt-9' is not configured. Configured models: gemini.",
    ),
    Case("options: flag a text", chat(stream=True, stream_options={"include_usage": "yes"}),
         "stream_options.include_usage"),
    Case("options: flag a number", chat(stream=True, stream_options={"include_usage": 1}),
         "stream_options.include_usage"),
    Case("seed over 64 bits", raw(f'"seed": {10**30}'), "seed"),
    Case("max_tokens zero", chat(max_tokens=0), "max_tokens"),
    Case("max_tokens negative", chat(max_tokens=-1), "max_tokens"),
    Case("n too large", chat(n=9), "n"),
    Case("stop: entry a number", chat(stop=["a", 1]), "stop"),
    Case("tools: an entry a text", chat(tools=[FUNCTION, "f"]), "tools[1]"),
    Case("tool mcp", chat(tools=[FUNCTION, {"type": "mcp", "server_url": "http://x"}]), "tools[1].type"),
    Case("tool web_search", chat(tools=[{"type": "web_search"}]), "tools[0].type"),
    Case("tool code_interpreter", chat(tools=[{"type": "code_interpreter"}]), "tools[0].type"),
    Case("tool file_search", chat(tools=[{"type": "file_search"}]), "tools[0].type"),
    Case("tool of Gemini's own", chat(tools=[{"googleSearch": {}}]), "tools[0].type"),
    Case("tool type a number", chat(tools=[{"type": 1}]), "tools[0].type"),
    Case("tool without a function", chat(tools=[{"type": "function"}]), "tools[0].function"),
    Case("tool without a name", chat(tools=[{"type": "function", "function": {}}]), "tools[0].function.name"),
    Case(
        "tool with a schema of text",
        chat(tools=[{"type": "function", "function": {"name": "f", "parameters": "{}"}}]),
        "tools[0].function.parameters",
    ),
    Case("function of Gemini's own", chat(functions=[{"googleSearch": {}}]), "functions[0].name"),
    Case("function web_search", chat(functions=[{"name": "f", "type": "web_search"}]), "functions[0].type"),
    Case("function without a name", chat(functions=[{"name": "f"}, {"name": ""}]), "functions[1].name"),
    Case(
        "function with a schema of text",
        chat(functions=[{"name": "f", "parameters": "{}"}]),
        "functions[0].parameters",
    ),
)  # fmt: skip


@pytest.mark.parametrize("case", BODIES, ids=lambda case: case.name)
async def test_bad_body_is_told_and_not_sent(proxy: Proxied, upstream: ScriptedUpstream, case: Case) -> None:
    """Each fault has its status, its code and its place, and the provider never hears of it."""
    reply = await proxy.post(case.body)

    assert (reply.status, reply.error["code"], reply.error["param"]) == (case.status, case.code, case.param)
    assert reply.error["type"] == "invalid_request_error"
    assert case.says in reply.error["message"]
    assert reply.headers["x-should-retry"] == "false"
    assert upstream.calls == []


WRONG: dict[str, Any] = {
    "audio": "alloy",
    "frequency_penalty": "0.5",
    "function_call": 1,
    "functions": {"name": "f"},
    "logit_bias": {"50256": "low"},
    "logprobs": 1,
    "max_completion_tokens": 10.5,
    "max_tokens": "10",
    "modalities": "text",
    "n": True,
    "parallel_tool_calls": "false",
    "prediction": "text",
    "presence_penalty": True,
    "prompt_cache_key": 1,
    "reasoning_effort": 2,
    "response_format": "json_object",
    "safety_identifier": [],
    "seed": 1.5,
    "service_tier": {},
    "stop": 5,
    "store": "no",
    "stream": "true",
    "stream_options": True,
    "temperature": "warm",
    "tool_choice": ["auto"],
    "tools": FUNCTION,
    "top_k": 0,
    "top_logprobs": -1,
    "top_p": "1",
    "user": 1,
    "verbosity": 3,
}


def test_every_parameter_has_a_wrong_value() -> None:
    """A parameter that is added to the allow-list needs a wrong value in the table."""
    assert WRONG.keys() == PARAMETERS.keys()


@pytest.mark.parametrize("name", WRONG)
async def test_wrong_type_is_named(proxy: Proxied, upstream: ScriptedUpstream, name: str) -> None:
    """A known parameter of the wrong type is a 400 that names it."""
    reply = await proxy.post(chat(**{name: WRONG[name]}))

    assert (reply.status, reply.error["param"], reply.error["code"]) == (400, name, "invalid_request")
    assert name in reply.error["message"]
    assert upstream.calls == []


async def test_null_counts_as_not_set(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """Clients write null for what they leave out; nothing of it goes upstream."""
    reply = await proxy.post(chat(**dict.fromkeys(PARAMETERS)))

    assert reply.status == 200
    assert dict(upstream.calls[0].parameters) == {}


async def test_limits_themselves_are_taken(upstream: ScriptedUpstream) -> None:
    """A body as deep as the limit, and the largest whole numbers, go through."""
    deepest = nested(95)  # the request, the list, the message, the list and the part hold the other levels
    body = {"model": MODEL, "messages": [user([text("x", deep=deepest)])], "seed": 2**63 - 1, "n": 8}
    async with proxied(settings_of({MODEL: "openai/gpt-4.1"}), upstream) as proxy:
        reply = await proxy.post(body)

    assert reply.status == 200
    assert upstream.calls[0].parameters == {"seed": 2**63 - 1, "n": 8}


@pytest.fixture
def small() -> Settings:
    """Return settings with the smallest limit for bodies."""
    return settings_of(general_settings={"max_body_mib": 1})


def padded(size: int) -> bytes:
    """Build a good request of exactly so many bytes."""
    body = json.dumps(chat()).encode()
    return body + b" " * (size - len(body))


async def in_pieces(body: bytes) -> AsyncIterator[bytes]:
    """Send a body in pieces, so that nothing announces its length."""
    for start in range(0, len(body), 65536):
        yield body[start : start + 65536]


@pytest.mark.parametrize("announced", [True, False], ids=["announced", "chunked"])
async def test_chat_body_over_the_limit_is_a_413(
    small: Settings, upstream: ScriptedUpstream, announced: bool
) -> None:
    """A body over the limit is a 413, whether its length is announced or not; one at the limit is taken."""
    async with proxied(small, upstream) as proxy:
        over, at = padded(MIB + 1), padded(MIB)
        reply = await proxy.post(over if announced else in_pieces(over))
        taken = await proxy.post(at if announced else in_pieces(at))

    assert (reply.status, reply.error["code"]) == (413, "body_too_large")
    assert reply.error["message"] == "The body is over 1 MiB (general_settings.max_body_mib)."
    assert taken.status == 200
    assert len(upstream.calls) == 1


async def test_announced_body_is_refused_unread(small: Settings, upstream: ScriptedUpstream) -> None:
    """An announced length is believed: the refusal comes before the first byte of the body."""
    async with proxied(small, upstream) as proxy:
        head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {MIB + 1}\r\n\r\n"
        reply = await proxy.raw(head.encode())

    assert (reply.status, reply.error["code"]) == (413, "body_too_large")


async def test_inflated_body_over_the_limit(small: Settings, upstream: ScriptedUpstream) -> None:
    """A compressed body counts as what it inflates to."""
    async with proxied(small, upstream) as proxy:
        packed = {"Content-Encoding": "gzip"}
        reply = await proxy.post(gzip.compress(padded(20 * MIB)), headers=packed)
        taken = await proxy.post(gzip.compress(padded(1000)), headers=packed)

    assert (reply.status, reply.error["code"]) == (413, "body_too_large")
    assert taken.status == 200


async def test_body_that_does_not_inflate(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A body that is not what its Content-Encoding says is the client's fault."""
    reply = await proxy.post(chat(), headers={"Content-Encoding": "gzip"})

    assert (reply.status, reply.error["code"]) == (400, "invalid_request")
    assert upstream.calls == []


@pytest.mark.parametrize("path", [b"/v1/models/\xff", b"/\xff\xfe", b"/v1/chat/completions\xed\xa0\xbd"])
async def test_path_that_is_no_text(proxy: Proxied, path: bytes) -> None:
    """Bytes in a path that are no UTF-8 get an error, not a fault of ours."""
    reply = await proxy.raw(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")

    assert 400 <= reply.status < 500


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("POST", "/v2/models", 404, "not_found"),
        ("GET", CHAT, 405, "method_not_allowed"),
    ],
)
async def test_what_is_not_served(proxy: Proxied, method: str, path: str, status: int, code: str) -> None:
    """A path that does not exist is a 404 in the envelope, a method that it does not take a 405."""
    reply = await proxy.request(method, path)

    assert (reply.status, reply.error["code"]) == (status, code)
    assert path in reply.error["message"]


@pytest.mark.parametrize("path", [CHAT, "/chat/completions", "/v1/explain", "/explain"])
async def test_every_spelling_reads_alike(proxy: Proxied, path: str) -> None:
    """The same faults are found on each path that takes a chat request, with the prefix and without."""
    reply = await proxy.post(messages(user(5)), path)

    assert (reply.status, reply.error["param"]) == (400, "messages[0].content")


async def test_error_quotes_no_text(proxy: Proxied) -> None:
    """An error says places and types, and never what was said."""
    for body in (raw('"user": "geheim\\ud83d"'), chat(user=["geheim"]), messages(user({"text": "geheim"}))):
        reply = await proxy.post(body)
        assert reply.status == 400
        assert b"geheim" not in reply.raw


def _json_values() -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8)
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=12,
    )


_NAMES = st.sampled_from(["messages", "tools", "role", "content", "tool_calls", "type", *PARAMETERS])
_FIELDS = st.dictionaries(_NAMES, _json_values(), max_size=5)
_MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "system", "function", "developer"])},
        optional={
            name: _json_values()
            for name in ("content", "tool_calls", "tool_call_id", "name", "function_call", "audio", "refusal")
        },
    ),
    min_size=1,
    max_size=4,
)
_BODIES = st.one_of(
    st.binary(max_size=200),
    _json_values().map(lambda value: json.dumps(value).encode()),
    st.builds(lambda fields: json.dumps({**chat(), **fields}).encode(), _FIELDS),
    st.builds(lambda history: json.dumps({"model": MODEL, "messages": history}).encode(), _MESSAGES),
    st.builds(
        lambda history, fields: json.dumps({**fields, "model": MODEL, "messages": history}).encode(),
        any_histories(max_messages=5),
        _FIELDS,
    ),
)


@given(body=_BODIES, path=st.sampled_from([CHAT, "/v1/explain"]))
@hypothesis_settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_no_body_is_a_fault_of_ours(proxy: Proxied, body: bytes, path: str) -> None:
    """Whatever is posted, the answer is an answer or the client's error: never a 5xx."""
    reply = await proxy.post(body, path)

    assert reply.status < 500, reply.raw
    assert (reply.status == 200) == (
        "error" not in reply.json if not reply.raw.startswith(b"data:") else True
    )
