"""Tests of requests of Gemini's own API that Gemini gets in their client's own form."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest, UnrepairableHistory
from proxy.core.instructions import Instructions
from proxy.core.json_text import write_json
from proxy.core.source import GeminiRequest
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.ingress.gemini_native.fields import read_fields
from proxy.ingress.gemini_native.read_request import to_chat
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.native_requests import with_items
from proxy.planning.plan import Plan, plan_request
from proxy.planning.plan_target import plan_target
from proxy.planning.signatures.origins import origin_of, tag_of
from proxy.state.kept_signatures import StoredSignature, digests_of
from proxy.state.lessons import no_lessons
from proxy.upstream.wires.gemini.eligibility import is_eligible
from proxy.upstream.wires.gemini.native_requests import build_native_request
from sanitizers import profile_for
from sanitizers.native.gemini.envelope import pack_thoughts
from sanitizers.native.protocol import HELD_PLACEHOLDER
from sanitizers.stand_ins import STAND_IN
from tests.proxy.planning.compact.memories import memory_of
from tests.proxy.upstream.deployments import deployment_of
from tests.sanitizers.native.gemini.building import SIGNED, answered, called, model, said, user
from tests.support.proxied import settings_of

STRICT = deployment_of("gemini/gemini-3.6-flash", api_key="sk-ours")
OLDER = deployment_of("gemini/gemini-2.5-flash", api_key="sk-ours")
CLAUDE = deployment_of("anthropic/claude-opus-4-8", api_key="sk-ours")
GPT = deployment_of("openai/gpt-4.1", api_key="sk-ours")
TENANT = "tenant"
SIGNATURE = "c2lnbmF0dXJl"
THOUGHT = {"text": "hm", "thought": True}
CALLED = model(THOUGHT, said("look"), {**called("f", "a", x=1.0), "thoughtSignature": SIGNATURE})
FILE = user(
    {"fileData": {"fileUri": "https://generativelanguage.googleapis.com/v1beta/files/a"}}, said("read")
)
INSTRUCTIONS = Instructions((), "Obey.", 5, "0" * 12)
BODY: dict[str, Any] = {
    "systemInstruction": {"role": "user", "parts": [said("Be brief.")]},
    "contents": [user(said("hi"), said("go")), CALLED, user(answered("f", "a"))],
    "tools": [
        {"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "object", "$schema": "x"}}]},
        {"googleSearch": {}},
    ],
    "generationConfig": {"thinkingConfig": {"thinking_level": "HIGH"}, "topK": 64},
    "unheardOf": 1.0,
}


def planned(
    deployment: Deployment = STRICT,
    mode: str = "repair",
    body: bytes | None = None,
    kept: dict[str, StoredSignature] | None = None,
    instructions: Instructions | None = None,
    unsupported: frozenset[str] = frozenset(),
    thoughts: bool = False,
    **fields: Any,
) -> Plan:
    """Return the plan of :data:`BODY` with *fields*, or of *body*.

    *unsupported* are parameters that a chat of the provider lacks. With *thoughts*, the store of thoughts was asked,
    and had none.
    """
    given = {name: value for name, value in {**copy.deepcopy(BODY), **fields}.items() if value is not None}
    read = read_fields(write_json(given) if body is None else body, model="ours", max_nesting=100)
    chat = to_chat(read, tenant=TENANT).chat
    sanitize = settings_of({"m": "openai/gpt-4.1"}, sanitize={"mode": mode}).sanitize
    target = plan_target(deployment, sanitize, lambda *_: unsupported)
    if thoughts:
        target = replace(target, thoughts={})
    return plan_request(chat, target, kept or {}, instructions=instructions)


def sent(plan: Plan) -> bytes:
    """Return the body that goes out for *plan*, which has to go out in its client's form."""
    call = UpstreamCall(
        deployment=plan.deployment,
        messages=plan.messages,
        parameters=plan.parameters,
        extra_body=plan.extra_body,
        timeouts=Timeouts(1, 1, 1, 1),
        source=plan.request.source,
    )
    assert is_eligible(call.source, call.deployment, call.messages, call.parameters)
    return build_native_request(call)


def contents_of(plan: Plan) -> list[Any]:
    """Return the contents that go out for *plan*."""
    contents: list[Any] = json.loads(sent(plan))["contents"]
    return contents


