"""Tests of renamed tools through the proxy: modes, fallbacks, self-correction, budgets, and older ``functions``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.show_explanation import show_explanation
from proxy.core.errors import UpstreamFault
from sanitizers.tool_names import spell_legal
from tests.support.builders import assistant, call, tool, user
from tests.support.proxied import GEMINI, MODEL, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream, answer, chunk

OLD = "mcp.server/tool:do it"
NEW = spell_legal(OLD)
DOTTED = "mcp.read"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    {"type": "function", "function": {"name": name, "description": "d", "parameters": SCHEMA}}
    for name in (OLD, DOTTED)
]
GOOD = '{"city": "Paris"}'
HISTORY = [user("go"), assistant(calls=[call("c1", OLD, GOOD)]), tool("c1", name=OLD), user("on")]


def declared(sent: Any) -> list[str]:
    """Return the names of the tools that a request to the provider declares."""
    return [entry["function"]["name"] for entry in sent.parameters["tools"]]


def calls_of(messages: Any) -> list[str]:
    """Return the names of the calls in a history."""
    return [made["function"]["name"] for message in messages for made in message.get("tool_calls") or ()]


def named(name: str, arguments: str = GOOD) -> dict[str, Any]:
    """Build an answer that calls a tool."""
    found = answer(None, tool_calls=[call("c9", name, arguments)])
    found["choices"][0]["finish_reason"] = "tool_calls"
    return found


async def test_repair_mode_renames_tools_and_restores_their_names_in_the_answer(
    upstream: ScriptedUpstream,
) -> None:
    """Tool names are renamed in declarations and history, restored in the answer, and reported in the header."""
    upstream.then(named(NEW))
    async with proxied(settings_of(), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": HISTORY, "tools": TOOLS})
        counted = {
            reason: await proxy.count("changes_total", step="tools", reason=reason)
            for reason in ("tool_name", "call_name")
        }

    [sent] = upstream.calls
    assert declared(sent) == [NEW, DOTTED]
    assert calls_of(sent.messages) == [NEW]
    assert sent.messages[2]["name"] == NEW
    assert calls_of([reply.json["choices"][0]["message"]]) == [OLD]
    assert reply.headers["x-turnright-changes"] == "tools=3"
    assert counted == {"tool_name": 1, "call_name": 2}


async def test_observe_mode_sends_tool_names_unchanged_and_reports_them(upstream: ScriptedUpstream) -> None:
    """Observe mode changes no tool name in either direction, and reports the names that repair would change."""
    upstream.then(named(NEW))
    async with proxied(settings_of(sanitize={"mode": "observe"}), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": HISTORY, "tools": TOOLS})

    [sent] = upstream.calls
    assert declared(sent) == [OLD, DOTTED]
    assert (calls_of(sent.messages), sent.messages[2]["name"]) == ([OLD], OLD)
    assert calls_of([reply.json["choices"][0]["message"]]) == [NEW]
    assert reply.headers["x-turnright-changes"] == "tools=3;observed"


async def test_off_mode_sends_tool_names_unchanged(upstream: ScriptedUpstream) -> None:
    """Mode off sends illegal tool names, and reports nothing."""
    async with proxied(settings_of(sanitize={"mode": "off"}), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": HISTORY, "tools": TOOLS})

    assert declared(upstream.calls[0]) == [OLD, DOTTED]
    assert "x-turnright-changes" not in reply.headers


@pytest.mark.parametrize(
    ("messages", "param", "rules", "reasons"),
    [
        (
            HISTORY,
            "messages[1]",
            ["tool_name_illegal", "tool_name_illegal"],
            ["tool_name", "call_name", "call_name"],
        ),
        ([user("go")], "tools", [], ["tool_name"]),
    ],
    ids=["history", "declarations"],
)
async def test_strict_mode_refuses_illegal_tool_names_with_their_places(
    upstream: ScriptedUpstream, messages: Any, param: str, rules: list[str], reasons: list[str]
) -> None:
    """A tool name that would have to be changed is a 400, which lists each change and its rule."""
    async with proxied(settings_of(sanitize={"mode": "strict"}), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": messages, "tools": TOOLS})

    assert (reply.status, reply.error["code"], reply.error["param"]) == (400, "illegal_history", param)
    assert upstream.calls == []
    assert [found["rule"] for found in reply.error["violations"]] == rules
    assert [change["reason"] for change in reply.error["changes"]] == reasons


@pytest.mark.parametrize(
    ("mode", "verdict"), [("repair", "repaired"), ("observe", "sent_as_is"), ("strict", "refused")]
)
async def test_explain_shows_each_renamed_tool_and_its_place(
    upstream: ScriptedUpstream, mode: str, verdict: str
) -> None:
    """Illegal tool names in declarations alone change the verdict of ``/v1/explain``.

    The explanation shows the path of each change.
    """
    asked = {
        "model": MODEL,
        "messages": HISTORY[:1],
        "tools": TOOLS,
        "tool_choice": {"type": "function", "function": {"name": OLD}},
    }
    async with proxied(settings_of(sanitize={"mode": mode}), upstream) as proxy:
        alone = (await proxy.post(asked, "/v1/explain")).json
        found = (await proxy.post({**asked, "messages": HISTORY}, "/v1/explain")).json

    assert alone["verdict"] == found["verdict"] == verdict
    assert (alone["found"], alone["summary"], found["summary"]) == ([], "tools=2", "tools=4")
    assert [(fault["rule"], fault["index"]) for fault in found["found"]] == [
        ("tool_name_illegal", 1),
        ("tool_name_illegal", 2),
    ]
    assert found["violations"] == []
    sent = {"repair": NEW, "observe": OLD}
    assert ((found["body"] or {}).get("tool_choice") or {"function": {"name": None}})["function"][
        "name"
    ] == sent.get(mode)
    shown = show_explanation({**found, "before": [], "steps": []}, colours=False)
    lines = [line.split() for line in shown if NEW in line]
    assert [line[1] for line in lines] == ["tools[0]", "tool_choice", "messages[1]", "messages[2]"]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_fallback_renames_tools_by_the_rule_of_its_own_model(
    upstream: ScriptedUpstream, stream: bool
) -> None:
    """A fallback model's tools are renamed from the client's names, by the rule of that model's provider."""
    settings = settings_of(
        {MODEL: GEMINI, "gpt": "openai/gpt-4.1"}, router_settings={"fallbacks": [{MODEL: ["gpt"]}]}
    )
    piece = {"index": 0, **call("c9", spell_legal(DOTTED), GOOD)}
    upstream.then(UpstreamFault("It is down.", upstream_status=503))
    upstream.then(
        *(
            [chunk({"tool_calls": [piece]}), chunk(finish="tool_calls")]
            if stream
            else [named(spell_legal(DOTTED))]
        )
    )
    async with proxied(settings, upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": HISTORY, "tools": TOOLS, "stream": stream})

    assert [declared(sent) for sent in upstream.calls] == [[NEW, DOTTED], [NEW, spell_legal(DOTTED)]]
    assert [calls_of(sent.messages) for sent in upstream.calls] == [[NEW], [NEW]]
    if stream:
        pieces = [
            found
            for event in reply.events[:-1]
            for choice in event["choices"]
            for found in choice["delta"].get("tool_calls") or ()
        ]
        assert [found["function"].get("name") for found in pieces] == [DOTTED]
    else:
        assert calls_of([reply.json["choices"][0]["message"]]) == [DOTTED]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (named(NEW, '{"town": "Paris"}'), f"{NEW}: $: 'city' is a required property"),
        (named("nobody"), f"Declared are: {NEW}, {DOTTED}."),
    ],
    ids=["misfit", "undeclared"],
)
async def test_self_correction_speaks_the_models_names(
    upstream: ScriptedUpstream, bad: Any, words: str
) -> None:
    """Calls are checked against the client's declarations. The note to the model uses the renamed tool names."""
    upstream.then(bad)
    upstream.then(named(NEW))
    async with proxied(settings_of(router_settings={"num_retries": 2}), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": [user("go")], "tools": TOOLS})

    assert words in upstream.calls[1].messages[-1]["content"]
    assert calls_of([reply.json["choices"][0]["message"]]) == [OLD]


async def test_a_models_prefix_is_taken_off(upstream: ScriptedUpstream) -> None:
    """The prefix ``default_api.`` that Gemini may write before a tool's name is removed for a renamed tool too."""
    upstream.then(named(f"default_api.{NEW}"))
    async with proxied(settings_of(), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": [user("go")], "tools": TOOLS})

    assert calls_of([reply.json["choices"][0]["message"]]) == [OLD]
    assert reply.headers["x-turnright-changes"] == "tools=1,answer_repair=1"


@pytest.mark.parametrize("excluded", [True, False])
async def test_tools_that_the_budget_spares(upstream: ScriptedUpstream, excluded: bool) -> None:
    """A tool in ``exclude_tools`` is matched by the client's name, even if the tool is renamed."""
    budget = {"preset": "codex", **({"exclude_tools": [OLD]} if excluded else {})}
    long = "line\n" * 4000
    history = [user("go"), assistant(calls=[call("c1", OLD, GOOD)]), tool("c1", long), user("on")]
    async with proxied(settings_of(budget=budget), upstream) as proxy:
        await proxy.post({"model": MODEL, "messages": history, "tools": TOOLS})

    assert (upstream.calls[0].messages[2]["content"] == long) is excluded


async def test_the_form_before_tool_calls(upstream: ScriptedUpstream) -> None:
    """Names in ``functions`` and ``function_call`` are renamed and restored as well."""
    upstream.then(answer(None, function_call={"name": NEW, "arguments": GOOD}))
    asked = {
        "model": "gpt",
        "messages": [user("go")],
        "functions": [{"name": OLD}],
        "function_call": {"name": OLD},
    }
    async with proxied(settings_of({"gpt": "openai/gpt-4.1"}), upstream) as proxy:
        reply = await proxy.post(asked)

    sent = upstream.calls[0].parameters
    assert (sent["functions"][0]["name"], sent["function_call"]["name"]) == (NEW, NEW)
    assert reply.json["choices"][0]["message"]["function_call"] == {"name": OLD, "arguments": GOOD}


async def test_legal_names_go_as_they_came(upstream: ScriptedUpstream) -> None:
    """Legal tool names change nothing: the declarations stay equal, and the history is the client's own object."""
    asked = {"model": MODEL, "messages": [user("go")], "tools": TOOLS[1:]}
    async with proxied(settings_of(), upstream) as proxy:
        reply = await proxy.post(asked)

    [sent] = upstream.calls
    assert sent.source is not None
    assert sent.source.messages is sent.messages
    assert sent.parameters["tools"] == TOOLS[1:]
    assert "x-turnright-changes" not in reply.headers
