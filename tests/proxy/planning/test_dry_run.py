"""The dry run shows the request and its changes, and sends nothing."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import Settings
from tests.support.builders import assistant, call, system, tool, user
from tests.support.proxied import GEMINI, MODEL, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream, answer

LEGAL = [user("Hello.")]
BROKEN = [assistant("Hi."), tool("nobody", "lost"), user("Hello.")]
HOPELESS = [tool("nobody", "lost")]


async def explain(
    messages: list[Any], upstream: ScriptedUpstream, path: str = "/v1/explain", **sanitize: Any
) -> dict[str, Any]:
    """Return the dry run of a history. Assert that its status is 200 and that nothing is sent upstream."""
    async with proxied(settings_of(sanitize=sanitize), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": messages, "temperature": 0.5, "foo": 1}, path)
        assert reply.status == 200
        assert await proxy.count("changes_total") == 0
        assert await proxy.count("upstream_attempts_total") == 0
        assert await proxy.count("requests_total", route="/v1/explain", outcome="ok", model=MODEL) == 1
    assert upstream.calls == []
    found: dict[str, Any] = reply.json
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    ("mode", "legal", "broken", "hopeless"),
    [
        ("repair", "unchanged", "repaired", "refused"),
        ("observe", "unchanged", "sent_as_is", "sent_as_is"),
        ("strict", "unchanged", "refused", "refused"),
        ("off", "unchanged", "sent_as_is", "sent_as_is"),
    ],
)
async def test_the_verdict_is_a_chat_request_s_outcome(
    upstream: ScriptedUpstream, mode: str, legal: str, broken: str, hopeless: str
) -> None:
    """The mode and the faults of the history decide the verdict."""
    found = [await explain(messages, upstream, mode=mode) for messages in (LEGAL, BROKEN, HOPELESS)]

    assert [answer["verdict"] for answer in found] == [legal, broken, hopeless]
    assert {answer["mode"] for answer in found} == {mode}


@pytest.mark.parametrize("path", ["/v1/explain", "/explain"])
async def test_dry_run_has_body_changes_and_faults_of_a_repair(upstream: ScriptedUpstream, path: str) -> None:
    """The answer has the body that would be sent, each change with its message's index, and the faults found."""
    found = await explain(BROKEN, upstream, path)

    assert found.keys() == {
        "object",
        "model",
        "deployment",
        "profile",
        "mode",
        "verdict",
        "changes",
        "summary",
        "found",
        "violations",
        "dropped_parameters",
        "refusal",
        "budget",
        "turns",
        "body",
    }
    assert (found["object"], found["model"], found["deployment"]) == ("turnright.explanation", MODEL, GEMINI)
    assert found["profile"] == "gemini-3-strict"
    assert found["summary"] == "orphan_drop=1,user_prepend=1"
    assert [(change["step"], change["index"]) for change in found["changes"]] == [
        ("orphan_drop", 1),
        ("user_prepend", 0),
    ]
    assert all(change.keys() == {"step", "kind", "index", "reason", "detail"} for change in found["changes"])
    assert [(fault["index"], fault["rule"]) for fault in found["found"]] == [
        (0, "first_turn_not_user"),
        (1, "orphaned_result"),
    ]
    assert found["violations"] == []
    assert found["dropped_parameters"] == ["foo"]
    assert [message["role"] for message in found["body"]["messages"]] == ["user", "assistant", "user"]
    assert found["body"]["temperature"] == 0.5
    assert "foo" not in found["body"]


UNSIGNED = [user("Do it."), assistant(None, [call("a", "f")]), tool("a", "done")]
FUNCTION = {"type": "function", "function": {"name": "my tool", "parameters": {"type": "object"}}}