def reasons(plan: Plan) -> list[tuple[str, str]]:
    """Return the changes of *plan*, each as step and reason."""
    return [(change.step, change.reason) for change in plan.changes]


@pytest.mark.parametrize("mode", ["repair", "observe", "strict", "off"])
@pytest.mark.parametrize("deployment", [STRICT, OLDER])
def test_legal_request_is_its_clients_bytes(mode: str, deployment: Deployment) -> None:
    """Nothing changes: spaces, numbers, order of keys, escapes, spellings and unknown fields stay."""
    body = json.dumps(BODY, indent=1).encode().replace(b'"hi"', b'"h\\u0069"')
    plan = planned(deployment, mode, body)

    assert sent(plan) == body
    assert (plan.changes, plan.dropped) == ((), ())


def test_repair_edits_the_contents_that_it_must() -> None:
    """A missing result is added to the contents, and every content that was there stays as it came."""
    contents = [*BODY["contents"], model(THOUGHT, called("f", "b")), user(said("and?"))]
    plan = planned(contents=contents)
    made = contents_of(plan)

    assert [content in contents for content in made] == [True, True, True, True, False, True]
    assert made[4]["parts"][0]["functionResponse"]["id"] == "b"
    assert json.loads(sent(plan)) == {**BODY, "contents": made}
    assert reasons(plan) == [("pairing", "missing_result")]


@pytest.mark.parametrize(
    ("content", "mended", "reason"),
    [
        (
            {**user(answered("f", "a")), "role": "function"},
            user(answered("f", "a")),
            "unknown_role",
        ),
        (user(answered("g", "a")), user(answered("f", "a")), "response_mismatch"),
    ],
)
def test_fault_that_no_chat_message_shows_is_mended_and_named(content: Any, mended: Any, reason: str) -> None:
    """Its index is that of the client's content."""
    plan = planned(contents=[*BODY["contents"][:2], content])

    assert contents_of(plan) == [*BODY["contents"][:2], mended]
    assert [(change.step, change.index, change.reason) for change in plan.changes] == [
        ("item_repair", 2, reason)
    ]


def test_strict_mode_refuses_what_would_be_mended() -> None:
    """The error names the reason, and no text."""
    contents = [*BODY["contents"][:2], user(answered("g", "a"))]
    with pytest.raises(UnrepairableHistory, match="response_mismatch") as refused:
        planned(mode="strict", contents=contents)

    assert refused.value.param == "contents"


@pytest.mark.parametrize(
    ("mode", "listed"), [("observe", [("item_repair", "response_mismatch")]), ("off", [])]
)
def test_other_modes_send_the_clients_bytes(mode: str, listed: list[tuple[str, str]]) -> None:
    """The change list of observing tells what a repair would do. Fields that a chat lacks are sent too."""
    body = write_json({**BODY, "contents": [*BODY["contents"][:2], user(answered("g", "a"))]})
    plan = planned(mode=mode, body=body, unsupported=frozenset({"top_k"}))

    assert sent(plan) == body
    assert reasons(plan) == listed


@pytest.mark.parametrize("field", ["systemInstruction", "system_instruction"])
def test_instructions_of_the_operator_stand_before_those_of_the_client(field: str) -> None:
    """The field keeps its spelling, and the contents stay the client's."""
    given: dict[str, Any] = {"systemInstruction": None, field: BODY["systemInstruction"]}
    plan = planned(instructions=INSTRUCTIONS, **given)
    body = json.loads(sent(plan))

    assert body[field] == {"role": "user", "parts": [said("Obey."), said("Be brief.")]}
    assert body["contents"] == BODY["contents"]
    assert len(body) == len(BODY)


def test_model_without_system_instructions_gets_them_from_the_user() -> None:
    """Gemma refuses them: "Developer instruction is not enabled"."""
    plan = planned(deployment_of("gemini/gemma-3-27b-it", api_key="k"), contents=[user(said("hi"))])
    body = json.loads(sent(plan))

    assert "systemInstruction" not in body
    assert json.dumps(body["contents"]).count("Be brief.") == 1


