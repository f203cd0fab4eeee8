"""The dry run: what would be sent and why, and nothing is sent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.builders import assistant, tool, user
from tests.support.proxied import GEMINI, MODEL, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

LEGAL = [user("Hello.")]
BROKEN = [assistant("Hi."), tool("nobody", "lost"), user("Hello.")]
HOPELESS = [tool("nobody", "lost")]


async def explain(
    messages: list[Any], upstream: ScriptedUpstream, path: str = "/v1/explain", **sanitize: Any
) -> dict[str, Any]:
    """Explain a history in a mode; the answer must be a 200, and nothing must have been sent."""
    async with proxied(settings_of(sanitize=sanitize), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": messages, "temperature": 0.5, "foo": 1}, path)
        assert reply.status == 200
        assert await proxy.count("changes_total") == 0
        assert await proxy.count("upstream_attempts_total") == 0
        assert await proxy.count("requests_total", route="/v1/explain", outcome="ok", model=MODEL) == 1
    assert upstream.calls == []
    found: dict[str, Any] = reply.json
    return found


@pytest.mark.parametrize(
    ("mode", "legal", "broken", "hopeless"),
    [
        ("repair", "unchanged", "repaired", "refused"),
        ("observe", "unchanged", "sent_as_is", "sent_as_is"),
        ("strict", "unchanged", "refused", "refused"),
        ("off", "unchanged", "sent_as_is", "sent_as_is"),
    ],
)
async def test_verdicts(
    upstream: ScriptedUpstream, mode: str, legal: str, broken: str, hopeless: str
) -> None:
    """The verdict is what a chat request would meet in this mode."""
    found = [await explain(messages, upstream, mode=mode) for messages in (LEGAL, BROKEN, HOPELESS)]

    assert [answer["verdict"] for answer in found] == [legal, broken, hopeless]
    assert {answer["mode"] for answer in found} == {mode}


@pytest.mark.parametrize("path", ["/v1/explain", "/explain"])
async def test_repaired(upstream: ScriptedUpstream, path: str) -> None:
    """The answer has the body as it would be sent, each change with its place, and what was wrong."""
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


async def test_body_is_what_is_sent(upstream: ScriptedUpstream) -> None:
    """The messages of the explanation are the messages that a chat request sends."""
    found = await explain(BROKEN, upstream)
    async with proxied(settings_of(), upstream) as proxy:
        await proxy.post({"model": MODEL, "messages": BROKEN})

    assert found["body"]["messages"] == upstream.calls[0].messages


async def test_refused(upstream: ScriptedUpstream) -> None:
    """A history that cannot be repaired is explained as well, with the reason in the place of a body."""
    found = await explain(HOPELESS, upstream)

    assert found["refusal"].keys() == {"message", "rule", "param"}
    assert found["refusal"]["rule"] == "nothing_to_send"
    assert found["body"] is None


@pytest.mark.parametrize(("on_violation", "verdict"), [("refuse", "refused"), ("send", "repaired")])
async def test_what_stays_wrong(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, on_violation: str, verdict: str
) -> None:
    """Rules that the steps leave broken are listed, and the verdict follows the setting."""
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
    """What is no request cannot be explained either."""
    async with proxied(settings_of(), upstream) as proxy:
        reply = await proxy.post(body, "/v1/explain")

    assert (reply.status, reply.error["code"]) == (status, code)
