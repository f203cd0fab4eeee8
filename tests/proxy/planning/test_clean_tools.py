"""Tests of how a request's tools are cleaned for a deployment: dialect, mode, and listed changes."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.clean_tools import target_of
from proxy.planning.plan_target import profile_of
from sanitizers.schemas import GEMINI, GEMINI_1, GEMINI_JSON, GEMINI_ON_LITELLM, OPENAI, Dialect
from tests.support.builders import user
from tests.support.proxied import MODEL, Reply, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

TEXT = {"type": "string"}
CLEAN = {"type": "object", "properties": {"a": TEXT}}
DIRTY = {"type": "object", "properties": {"a": {"const": "x"}, "b": {"const": "y"}}, "required": ["a"]}
CLEANED = {
    "type": "object",
    "properties": {"a": {"type": "string", "enum": ["x"]}, "b": {"type": "string", "enum": ["y"]}},
    "required": ["a"],
}


def tool(schema: Any, name: str = "f") -> dict[str, Any]:
    """Return a tool with a schema of its parameters."""
    return {"type": "function", "function": {"name": name, "parameters": schema}}


@pytest.mark.parametrize(
    ("model", "transport", "dialect", "richer"),
    [
        ("gemini/gemini-2.5-pro", "direct", GEMINI, GEMINI_JSON),
        ("gemini/gemini-3.6-flash", "auto", GEMINI, GEMINI_JSON),
        ("gemini/gemini-flash-latest", "auto", GEMINI, GEMINI_JSON),
        ("gemini/gemini-2.0-flash", "auto", GEMINI, None),
        ("gemini/gemma-3-27b-it", "auto", GEMINI, None),
        ("gemini/gemini-1.5-pro", "auto", GEMINI_1, None),
        ("gemini/gemini-2.5-pro", "litellm", GEMINI_ON_LITELLM, None),
        ("vertex_ai/gemini-2.5-pro", "auto", GEMINI_ON_LITELLM, None),
        ("openai/gpt-5", "auto", OPENAI, None),
        ("openrouter/google/gemini-3-pro", "litellm", GEMINI_ON_LITELLM, None),
    ],
)
def test_model_and_transport_decide_the_dialect(
    model: str, transport: str, dialect: Dialect, richer: Dialect | None
) -> None:
    """The model's family and the transport's format decide the dialect."""
    entry = {"model": model, "api_key": "k"}
    models = [{"model_name": "m", "transport": transport, "litellm_params": entry}]
    settings = settings_of({}, model_list=models)
    [deployment] = settings.routes.exact["m"]

    target = target_of(deployment, profile_of(deployment, settings.sanitize))

    assert (target.dialect, target.richer) == (dialect, richer)


async def send(upstream: ScriptedUpstream, mode: str, **parameters: Any) -> tuple[Reply, dict[str, float]]:
    """Send a request in a mode. Return the answer and the counters that differ by mode."""
    async with proxied(settings_of(sanitize={"mode": mode}), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": [user("Hello.")], **parameters})
        return reply, {name: await proxy.count(name) for name in ("changes_total", "observed_changes_total")}


@pytest.mark.parametrize("mode", ["repair", "observe", "strict", "off"])
async def test_clean_tools_are_sent_unchanged(upstream: ScriptedUpstream, mode: str) -> None:
    """Tools that need no change are sent unchanged in every mode, and no change is reported."""
    tools = [tool(CLEAN)]

    reply, counts = await send(upstream, mode, tools=tools)

    assert reply.status == 200
    assert upstream.calls[0].parameters["tools"] == tools
    assert "x-turnright-changes" not in reply.headers
    assert set(counts.values()) == {0}


async def test_mode_repair_cleans_tools(upstream: ScriptedUpstream) -> None:
    """Mode repair cleans the tools, and reports the change in a header and a counter.

    Functions, which Gemini does not know, become tools.
    """
    reply, counts = await send(
        upstream,
        "repair",
        tools=[tool(DIRTY), tool(CLEAN, "g"), tool(CLEAN)],
        functions=[{"name": "h", "parameters": DIRTY}],
        temperature=0.5,
    )

    assert reply.status == 200
    assert dict(upstream.calls[0].parameters) == {
        "tools": [tool(CLEANED), tool(CLEAN, "g"), tool(CLEANED, "h")],
        "temperature": 0.5,
    }
    assert reply.headers["x-turnright-changes"] == "tools=5,parameters=1"
    assert counts == {"changes_total": 6, "observed_changes_total": 0}


async def test_mode_observe_reports_the_changes(upstream: ScriptedUpstream) -> None:
    """Mode observe reports the changes of tools, and does not make them."""
    reply, counts = await send(upstream, "observe", tools=[tool(DIRTY)])

    assert upstream.calls[0].parameters["tools"] == [tool(DIRTY)]
    assert reply.headers["x-turnright-changes"] == "tools=2;observed"
    assert counts == {"changes_total": 0, "observed_changes_total": 2}


async def test_mode_strict_refuses_tools_that_need_a_change(upstream: ScriptedUpstream) -> None:
    """Mode strict refuses tools that need a change, and the error names the tool and the reason."""
    reply, _ = await send(upstream, "strict", tools=[tool(CLEAN, "g"), tool(DIRTY)])

    assert (reply.status, upstream.calls) == (400, [])
    assert reply.error["param"] == "tools[1]"
    assert reply.error["code"] == "illegal_history"
    assert "tools[1]: const_as_enum" in reply.error["message"]


async def test_mode_strict_names_functions(upstream: ScriptedUpstream) -> None:
    """Mode strict names the legacy field ``functions`` if the request uses it."""
    functions = [{"name": "g", "parameters": CLEAN}, {"name": "f", "parameters": {"type": "object"}}]
    settings = settings_of({MODEL: "openai/gpt-4o"}, sanitize={"mode": "strict"})

    async with proxied(settings, upstream) as proxy:
        request = {"model": MODEL, "messages": [user("Hello.")], "functions": [*functions, functions[0]]}
        reply = await proxy.post(request)

    assert (reply.status, upstream.calls) == (400, [])
    assert reply.error["param"] == "functions[1]"
    told = "functions[1]: properties_added; functions[2]: duplicate_declaration."
    assert reply.error["message"].endswith(told)


async def test_mode_off_checks_nothing(upstream: ScriptedUpstream) -> None:
    """Mode off sends the tools unread."""
    reply, counts = await send(upstream, "off", tools=[tool(DIRTY), tool(DIRTY)])

    assert upstream.calls[0].parameters["tools"] == [tool(DIRTY), tool(DIRTY)]
    assert "x-turnright-changes" not in reply.headers
    assert set(counts.values()) == {0}


@pytest.mark.long
@pytest.mark.parametrize(
    ("mode", "status"), [("repair", 400), ("strict", 400), ("observe", 200), ("off", 200)]
)
async def test_an_endless_schema_is_refused(upstream: ScriptedUpstream, mode: str, status: int) -> None:
    """A schema whose references would expand to a huge size is refused in the modes repair and strict."""
    twice = {f"d{n}": {"properties": {k: {"$ref": f"#/$defs/d{n + 1}"} for k in "ab"}} for n in range(30)}

    reply, _ = await send(upstream, mode, tools=[tool({"$ref": "#/$defs/d0", "$defs": twice})])

    assert reply.status == status
    if status == 400:
        assert reply.error["param"] == "tools[0].function.parameters"


@pytest.mark.parametrize(
    ("mode", "verdict"), [("repair", "repaired"), ("observe", "sent_as_is"), ("strict", "refused")]
)
async def test_the_dry_run_shows_the_changes(upstream: ScriptedUpstream, mode: str, verdict: str) -> None:
    """The dry run shows the same tools and changes as a request."""
    async with proxied(settings_of(sanitize={"mode": mode}), upstream) as proxy:
        request = {"model": MODEL, "messages": [user("Hello.")], "tools": [tool(DIRTY)]}
        explained = (await proxy.post(request, "/v1/explain")).json

    assert explained["verdict"] == verdict
    assert explained["summary"] == "tools=2"
    assert explained["changes"][0] == {
        "step": "tools",
        "kind": "replaced",
        "index": 0,
        "reason": "const_as_enum",
        "detail": "/properties/a/const +1",
    }
    sent = {"repair": [tool(CLEANED)], "observe": [tool(DIRTY)]}
    assert (explained["body"] or {}).get("tools") == sent.get(mode)


async def test_the_budget_counts_the_cleaned_tools(upstream: ScriptedUpstream) -> None:
    """The budget counts the cleaned tools, without their unused definitions."""
    unused = {f"D{n}": {"type": "string", "description": "word " * 20} for n in range(500)}
    async with proxied(settings_of(), upstream) as proxy:
        told = []
        for schema in (CLEANED, {**DIRTY, "$defs": unused}):
            request = {"model": MODEL, "messages": [user("Hello.")], "tools": [tool(schema)]}
            told.append((await proxy.post(request, "/v1/explain")).json["budget"]["estimate"])

    assert told[0] == told[1]