@pytest.mark.parametrize("mode", ["repair", "observe", "strict", "off"])
@pytest.mark.parametrize(
    "messages", [LEGAL, BROKEN, UNSIGNED, HOPELESS], ids=["legal", "broken", "unsigned", "none"]
)
async def test_dry_run_has_the_body_that_a_chat_request_sends(
    upstream: ScriptedUpstream, mode: str, messages: list[dict[str, Any]]
) -> None:
    """The dry run's body is the one that a chat request sends, in every mode. A refused request has no body."""
    asked = {"model": MODEL, "messages": messages, "stop": "x", "foo": 1, "tools": [FUNCTION]}
    async with proxied(settings_of(sanitize={"mode": mode}), upstream) as proxy:
        found = (await proxy.post(asked, "/v1/explain")).json
        reply = await proxy.post(asked)

    assert (reply.status == 200) == (found["body"] is not None) == (found["verdict"] != "refused")
    if found["body"] is None:
        assert (upstream.calls, found["refusal"]["message"]) == ([], reply.error["message"])
    else:
        [sent] = upstream.calls
        body = {"model": MODEL, "messages": list(sent.messages), "stream": False, **sent.parameters}
        assert found["body"] == {**body, **sent.extra_body}


async def test_dry_run_has_the_signatures_that_a_chat_request_sends(upstream: ScriptedUpstream) -> None:
    """The dry run restores a stored signature as a chat request does. A stand-in replaces a lost signature."""
    signed = {"google": {"thought_signature": "c2lnbmF0dXJlLW9mLXRoZS1tb2RlbA=="}}
    one = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    upstream.then(answer(None, tool_calls=[{**one, "extra_content": signed}]))
    async with proxied(settings_of(), upstream) as proxy:
        said = (await proxy.post(chat("Do it."))).json["choices"][0]["message"]["tool_calls"][0]
        bodies = []
        for call_id in (said["id"], "lost"):
            history = [user("Do it."), assistant(None, [call(call_id, "f")]), tool(call_id, "done")]
            asked = {"model": MODEL, "messages": history}
            found = (await proxy.post(asked, "/v1/explain")).json
            await proxy.post(asked)
            assert found["body"]["messages"] == list(upstream.calls[-1].messages)
            bodies.append(found["body"]["messages"][1]["tool_calls"][0]["extra_content"])

    assert bodies[0] == signed
    assert bodies[1] != signed


async def test_a_history_that_cannot_be_repaired_is_explained(upstream: ScriptedUpstream) -> None:
    """For a history that cannot be repaired, the answer has the reason in place of a body."""
    found = await explain(HOPELESS, upstream)

    assert found["refusal"].keys() == {"message", "rule", "param"}
    assert found["refusal"]["rule"] == "nothing_to_send"
    assert found["body"] is None


@pytest.mark.parametrize(("on_violation", "verdict"), [("refuse", "refused"), ("send", "repaired")])
async def test_remaining_violations_are_listed(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, on_violation: str, verdict: str
) -> None:
    """The setting ``on_violation`` decides the verdict on remaining violations."""
    monkeypatch.setattr("sanitizers.pipeline.STEPS", ())
    found = await explain(BROKEN, upstream, on_violation=on_violation)

    assert found["verdict"] == verdict
    assert [fault["rule"] for fault in found["violations"]] == ["first_turn_not_user", "orphaned_result"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "invalid_request"),
        (chat(model="x"), 404, "model_not_found"),
        (chat(temperature="x"), 400, "invalid_request"),
    ],
)
async def test_bad_requests_are_refused(
    upstream: ScriptedUpstream, body: Any, status: int, code: str
) -> None:
    """A body that is no chat request, or that names an unknown model, is refused."""
    async with proxied(settings_of(), upstream) as proxy:
        reply = await proxy.post(body, "/v1/explain")

    assert (reply.status, reply.error["code"]) == (status, code)


AGENT = [user("Mend it."), *(m for n in range(60) for m in (assistant(f"Step {n}."), user("word " * 400)))]
"""A conversation of some 30,000 tokens."""


def small_settings(mode: str = "repair", **budget: Any) -> Settings:
    """Return settings with a model that takes 16,384 input tokens."""
    entry = {
        "model_name": MODEL,
        "litellm_params": {"model": GEMINI},
        "model_info": {"max_input_tokens": 16_384},
    }
    return settings_of(model_list=[entry], sanitize={"mode": mode}, budget=budget)


async def explain_small(settings: Settings, upstream: ScriptedUpstream, **request: Any) -> dict[str, Any]:
    """Return the dry run of a request with these settings. Assert that nothing is sent upstream."""
    async with proxied(settings, upstream) as proxy:
        reply = await proxy.post({"model": MODEL, **request}, "/v1/explain")
    assert (reply.status, upstream.calls) == (200, [])
    found: dict[str, Any] = reply.json
    return found


