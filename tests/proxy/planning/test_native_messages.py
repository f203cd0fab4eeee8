"""Tests of requests of the Messages API that Anthropic gets in their client's own form."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest, UnrepairableHistory
from proxy.core.json_text import write_json
from proxy.core.source import MessagesRequest
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.ingress.anthropic_messages.read_request import read_request
from proxy.planning.native_requests import with_items
from proxy.planning.plan import Plan, plan_request
from proxy.planning.plan_target import plan_target
from proxy.upstream.wires.anthropic.native_wire import MESSAGES
from proxy.upstream.wires.table import wire_for
from tests.proxy.upstream.deployments import deployment_of
from tests.sanitizers.native.messages.building import (
    MARK,
    answered,
    assistant,
    inline,
    said,
    sealed,
    thought,
    used,
    user,
)
from tests.support.proxied import settings_of

CLAUDE = deployment_of("anthropic/claude-opus-4-8", api_key="sk-ours")
OLDER = deployment_of("anthropic/claude-sonnet-4-5", api_key="sk-ours")
GEMINI = deployment_of("gemini/gemini-3.6-flash", api_key="sk-ours")
TOOL = {"name": "f", "description": "d", "input_schema": {"type": "object", "$schema": "x", "properties": {}}}
BODY: dict[str, Any] = {
    "model": "ours",
    "max_tokens": 1000,
    "thinking": {"type": "adaptive"},
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
    "unheard_of": 1.0,
    "system": [said("x-anthropic-billing-header: cch=1"), said("Be brief.", **MARK)],
    "tools": [TOOL, {"type": "web_search_20250305", "name": "web_search"}],
    "messages": [
        user(said("hi"), said("go", **MARK)),
        inline("Now."),
        assistant(thought("S1", ""), said("x"), thought("S2", ""), used("toolu_1", "f", {"p": 1.0})),
        user(answered("toolu_1", "no", is_error=True)),
    ],
}


def planned(
    deployment: Deployment = CLAUDE, mode: str = "repair", body: bytes | None = None, **fields: Any
) -> Plan:
    """Return the plan of :data:`BODY` with *fields*, or of *body*."""
    given = copy.deepcopy({**BODY, **fields})
    chat = read_request(write_json(given) if body is None else body, max_nesting=100)
    sanitize = settings_of({"m": "openai/gpt-4.1"}, sanitize={"mode": mode}).sanitize
    return plan_request(chat, plan_target(deployment, sanitize, lambda *_: frozenset()))


def sent(plan: Plan, *, stream: bool = False) -> bytes:
    """Return the body that goes out for *plan*, which has to go out in its client's form."""
    call = UpstreamCall(
        deployment=plan.deployment,
        messages=plan.messages,
        parameters=plan.parameters,
        extra_body=plan.extra_body,
        timeouts=Timeouts(1, 1, 1, 1),
        source=plan.request.source,
    )
    assert wire_for(call) is MESSAGES
    return MESSAGES.write_request(call, stream=stream)


def reasons(plan: Plan) -> list[tuple[str, int, str]]:
    """Return the changes of *plan*, each as step, index and reason."""
    return [(change.step, change.index, change.reason) for change in plan.changes]


@pytest.mark.parametrize("mode", ["repair", "observe", "strict", "off"])
def test_legal_request_is_its_clients_bytes(mode: str) -> None:
    """Nothing but the name of the model changes: numbers, order of keys, escapes, spaces and unknown fields stay."""
    body = json.dumps(BODY, indent=1).encode().replace(b'"hi"', b'"h\\u0069"')

    plan = planned(mode=mode, body=body)

    assert sent(plan).replace(b'"model":"claude-opus-4-8"', b"") == _compact(body).replace(
        b'"model":"ours"', b""
    )
    assert (plan.changes, plan.dropped) == ((), ())


def _compact(body: bytes) -> bytes:
    """Return *body* without the white space between its top-level fields."""
    fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    return b"{%s}" % b",".join(b'"%s":%s' % (name.encode(), bytes(raw)) for name, raw in fields.items())


def test_repair_edits_the_blocks_and_leaves_the_rest() -> None:
    """A missing result is added to the messages, and every block that was there stays as it came."""
    messages = [*BODY["messages"], assistant(thought("S3", ""), used("toolu_2")), user("and?")]

    plan = planned(messages=messages)
    body = json.loads(sent(plan))

    assert body["messages"][:5] == messages[:5]
    assert [block["type"] for block in body["messages"][5]["content"]] == ["tool_result", "text"]
    assert reasons(plan) == [("pairing", 5, "missing_result")]
    assert {**body, "model": "ours", "messages": messages} == {**BODY, "messages": messages}