def test_lost_signature_has_a_stand_in_and_the_rest_of_the_content_stays() -> None:
    """Gemini 3 requires one. Earlier models do not."""
    bare = model(
        THOUGHT, {"functionCall": CALLED["parts"][2]["functionCall"], "partMetadata": {}}, said("so")
    )
    contents = [BODY["contents"][0], bare, BODY["contents"][2]]
    plan = planned(contents=contents)
    mended = [THOUGHT, {**bare["parts"][1], "thoughtSignature": STAND_IN}, said("so")]

    assert contents_of(plan) == [contents[0], {"role": "model", "parts": mended}, contents[2]]
    assert plan.signatures["replaced"] == 1
    assert contents_of(planned(OLDER, contents=contents)) == contents


@pytest.mark.parametrize("stand_in", ["skip_thought_signature_validator", SIGNED])
@pytest.mark.parametrize("name", ["thoughtSignature", "thought_signature"])
def test_stand_in_of_the_clients_stays_as_it_came(stand_in: str, name: str) -> None:
    """gemini-cli writes one itself."""
    content = model({"functionCall": CALLED["parts"][2]["functionCall"], name: stand_in})
    contents = [BODY["contents"][0], content, BODY["contents"][2]]

    assert contents_of(planned(contents=contents)) == contents


def test_signature_in_the_alphabet_of_urls_stays_as_it_came() -> None:
    """google-genai for Python writes bytes so."""
    part = {"functionCall": called("f", "a")["functionCall"], "thought_signature": "-_-_c2ln"}
    content = model(part)
    body = write_json({**BODY, "contents": [BODY["contents"][0], content, BODY["contents"][2]]})
    stored = StoredSignature(signature="+/+/c2ln", origin=origin(STRICT), **named("f", "{}"))

    assert sent(planned(body=body)) == body
    assert sent(planned(body=body, kept={"a": stored})) == body


def test_signature_of_another_origin_never_reaches_gemini() -> None:
    """The store knows where it was made."""
    stored = StoredSignature(signature=SIGNATURE, origin="elsewhere", **named("f", '{"x": 1.0}'))
    [_, turn, _] = contents_of(planned(kept={"a": stored}))

    assert turn["parts"][:2] == CALLED["parts"][:2]
    assert turn["parts"][2] == {**CALLED["parts"][2], "thoughtSignature": STAND_IN}