async def test_the_budget_of_a_request_that_fits(upstream: ScriptedUpstream) -> None:
    """The dry run counts a request that fits by part, and lists no cuts."""
    found = await explain_small(small_settings(), upstream, messages=LEGAL)
    budget = found["budget"]

    assert found["verdict"] == "unchanged"
    assert (budget["exact"], budget["window"], budget["window_source"], budget["limit"]) == (
        True,
        16_384,
        "configured",
        16_384,
    )
    assert budget["estimate"] == budget["sent"] > 0
    assert budget["parts"]["before"] == budget["parts"]["after"]
    assert (budget["events"], budget["removed"]) == ([], {})


@pytest.mark.parametrize(
    ("mode", "verdict"),
    [("repair", "repaired"), ("strict", "refused"), ("observe", "sent_as_is"), ("off", "sent_as_is")],
)
async def test_the_budget_of_a_request_that_is_cut(
    upstream: ScriptedUpstream, mode: str, verdict: str
) -> None:
    """In every mode the dry run lists each cut, and the tokens of each part before and after."""
    found = await explain_small(small_settings(mode), upstream, messages=AGENT)
    budget = found["budget"]

    assert found["verdict"] == verdict
    cuts = [change for change in found["changes"] if change["step"] == "budget"]
    assert cuts
    assert found["summary"] == f"budget={len(cuts)}"
    assert budget["estimate"] > 16_384 > budget["sent"]
    before, after = budget["parts"]["before"], budget["parts"]["after"]
    assert before["older_rounds"] > after["older_rounds"]
    assert before["current_round"] == after["current_round"]
    assert budget["removed"]
    if mode == "strict":
        assert found["body"] is None
    else:
        assert (len(found["body"]["messages"]) < len(AGENT)) == (mode == "repair")


async def test_the_body_is_what_is_sent_when_it_is_cut(upstream: ScriptedUpstream) -> None:
    """The dry run cuts as a chat request does."""
    found = await explain_small(small_settings(), upstream, messages=AGENT, max_tokens=1_000)
    async with proxied(small_settings(), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": AGENT, "max_tokens": 1_000})

    assert found["body"]["messages"] == upstream.calls[0].messages
    assert reply.headers["x-turnright-changes"] == found["summary"]
    assert f"est={found['budget']['estimate']};" in reply.headers["x-turnright-budget"]
    assert f"sent={found['budget']['sent']};" in reply.headers["x-turnright-budget"]


@pytest.mark.parametrize(
    ("mode", "verdict"),
    [("repair", "refused"), ("strict", "refused"), ("observe", "sent_as_is"), ("off", "sent_as_is")],
)
async def test_a_request_that_cannot_fit_has_the_chat_request_s_refusal(
    upstream: ScriptedUpstream, mode: str, verdict: str
) -> None:
    """The refusal's message counts the tokens by part."""
    found = await explain_small(
        small_settings(mode), upstream, messages=[system("word " * 60_000), user("Go on.")]
    )

    assert found["verdict"] == verdict
    assert found["refusal"]["rule"] == "context_length_exceeded"
    assert "system messages" in found["refusal"]["message"]
    assert (found["body"] is None) == (verdict == "refused")


async def test_preset_off_cuts_nothing_and_counts(upstream: ScriptedUpstream) -> None:
    """With the preset ``off``, the dry run changes nothing and still counts the tokens."""
    found = await explain_small(small_settings(preset="off"), upstream, messages=AGENT, max_tokens=100_000)

    assert (found["verdict"], found["changes"]) == ("unchanged", [])
    assert found["budget"]["sent"] == found["budget"]["estimate"] > 16_384
    assert found["body"]["max_tokens"] == 100_000


async def test_a_dry_run_stores_no_lessons(upstream: ScriptedUpstream) -> None:
    """A dry run stores no lessons (learned facts) about its model, so no other model's entry is evicted."""
    async with proxied(settings_of(), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": LEGAL}, "/v1/explain")

        assert reply.json["verdict"] == "unchanged"
        assert not proxy.server.gateway.learned_windows._lessons