def test_envelopes_never_reach_anthropic() -> None:
    """A thinking block that carries another model's signature is removed on the way, and reported."""
    messages = [user("go"), assistant(sealed("toolu_1"), used("toolu_1")), user(answered("toolu_1"))]

    plan = planned(messages=messages)

    assert b"tr1_" not in sent(plan)
    assert ("item_repair", 1, "own_envelope") in reasons(plan)


@pytest.mark.parametrize("mode", ["observe", "off"])
def test_messages_with_envelopes_go_out_as_a_chat_where_nothing_is_mended(mode: str) -> None:
    """Without repairs, an envelope would reach Anthropic, so that the messages are written from the chat."""
    messages = [user("go"), assistant(sealed("toolu_1"), used("toolu_1")), user(answered("toolu_1"))]

    with pytest.raises(AssertionError):
        sent(planned(messages=messages, mode=mode))


@pytest.mark.parametrize(("model", "keeps"), [("glm-4.6", True), ("claude-sonnet-4-5", False)])
def test_model_of_another_vendor_gets_its_unsigned_thoughts_back(model: str, keeps: bool) -> None:
    """Only Claude signs its thoughts. Others want them back as they were, with thinking still on."""
    bare = {"type": "thinking", "thinking": "hm"}
    thinking = {"type": "enabled", "budget_tokens": 2000}
    messages = [user("go"), assistant(bare, used("toolu_1")), user(answered("toolu_1"))]
    deployment = deployment_of(f"anthropic/{model}", api_key="sk-ours")

    body = json.loads(sent(planned(deployment, messages=messages, thinking=thinking, max_tokens=4000)))

    assert (body["messages"] == messages) is keeps
    assert ("thinking" in body) is keeps


def test_budgeted_thinking_stops_where_the_open_turn_has_none() -> None:
    """A turn of another model has no thinking that Claude could check, so that none is asked for."""
    thinking = {"type": "enabled", "budget_tokens": 2000}
    messages = [
        user("go"),
        assistant(thought("S1"), used("toolu_1")),
        user(answered("toolu_1"), said("and?")),
        assistant("so"),
        user("go"),
        assistant(sealed("toolu_2"), used("toolu_2")),
        user(answered("toolu_2")),
    ]

    plan = planned(OLDER, thinking=thinking, max_tokens=4000, messages=messages)
    body = json.loads(sent(plan))

    assert "thinking" not in body
    assert "context_management" not in body
    assert "S1" not in json.dumps(body)
    assert [at for _, at, reason in reasons(plan) if reason == "thinking_dropped"] == [0, 0, 1]


@pytest.mark.parametrize(
    ("budget", "limit", "after"),
    [(4000, 4000, 3999), (3999, 4000, 3999), (5000, 900, None), (9000, 2000, 1999)],
)
def test_budget_is_below_the_limit(budget: int, limit: int, after: int | None) -> None:
    """A budget at or above the limit is lowered, or thinking is not asked for where too little is left."""
    plan = planned(
        OLDER,
        thinking={"type": "enabled", "budget_tokens": budget},
        max_tokens=limit,
        messages=[user("go")],
    )

    assert json.loads(sent(plan)).get("thinking", {}).get("budget_tokens") == after
    assert (("item_repair", 0, "thinking_budget") in reasons(plan)) is (after != budget)


@pytest.mark.parametrize("mode", ["observe", "off"])
def test_fields_stay_where_nothing_is_mended(mode: str) -> None:
    """The report of mode observe says what would change."""
    thinking = {"type": "enabled", "budget_tokens": 9000}
    plan = planned(OLDER, mode, thinking=thinking, max_tokens=2000, messages=[user("go")])

    assert json.loads(sent(plan))["thinking"] == thinking
    assert (("item_repair", 0, "thinking_budget") in reasons(plan)) is (mode == "observe")


def test_limit_is_that_of_the_model() -> None:
    """A limit above the model's own is lowered, since Claude Code does not recover from a refusal of it."""
    plan = planned(OLDER, max_tokens=128_000, thinking=None, messages=[user("go")])

    assert json.loads(sent(plan))["max_tokens"] == 64_000
    assert ("parameters", 0, "out_of_range") in reasons(plan)


def test_oldest_marks_go_in_tools_too() -> None:
    """Marks of tools and ``system`` alone may be more than four."""
    tools = [{**TOOL, "name": f"f{at}", **MARK} for at in range(5)]

    plan = planned(tools=tools)
    body = json.loads(sent(plan))

    assert ["cache_control" in tool for tool in body["tools"]] == [False, False, True, True, True]
    assert "cache_control" not in json.dumps(body["messages"])
    assert "cache_control" in json.dumps(body["system"])