def envelope(call_id: str, tenant: str = TENANT, *blocks: dict[str, Any]) -> str:
    """Return the envelope of Claude's thoughts for a call."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    text = pack_thoughts([thought, *blocks], tag_of(origin(CLAUDE)), call_id, tenant)
    assert text is not None
    return text


@pytest.mark.parametrize("tenant", [TENANT, "another"])
@pytest.mark.parametrize("alphabet", ["url", "standard"])
def test_envelope_never_reaches_gemini(tenant: str, alphabet: str) -> None:
    """A stand-in is sent for it, and the loss of the thoughts is named."""
    sealed = envelope("a", tenant)
    if alphabet == "standard":
        sealed = sealed.replace("-", "+").replace("_", "/")
    content = model(said("look"), {**called("f", "a"), "thoughtSignature": sealed})
    plan = planned(contents=[BODY["contents"][0], content, BODY["contents"][2]])
    body = sent(plan)

    assert b"tr1" not in body
    assert json.loads(body)["contents"][1]["parts"] == [
        said("look"),
        {**called("f", "a"), "thoughtSignature": STAND_IN},
    ]
    own = [("shape", "refused_field")] if tenant == TENANT else [("item_repair", "sealed_signature")]
    assert reasons(plan) == own


def test_envelope_on_a_text_is_taken_out() -> None:
    """No text needs one."""
    content = model({**said("look"), "thoughtSignature": envelope("a")})
    plan = planned(contents=[user(said("hi")), content, user(said("go"))])

    assert contents_of(plan)[1] == model(said("look"))
    assert reasons(plan) == [("item_repair", "sealed_signature")]


@pytest.mark.parametrize("mode", ["observe", "off"])
def test_envelope_makes_a_chat_where_nothing_is_mended(mode: str) -> None:
    """The contents would have to be changed. The thoughts are left out of the chat too."""
    content = model({**called("f", "a"), "thoughtSignature": envelope("a")})
    plan = planned(OLDER, mode, contents=[BODY["contents"][0], content, BODY["contents"][2]])
    source = plan.request.source

    if is_eligible(source, plan.deployment, plan.messages, plan.parameters):
        assert b"tr1" not in sent(plan)
    assert "thinking_blocks" not in json.dumps(plan.messages)
    content = model({**said("look"), "thoughtSignature": envelope("a")})
    plan = planned(OLDER, mode, contents=[user(said("hi")), content, user(said("go"))])
    assert not is_eligible(plan.request.source, plan.deployment, plan.messages, plan.parameters)


@pytest.mark.parametrize("thoughts", [True, False])
def test_envelope_is_opened_for_claude(thoughts: bool) -> None:
    """The thoughts and their places come back as they were, also where the store has lost them."""
    place = {"type": "tool_use", "id": "a"}
    content = model({**called("f", "a"), "thoughtSignature": envelope("a", TENANT, place)})
    plan = planned(
        CLAUDE, contents=[BODY["contents"][0], content, BODY["contents"][2]], tools=BODY["tools"][:1]
    )
    [turn] = [message for message in plan.messages if message["role"] == "assistant"]

    assert [block["type"] for block in turn["thinking_blocks"]] == ["thinking", "tool_use"]
    assert "extra_content" not in turn["tool_calls"][0]


@pytest.mark.parametrize(("call_id", "tenant"), [("b", TENANT), ("a", "another")])
def test_envelope_of_another_call_or_tenant_is_left_out(call_id: str, tenant: str) -> None:
    """The loss is named."""
    content = model({**called("f", "a"), "thoughtSignature": envelope(call_id, tenant)})
    plan = planned(
        CLAUDE, contents=[BODY["contents"][0], content, BODY["contents"][2]], tools=BODY["tools"][:1]
    )

    assert not any("thinking_blocks" in message for message in plan.messages)
    assert ("items", "envelope_damaged") in reasons(plan)


def test_thoughts_of_claude_go_to_nobody_else() -> None:
    """OpenAI refuses unknown fields."""
    content = model({**called("f", "a"), "thoughtSignature": envelope("a")})
    plan = planned(GPT, contents=[BODY["contents"][0], content, BODY["contents"][2]], tools=BODY["tools"][:1])

    assert not any("thinking_blocks" in message for message in plan.messages)
    assert ("items", "claude_field") in reasons(plan)


def test_file_of_an_account_goes_to_the_provider_of_its_one_client() -> None:
    """Of several clients, none can name another's file, and no other provider has it."""
    body = write_json({**BODY, "contents": [FILE]})

    assert sent(planned(STRICT, body=body)) == body
    for deployment in (replace(STRICT, serves_objects=False), CLAUDE):
        with pytest.raises(InvalidRequest) as refused:
            planned(deployment, body=body)
        assert refused.value.param == "contents[0].parts[0].fileData.fileUri"


def test_file_stays_where_its_content_is_edited() -> None:
    """The placeholder in the chat message is never sent."""
    plan = planned(contents=[{**FILE, "role": "USER"}])

    assert contents_of(plan) == [FILE]
    assert HELD_PLACEHOLDER in json.dumps(plan.messages)


def test_data_of_an_unknown_kind_goes_to_gemini_alone() -> None:
    """Another model would be told less than the client says."""
    body = write_json({**BODY, "contents": [user({"newKind": {"a": 1}})]})

    assert sent(planned(replace(STRICT, serves_objects=False), body=body)) == body
    with pytest.raises(InvalidRequest) as refused:
        planned(CLAUDE, body=body)
    assert refused.value.param == "contents[0].parts[0].newKind"


def test_plan_that_changed_the_tools_is_sent_as_a_chat() -> None:
    """No request is half native."""
    plan = planned()
    assert plan.request.source is not None
    native = plan.request.source.native
    assert isinstance(native, GeminiRequest)
    parameters = {**plan.parameters, "tools": []}

    assert with_items(plan.request, STRICT, plan.messages, parameters, "repair").request is plan.request


def test_repaired_fields_survive_another_plan() -> None:
    """A field that the provider has refused is not sent again."""
    plan = planned()
    assert plan.request.source is not None
    native = plan.request.source.native
    assert isinstance(native, GeminiRequest)
    source = replace(plan.request.source, native=replace(native, repaired={"unheardOf": None}))
    items = with_items(replace(plan.request, source=source), STRICT, plan.messages, plan.parameters, "repair")

    assert items.request.source is not None
    assert isinstance(items.request.source.native, GeminiRequest)
    assert items.request.source.native.changed == {"unheardOf": None}


