"""A faulty chat request gets an error that names the faulty field, and is not sent."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from proxy.ingress.openai_chat.parameters import PARAMETERS
from tests.support.builders import text, user
from tests.support.proxied import MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

MIB = 2**20
FUNCTION = {"type": "function", "function": {"name": "f"}}


@dataclass(frozen=True, slots=True)
class Case:
    """A faulty body and its error. *error_text* is a part of the message."""

    name: str
    body: Any
    param: str | None = None
    status: int = 400
    code: str = "invalid_request"
    error_text: str = ""


def messages(*history: Any) -> dict[str, Any]:
    """Build a request with this history."""
    return {"model": MODEL, "messages": list(history)}


def nested(depth: int) -> Any:
    """Build a value of *depth* nested containers."""
    value: Any = {}
    for level in range(depth - 1):
        value = [value] if level % 2 else {"a": value}
    return value


def raw(fields: str) -> bytes:
    """Build a good request with more fields, which are given as JSON text."""
    return json.dumps(chat()).encode()[:-1] + b", " + fields.encode() + b"}"


BODIES = (
    Case("empty body", b"", error_text="not valid JSON"),
    Case("cut off", b'{"model": "gemini", "messages": [', error_text="not valid JSON"),
    Case("form data", b"model=gemini", error_text="not valid JSON"),
    Case("two values", b"{} {}", error_text="not valid JSON"),
    Case("no object: list", b"[]", error_text="must be a JSON object"),
    Case("no object: text", b'"x"', error_text="must be a JSON object"),
    Case("no object: null", b"null", error_text="must be a JSON object"),
    Case("no UTF-8", b'{"model": "\xff\xfe"}', error_text="UTF-8"),
    Case("UTF-16", '{"model": "gemini"}'.encode("utf-16"), error_text="not valid JSON"),
    Case("lone high surrogate", raw('"user": "\\ud83d"'), error_text="not valid JSON"),
    Case("lone low surrogate", raw('"user": "\\ude00"'), error_text="not valid JSON"),
    Case(
        "lone surrogate outside the messages",
        json.dumps({**messages(user("cut \ud83d")), "stop": "\ud83d"}).encode(),
        error_text="not valid JSON",
    ),
    Case(
        "lone surrogate and no JSON",
        json.dumps(messages(user("cut \ud83d"))).encode()[:-1],
        error_text="not valid JSON",
    ),
    Case(
        "lone surrogate and NaN",
        json.dumps({**messages(user("cut \ud83d")), "temperature": float("nan")}).encode(),
        error_text="not valid JSON",
    ),
    Case("surrogate bytes", b'{"model": "\xed\xa0\xbd"}', error_text="UTF-8"),
    Case("NaN", raw('"temperature": NaN'), error_text="not valid JSON"),
    Case("Infinity", raw('"temperature": Infinity'), error_text="not valid JSON"),
    Case("number over a double", raw('"temperature": 1e400'), error_text="not valid JSON"),
    Case("nested: messages", messages(user([text("x", deep=nested(120))])), error_text="nested deeper than 100"),
    Case(
        "nested: tools",
        chat(tools=[{"type": "function", "function": {"name": "f", "parameters": nested(120)}}]),
        error_text="nested deeper than 100",
    ),
    Case("nested: unknown field", chat(foo=nested(120)), error_text="nested deeper than 100"),
    Case("nested: past the parser", b"[" * 200_000, error_text="not valid JSON"),
    Case("no messages", {"model": MODEL}, "messages"),
    Case("messages null", {"model": MODEL, "messages": None}, "messages"),
    Case("messages empty", messages(), "messages"),
    Case("messages a text", {"model": MODEL, "messages": "Hello."}, "messages"),
    Case(
        "part unknown",
        messages(user(), user([text("x"), {"type": "smell", "smell": "x"}])),
        "messages[1].content[1].type",
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
)  # fmt: skip


@pytest.mark.parametrize("case", BODIES, ids=lambda case: case.name)
async def test_faulty_body_is_refused_with_its_place_and_not_sent(
    proxy: Proxied, upstream: ScriptedUpstream, case: Case
) -> None:
    """Each faulty body gets its status, its code and the faulty field in ``param``."""
    reply = await proxy.post(case.body)

    assert (reply.status, reply.error["code"], reply.error["param"]) == (case.status, case.code, case.param)
    assert reply.error["type"] == "invalid_request_error"
    assert case.error_text in reply.error["message"]
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
    """Every parameter of the allow-list needs a wrong value in the table ``WRONG``."""
    assert WRONG.keys() == PARAMETERS.keys()


@pytest.mark.long
@pytest.mark.parametrize("name", WRONG)
async def test_parameter_of_a_wrong_type_is_named(
    proxy: Proxied, upstream: ScriptedUpstream, name: str
) -> None:
    """The error has the parameter's name in ``param``."""
    reply = await proxy.post(chat(**{name: WRONG[name]}))

    assert (reply.status, reply.error["param"], reply.error["code"]) == (400, name, "invalid_request")
    assert name in reply.error["message"]
    assert upstream.calls == []


async def test_null_counts_as_a_missing_parameter(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A parameter that is null counts as missing, since clients write null for parameters that they leave out."""
    reply = await proxy.post(chat(**dict.fromkeys(PARAMETERS)))

    assert reply.status == 200
    assert dict(upstream.calls[0].parameters) == {}


async def test_values_at_their_limits_are_accepted(upstream: ScriptedUpstream) -> None:
    """A body that is nested to the limit and has the largest allowed numbers is accepted."""
    deepest = nested(95)  # the request, the list, the message, the list and the part hold the other levels
    body = {"model": MODEL, "messages": [user([text("x", deep=deepest)])], "seed": 2**63 - 1, "n": 8}
    async with proxied(settings_of({MODEL: "openai/gpt-4.1"}), upstream) as proxy:
        reply = await proxy.post(body)

    assert reply.status == 200
    assert upstream.calls[0].parameters == {"seed": 2**63 - 1, "n": 8}


async def test_error_quotes_no_text_of_the_client(proxy: Proxied) -> None:
    """An error names fields and types, and quotes no value."""
    for body in (raw('"user": "geheim\\ud83d"'), chat(user=["geheim"]), messages(user({"text": "geheim"}))):
        reply = await proxy.post(body)
        assert reply.status == 400
        assert b"geheim" not in reply.raw