def test_strict_mode_refuses_messages_that_would_be_mended() -> None:
    """Mode strict changes nothing, and names what would have to be changed."""
    with pytest.raises(UnrepairableHistory) as caught:
        planned(mode="strict", messages=[user(said("x"), said(" ")), assistant(thought("")), user("y")])

    assert "strict" in caught.value.message


def test_object_of_the_provider_is_served_where_the_operator_allows_it() -> None:
    """A file's id goes to Anthropic where one client has the account, and is refused for everybody else."""
    file = {"type": "document", "source": {"type": "file", "file_id": "file_1"}}
    messages = [user(file, said("read it"))]

    assert b"file_1" in sent(planned(replace(CLAUDE, serves_objects=True), messages=messages))
    for deployment in (replace(CLAUDE, serves_objects=False), replace(GEMINI, serves_objects=True)):
        with pytest.raises(InvalidRequest) as caught:
            planned(deployment, messages=messages)
        assert caught.value.param == "messages.0.content.0.source.file_id"


def test_unknown_block_goes_to_claude_alone() -> None:
    """A block that nobody here knows is passed on to Claude, and refused for other models with its place."""
    messages = [user({"type": "unheard_of", "x": 1}, said("y"))]

    assert json.loads(sent(planned(messages=messages)))["messages"] == messages
    with pytest.raises(InvalidRequest) as caught:
        planned(GEMINI, messages=messages)
    assert caught.value.param == "messages.0.content.0"
    assert caught.value.message.startswith("messages.0.content.0: ")


def test_refused_thinking_stays_away_in_later_changes_of_the_plan() -> None:
    """Once the provider has refused thinking, a further change of the plan does not bring it back."""
    plan = planned()
    assert plan.request.source is not None
    native = plan.request.source.native
    assert isinstance(native, MessagesRequest)
    refused = replace(
        plan.request, source=replace(plan.request.source, native=replace(native, drops_thinking=True))
    )
    again = with_items(refused, CLAUDE, [*plan.messages], plan.parameters, "repair").request

    assert again.source is not None
    assert isinstance(again.source.native, MessagesRequest)
    assert again.source.native.changed["thinking"] is None
    assert "S1" not in json.dumps(again.source.native.items)


def test_older_model_gets_reminders_in_place_of_system_messages() -> None:
    """Opus 4.8 and later take them. Claude Code sends one in its first request."""
    messages = [user("go"), inline("Now.")]
    reminder = said("<system-reminder>\nNow.\n</system-reminder>")

    assert json.loads(sent(planned(messages=messages)))["messages"] == messages
    assert json.loads(sent(planned(OLDER, messages=messages, thinking=None)))["messages"] == [
        user(said("go"), reminder)
    ]


def test_tool_that_is_declared_twice_is_declared_once() -> None:
    last = {**TOOL, "description": "e"}
    plan = planned(tools=[TOOL, {**TOOL, "name": "g"}, last])

    assert json.loads(sent(plan))["tools"] == [{**TOOL, "name": "g"}, last]
    assert "duplicate_declaration" in [change.reason for change in plan.changes]


@pytest.mark.parametrize(
    "fields", [{"tools": None}, {"tools": []}, {"tools": None, "tool_choice": {"type": "any"}}]
)
def test_tools_that_the_messages_call_are_declared(fields: dict[str, Any]) -> None:
    """Claude refuses calls without tools. No call is allowed, since the client declares none."""
    fields = {"messages": BODY["messages"], **fields}
    body = json.loads(sent(plan := planned(**fields)))

    assert body["tools"] == [{"name": "f", "input_schema": {"type": "object", "properties": {}}}]
    assert body["tool_choice"] == {"type": "none"}
    assert body["messages"] == BODY["messages"]
    assert ("item_repair", 0, "undeclared_calls") in reasons(plan)


def test_no_tool_is_declared_for_messages_without_calls() -> None:
    plan = planned(messages=[user("go")], tools=None)

    assert "undeclared_calls" not in [change.reason for change in plan.changes]
    assert not json.loads(sent(plan)).get("tools")


def test_system_message_between_turns_is_a_reminder_for_gemini() -> None:
    """Gemini has no such messages. The words of another format's client stay as they are."""
    plan = planned(GEMINI, messages=[user("go"), inline("Now."), assistant(said("x")), user("and?")])
    target = plan_target(GEMINI, settings_of({"m": "openai/gpt-4.1"}).sanitize, lambda *_: frozenset())
    chat = plan_request(replace(plan.request, source=None), target)

    assert plan.messages[2] == {"role": "user", "content": "<system-reminder>\nNow.\n</system-reminder>"}
    assert chat.messages[2] == {"role": "user", "content": "Now."}