def origin(deployment: Deployment) -> str:
    """Return the origin of signatures of *deployment*."""
    return origin_of(deployment, profile_for(deployment.model))


def named(name: str, arguments: str) -> dict[str, Any]:
    """Return the fields of a stored signature that name its call."""
    as_written, as_meant = digests_of(name, arguments)
    return {"as_written": as_written, "as_meant": as_meant}


def chat_of(**fields: Any) -> ChatRequest:
    """Return the request of :data:`BODY` with *fields*."""
    read = read_fields(write_json({**BODY, **fields}), model="ours", max_nesting=100)
    return to_chat(read, tenant=TENANT).chat


def test_memory_stands_in_place_of_older_contents() -> None:
    """Later contents stay, and so does the system instruction."""
    later = [user(said("on")), model(said("well")), user(said("and?"))]
    chat = chat_of(contents=[user(said("hi")), model(said("ho")), *later])
    memory = memory_of(1, 3)
    sanitize = settings_of({"m": "openai/gpt-4.1"}).sanitize
    plan = plan_request(chat, plan_target(STRICT, sanitize, lambda *_: frozenset()), memory=memory)
    body = json.loads(sent(plan))

    assert plan.memory is memory
    assert body["contents"][-3:] == later
    assert body == {**BODY, "contents": body["contents"]}
    assert "ho" not in json.dumps(body["contents"])


def test_history_that_is_too_long_is_cut_by_contents() -> None:
    """The contents that stay are the client's own."""
    rounds = [
        content
        for at in range(12)
        for content in (
            user(said(f"{at} " * 3_000)),
            model({**called("f", f"c{at}"), "thoughtSignature": SIGNATURE}),
            user(answered("f", f"c{at}")),
            model(said(f"done {at}")),
        )
    ]
    contents = [*rounds, user(said("and?"))]
    settings = settings_of({"m": "gemini/gemini-3.6-flash"})
    facts = facts_of(STRICT, settings.budget, no_lessons(STRICT), tight=True, most=20_000)
    target = plan_target(STRICT, settings.sanitize, lambda *_: frozenset())
    plan = plan_request(chat_of(contents=contents), target, facts=facts)
    made = contents_of(plan)

    assert plan.cuts
    assert len(made) < len(contents)
    assert made[-1] == contents[-1]
    assert sum(content in contents for content in made) >= len(made) - 2


def test_default_of_the_operator_changes_one_setting() -> None:
    """It counts only where the client says nothing."""
    deployment = replace(STRICT, defaults=MappingProxyType({"temperature": 0.2, "top_k": 3}))
    body = json.loads(sent(planned(deployment)))

    assert body["generationConfig"] == {**BODY["generationConfig"], "temperature": 0.2}
    assert {**body, "generationConfig": BODY["generationConfig"]} == BODY


def test_limit_of_the_answer_is_that_of_the_model() -> None:
    """Gemini refuses a longer one."""
    config = {"max_output_tokens": 10**7}
    plan = planned(generationConfig=config)
    lowered = json.loads(sent(plan))["generationConfig"]["max_output_tokens"]

    assert lowered < 10**6
    assert [change.reason for change in plan.changes] == ["out_of_range"]


@pytest.mark.parametrize("key", ["systemInstruction", "system_instruction"])
@pytest.mark.parametrize(
    ("system", "mended"),
    [
        ("Be brief.", {"parts": [said("Be brief.")]}),
        ({"text": "Be brief."}, {"parts": [said("Be brief.")]}),
        (
            {"role": "user", "parts": [said("Be brief."), said("")]},
            {"role": "user", "parts": [said("Be brief.")]},
        ),
        ({}, None),
    ],
)
def test_system_instruction_gets_the_form_that_gemini_reads(key: str, system: Any, mended: Any) -> None:
    """Other providers take all of these forms, so that Gemini's own client may write them too."""
    fields: dict[str, Any] = {"systemInstruction": None, key: system}
    plan = planned(**fields)

    assert json.loads(sent(plan)).get(key) == mended
    assert reasons(plan) == [("item_repair", "system_form")]
    assert json.loads(sent(planned(mode="observe", **fields)))[key] == system
