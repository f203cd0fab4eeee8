"""Tests the sanitizer's four modes: repair, observe, strict and off."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.builders import assistant, call, tool, user
from tests.support.proxied import CHAT, MODEL, Proxied, Reply, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

LEGAL = [user("Hello.")]
BROKEN = [assistant("Hi."), tool("nobody", "lost"), user("Hello."), assistant("Bye.")]
HOPELESS = [tool("nobody", "lost")]
"""A history that repair leaves empty."""

REMOTE = [user([{"type": "image_url", "image_url": {"url": "https://example.test/x.png"}}])]


async def send(
    messages: list[Any], upstream: ScriptedUpstream, *, stream: bool = False, **sanitize: Any
) -> tuple[Reply, dict[str, float]]:
    """Send a history under the sanitizer's settings *sanitize*.

    Return the reply, and the counters that differ by mode.
    """
    async with proxied(settings_of(sanitize=sanitize), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": messages, "stream": stream})
        names = ("changes_total", "observed_changes_total", "violations_sent_total")
        return reply, {name: await proxy.count(name) for name in names}


@pytest.mark.parametrize("mode", ["repair", "observe", "strict", "off"])
async def test_legal_history_goes_as_it_is(upstream: ScriptedUpstream, mode: str) -> None:
    """In every mode a legal history is sent unchanged, with no changes reported."""
    reply, counts = await send(LEGAL, upstream, mode=mode)

    assert reply.status == 200
    assert upstream.calls[0].messages == LEGAL
    assert "x-turnright-changes" not in reply.headers
    assert set(counts.values()) == {0}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_repair_mode_makes_the_history_legal_and_reports_it(
    upstream: ScriptedUpstream, stream: bool
) -> None:
    """Mode repair makes the history legal, lists its changes in the header, and counts them."""
    reply, counts = await send(BROKEN, upstream, stream=stream)

    assert reply.status == 200
    sent = upstream.calls[0].messages
    assert [message["role"] for message in sent] == ["user", "assistant", "user", "assistant", "user"]
    assert reply.headers["x-turnright-changes"] == "orphan_drop=1,user_prepend=1,tail=1"
    assert counts == {"changes_total": 3, "observed_changes_total": 0, "violations_sent_total": 0}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_observe_mode_sends_the_history_unchanged_and_reports_it(
    upstream: ScriptedUpstream, stream: bool
) -> None:
    """Mode observe sends the history unchanged, and reports the changes that repair would make."""
    reply, counts = await send(BROKEN, upstream, mode="observe", stream=stream)

    assert reply.status == 200
    assert upstream.calls[0].messages == BROKEN
    assert reply.headers["x-turnright-changes"] == "orphan_drop=1,user_prepend=1,tail=1;observed"
    assert counts == {"changes_total": 0, "observed_changes_total": 3, "violations_sent_total": 0}


@pytest.mark.parametrize("messages", [HOPELESS, REMOTE], ids=["nothing left", "media by address"])
async def test_observe_never_refuses(upstream: ScriptedUpstream, messages: list[Any]) -> None:
    """Mode observe sends even a history that cannot be repaired."""
    reply, _ = await send(messages, upstream, mode="observe")

    assert reply.status == 200
    assert upstream.calls[0].messages == messages


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_strict_mode_refuses_with_each_rule_and_place(upstream: ScriptedUpstream, stream: bool) -> None:
    """Mode strict refuses a history that needs changes, and names each broken rule, its message and the steps."""
    reply, counts = await send(BROKEN, upstream, mode="strict", stream=stream)

    assert (reply.status, reply.error["code"], reply.error["param"]) == (
        400,
        "illegal_history",
        "messages[0]",
    )
    assert upstream.calls == []
    assert [(found["index"], found["rule"]) for found in reply.error["violations"]] == [
        (0, "first_turn_not_user"),
        (1, "orphaned_result"),
        (3, "trailing_model_turn"),
    ]
    assert {change["step"] for change in reply.error["changes"]} == {"orphan_drop", "user_prepend", "tail"}
    assert "messages[1]: orphaned_result" in reply.error["message"]
    assert "lost" not in reply.raw.decode()
    assert set(counts.values()) == {0}


async def test_off_mode_checks_only_the_shape_of_a_request(upstream: ScriptedUpstream) -> None:
    reply, counts = await send(BROKEN, upstream, mode="off")
    refused, _ = await send([{"role": "wizard"}], upstream, mode="off")

    assert reply.status == 200
    assert upstream.calls[0].messages == BROKEN
    assert "x-turnright-changes" not in reply.headers
    assert set(counts.values()) == {0}
    assert (refused.status, refused.error["param"]) == (400, "messages[0].role")


@pytest.mark.parametrize(
    ("messages", "param"),
    [(HOPELESS, "messages"), (REMOTE, "messages[0].content[0].image_url")],
    ids=["nothing left", "media by address"],
)
@pytest.mark.parametrize("mode", ["repair", "strict"])
async def test_what_cannot_be_repaired_is_refused(
    upstream: ScriptedUpstream, messages: list[Any], param: str, mode: str
) -> None:
    """A history that no step can repair is a 400, which names the path of the unusable part."""
    reply, _ = await send(messages, upstream, mode=mode)

    assert (reply.status, reply.error["code"]) == (400, "illegal_history")
    assert reply.error["param"].startswith(param)
    assert upstream.calls == []


@pytest.mark.parametrize("on_violation", ["refuse", "send"])
async def test_rule_that_stays_broken_is_refused_or_counted_as_on_violation_says(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, on_violation: str
) -> None:
    """A history that stays illegal is refused, or sent and counted, by ``on_violation``."""
    monkeypatch.setattr("sanitizers.pipeline.STEPS", ())  # no known history stays illegal after the steps
    reply, counts = await send(BROKEN, upstream, on_violation=on_violation)

    if on_violation == "refuse":
        assert (reply.status, reply.error["param"]) == (400, "messages[0]")
        assert "could not be made legal" in reply.error["message"]
        assert len(reply.error["violations"]) == 3
        assert upstream.calls == []
        assert counts["violations_sent_total"] == 0
    else:
        assert reply.status == 200
        assert upstream.calls[0].messages == BROKEN
        assert counts["violations_sent_total"] == 3


async def test_the_profile_is_the_deployments(upstream: ScriptedUpstream) -> None:
    """The profile of the deployment that is asked decides whether a history is repaired.

    A history may be legal for one provider only.
    """
    settings = settings_of({"gpt": "openai/gpt-4.1", "gem": "gemini/gemini-3.6-flash"})
    messages = [assistant("Hi."), user("Hello.")]
    async with proxied(settings, upstream) as proxy:
        one = await proxy.post({"model": "gpt", "messages": messages})
        other = await proxy.post({"model": "gem", "messages": messages})

    assert "x-turnright-changes" not in one.headers
    assert other.headers["x-turnright-changes"] == "user_prepend=1"


async def test_merge_same_role_merges_runs_for_every_provider(upstream: ScriptedUpstream) -> None:
    """With ``merge_same_role``, runs of one role are merged for every provider."""
    settings = settings_of({MODEL: "openai/gpt-4.1"}, sanitize={"merge_same_role": True})
    async with proxied(settings, upstream) as proxy:
        await proxy.post({"model": MODEL, "messages": [user("a"), user("b")]})

    assert [message["role"] for message in upstream.calls[0].messages] == ["user"]


async def test_repair_answers_a_dangling_call(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A call without a result gets one directly after it."""
    history = [user("x"), assistant(None, [call("c1"), call("c2", "g")]), tool("c1"), user("y")]
    reply = await proxy.post({"model": MODEL, "messages": history}, CHAT)

    sent = upstream.calls[0].messages
    assert reply.headers["x-turnright-changes"] == "pairing=1"
    assert [message.get("tool_call_id") for message in sent] == [None, None, "c1", "c2", None]
