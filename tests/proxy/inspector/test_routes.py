"""Tests of the inspector's API paths: their answers, access rules and costs."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from proxy.forwarding.chat.answer_signatures import load_signatures
from proxy.inspector import receive_query, routes
from proxy.inspector.worker_thread import InspectionPlaces
from tests.support.builders import assistant, call, tool, user
from tests.support.proxied import MODEL, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import STOP, ScriptedUpstream, answer, say

MASTER, TEAM = "tr-master-17", "tr-team-29"
BROKEN = [assistant("Hi."), tool("nobody", "lost"), user("Hello.")]
GETS = (
    "/ui/api/models",
    "/ui/api/recent",
    "/ui/api/recent/x",
    "/ui/api/live",
    "/ui/api/none",
    "/ui/api",
    "/ui/api/",
)
POSTS = ("/ui/api/look", "/ui/api/verdicts")


def bearer(key: str) -> dict[str, str]:
    """Return the ``Authorization`` header of *key*."""
    return {"Authorization": f"Bearer {key}"}


async def test_data_of_the_inspector_need_the_key(upstream: ScriptedUpstream) -> None:
    """The page's files need no key."""
    async with proxied(settings_of(general_settings={"master_key": MASTER}), upstream) as proxy:
        found = [await proxy.get(path) for path in GETS] + [await proxy.post({}, path) for path in POSTS]
        found += [await proxy.get(path, bearer("wrong")) for path in GETS]
        good = await proxy.get("/ui/api/models", bearer(MASTER))
        unknown = await proxy.get("/ui/api/none", bearer(MASTER))
        files = [await proxy.get(path) for path in ("/ui/none.js", "/ui/apis.js")]

    assert {reply.status for reply in found} == {401}
    assert (good.status, unknown.status) == (200, 404)
    assert {reply.status for reply in files} == {404}


async def test_key_sees_its_own_recent_requests_and_the_master_key_all(upstream: ScriptedUpstream) -> None:
    """A key's own request is shown with its body, since bodies are kept here."""
    general = {
        "master_key": MASTER,
        "keys": [{"name": "team", "key": TEAM}],
        "inspector": {"bodies": True},
    }
    upstream.then(answer("one"))
    upstream.then(answer("two"))
    async with proxied(settings_of(general_settings=general), upstream) as proxy:
        for key, name in ((MASTER, "of-master"), (TEAM, "of-team")):
            reply = await proxy.post(chat(), headers={**bearer(key), "x-request-id": name})
            assert reply.status == 200
        await proxy.idle()
        seen = {
            key: [one["id"] for one in (await proxy.get("/ui/api/recent", bearer(key))).json["requests"]]
            for key in (MASTER, TEAM)
        }
        own = await proxy.get("/ui/api/recent/of-team", bearer(TEAM))
        other = await proxy.get("/ui/api/recent/of-master", bearer(TEAM))

    assert seen == {MASTER: ["of-team", "of-master"], TEAM: ["of-team"]}
    assert (own.status, own.json["request"], own.json["key"]) == (200, chat(), "team")
    assert (other.status, other.error["code"]) == (404, "not_found")


async def test_recent_request_to_gemini_has_the_model_of_its_path(upstream: ScriptedUpstream) -> None:
    """The key in the query is shown nowhere."""
    general = {"master_key": MASTER, "inspector": {"bodies": True}}
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi."}]}]}
    async with proxied(settings_of(general_settings=general), upstream) as proxy:
        path = f"/v1beta/models/{MODEL}:generateContent?key={MASTER}"
        sent = await proxy.post(body, path, headers={"x-request-id": "one"})
        await proxy.idle()
        recent = await proxy.get("/ui/api/recent", bearer(MASTER))
        seen = await proxy.get("/ui/api/recent/one", bearer(MASTER))

    assert (sent.status, seen.json["request"]) == (200, {**body, "model": MODEL})
    assert MASTER.encode() not in sent.raw + recent.raw + seen.raw


async def test_asker_takes_the_seat_and_signatures_are_the_senders(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An inspection takes a place in the name of the key that asks.

    Signatures are loaded for the key that sent the recent request.
    """
    general = {
        "master_key": MASTER,
        "keys": [{"name": "team", "key": TEAM}],
        "inspector": {"bodies": True},
    }
    seated, tenants = [], []
    take, load = InspectionPlaces.hold, load_signatures

    def note_client(self: InspectionPlaces, client: str) -> Any:
        seated.append(client)
        return take(self, client)

    def note_tenant(store: Any, tenant: str, *others: Any) -> Any:
        tenants.append(tenant)
        return load(store, tenant, *others)

    monkeypatch.setattr(InspectionPlaces, "hold", note_client)
    monkeypatch.setattr("proxy.inspector.dry_runs.load_signatures", note_tenant)
    async with proxied(settings_of(general_settings=general), upstream) as proxy:
        await proxy.post(chat(), headers={**bearer(TEAM), "x-request-id": "of-team"})
        await proxy.idle()
        for path in POSTS:
            for key, asked in (
                (MASTER, {"request": chat()}),
                (TEAM, {"request": chat()}),
                (MASTER, {"request": chat(), "recent": "of-team"}),
            ):
                assert (await proxy.post(asked, path, bearer(key))).status == 200

    assert seated == ["key:", "key:team", "key:"] * 2
    assert tenants == ["", "team", "team"] * 2


async def test_inspection_uses_stored_signatures_and_the_deployments_limits(
    upstream: ScriptedUpstream,
) -> None:
    """Parameters are dropped, and the turn guard applies the key's limit."""
    upstream = ScriptedUpstream(unsupported=["seed"])
    signed = {"google": {"thought_signature": "c2lnbmF0dXJlLW9mLXRoZS1tb2RlbA=="}}
    one = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    upstream.then(answer(None, tool_calls=[{**one, "extra_content": signed}]))
    settings = settings_of(
        general_settings={"master_key": MASTER, "keys": [{"name": "team", "key": TEAM}]},
        turns={"mode": "enforce", "per_key": [{"key": "team", "max_rounds": 1}]},
    )
    async with proxied(settings, upstream) as proxy:
        said = (await proxy.post(chat("Do it."), headers=bearer(MASTER))).json
        used = said["choices"][0]["message"]["tool_calls"][0]["id"]
        asked = {
            "model": MODEL,
            "messages": [user("Do it."), assistant(None, [call(used, "f")]), tool(used, "done")],
            "seed": 3,
        }
        of_master, of_team = [
            (await proxy.post({"request": asked}, "/ui/api/look", bearer(key))).json for key in (MASTER, TEAM)
        ]

    assert of_master["body"]["messages"][1]["tool_calls"][0]["extra_content"] == signed
    assert of_master["parameters_dropped"] == ["seed"]
    assert [look["turns"]["wrap_up"] for look in (of_master, of_team)] == [None, "limit"]


async def test_bodies_are_not_kept_by_default(upstream: ScriptedUpstream) -> None:
    """The list of recent requests holds no text of a request or an answer."""
    upstream.then(answer("an answer that is told"))
    async with proxied(settings_of(), upstream) as proxy:
        await proxy.post(chat("a secret that is told"), headers={"x-request-id": "r1"})
        await proxy.idle()
        listed, one = await proxy.get("/ui/api/recent"), await proxy.get("/ui/api/recent/r1")
        models = await proxy.get("/ui/api/models")

    [entry] = listed.json["requests"]
    assert (entry["id"], entry["status"], entry["outcome"], entry["has_body"]) == ("r1", 200, "ok", False)
    assert listed.json["bounds"] == {"requests": 200, "mib": 0}
    assert b"told" not in listed.raw
    assert (one.status, one.error["code"]) == (404, "body_not_kept")
    assert models.json["bodies"] is False


async def test_request_is_inspected_for_a_model_a_profile_a_wildcard_or_all(
    upstream: ScriptedUpstream,
) -> None:
    """The shown body is the one that ``/v1/explain`` returns."""
    settings = settings_of({MODEL: "gemini/gemini-3.6-flash", "openai/*": "openai/*"})
    async with proxied(settings, upstream) as proxy:

        async def look(**target: str) -> Reply:
            return await proxy.post({"request": BROKEN, "target": target}, "/ui/api/look")

        by_model, by_profile = await look(model=MODEL), await look(profile="mistral")
        named, wildcard, none = [await look(model=name) for name in ("openai/gpt-4o", "openai/*", "none")]
        asked = {"request": {"model": "openai/gpt-4o", "messages": BROKEN}}
        rows = (await proxy.post(asked, "/ui/api/verdicts")).json["rows"]
        explained = await proxy.post({"model": MODEL, "messages": BROKEN}, "/v1/explain")

    assert by_model.json["target"] == {"model": MODEL}
    assert by_model.json["body"] == explained.json["body"]
    assert by_model.json["changes"] == explained.json["changes"]
    assert (by_profile.json["profile"], by_profile.json["deployment"]) == (
        "mistral",
        "mistral/mistral-large-latest",
    )
    assert (named.json["deployment"], wildcard.json["profile"]) == ("openai/gpt-4o", "openai")
    assert (none.status, none.error["code"]) == (404, "model_not_found")
    models = [row for row in rows if "model" in row["target"]]
    assert [row["target"]["model"] for row in models] == ["openai/gpt-4o", MODEL, "openai/*"]
    assert {row["verdict"] for row in rows} == {"repaired"}
    assert models[1]["changes"] == {"orphan_drop": 1, "user_prepend": 1}
    assert all(row["estimate"] for row in rows)
    assert upstream.calls == []


async def test_requests_of_the_page_are_neither_logged_nor_counted(
    upstream: ScriptedUpstream, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page's own requests are no requests of the API."""
    async with proxied(settings_of(), upstream) as proxy:
        await proxy.post({"request": BROKEN}, "/ui/api/look")
        await proxy.get("/ui/api/live")
        listed = await proxy.get("/ui/api/recent")
        counted = await proxy.count("requests_total")

    assert (listed.json["requests"], counted) == ([], 0)
    assert "request_finished" not in capsys.readouterr().out


@pytest.mark.parametrize("path", POSTS)
async def test_unreadable_request_of_the_page_is_a_400_that_names_it(
    upstream: ScriptedUpstream, path: str
) -> None:
    """The error's ``param`` names the faulty field."""
    async with proxied(settings_of(), upstream) as proxy:
        found = [await proxy.post(body, path) for body in (b"", b"{", b"{}", {"request": [{"role": "x"}]})]

    assert [reply.status for reply in found] == [400] * 4
    assert found[-1].error["param"] == "messages[0].role"


async def test_inspection_takes_a_place_and_obeys_max_body_mib(upstream: ScriptedUpstream) -> None:
    """The live sums are served although ``max_in_flight`` is reached."""
    general = {"max_in_flight": 1, "max_body_mib": 1}
    async with proxied(settings_of(general_settings=general), upstream) as proxy:
        large = await proxy.post({"request": [user("x" * 2**20)]}, "/ui/api/look")
        assert proxy.server.gateway.admission.admit("somebody", 0.0)
        shed = await proxy.post({"request": BROKEN}, "/ui/api/look")
        still = await proxy.get("/ui/api/live")

    assert (large.status, large.error["code"]) == (413, "body_too_large")
    assert (shed.status, shed.error["code"], still.status) == (503, "overloaded", 200)


async def test_request_is_counted_in_its_five_seconds(upstream: ScriptedUpstream) -> None:
    """Refused requests are counted as well."""
    upstream.then(answer("Hi."))
    async with proxied(settings_of(), upstream) as proxy:
        await proxy.post({"model": MODEL, "messages": BROKEN})
        await proxy.post({"model": "none", "messages": BROKEN})
        await proxy.idle()
        result = (await proxy.get("/ui/api/live")).json

    summed: dict[str, Any] = {"requests": sum(bucket["requests"] for bucket in result["buckets"])}
    assert (result["bucket_s"], len(result["buckets"]), result["in_flight"], summed["requests"]) == (
        5,
        120,
        0,
        2,
    )
    both = [bucket for bucket in result["buckets"] if bucket["requests"]]
    assert {name for bucket in both for name in bucket["errors"]} == {"model_not_found"}
    assert {name for bucket in both for name in bucket["changes"]} == {"orphan_drop", "user_prepend"}
    assert both[-1]["at"] <= result["now"] < both[-1]["at"] + 10


async def test_times_are_told_by_model(upstream: ScriptedUpstream) -> None:
    """Only a stream has a time to the first token.

    A refused request has no times, and an unknown model is named ``unknown``.
    """
    upstream.then(answer("Hi."))
    upstream.then(say("Hi."), STOP)
    async with proxied(settings_of(), upstream) as proxy:
        await proxy.post(chat())
        whole = (await proxy.get("/ui/api/live")).json["models"]
        await proxy.post(chat(stream=True))
        await proxy.post(chat(model="none"))
        await proxy.idle()
        known, unknown = (await proxy.get("/ui/api/live")).json["models"]

    assert [(row["model"], row["first_token_ms"]) for row in whole] == [(MODEL, None)]
    assert (known["model"], known["requests"], known["errors"]) == (MODEL, 2, {})
    assert 0 < known["first_token_ms"]["p50"] <= known["duration_ms"]["p95"] * 1.1
    assert (unknown["model"], unknown["requests"], unknown["errors"]) == (
        "unknown",
        1,
        {"model_not_found": 1},
    )
    assert (unknown["duration_ms"], unknown["first_token_ms"]) == (None, None)


async def test_changes_of_mode_observe_are_shown_and_not_counted(upstream: ScriptedUpstream) -> None:
    """The recent request shows the changes as the answer's header does."""
    upstream.then(answer("Hi."))
    async with proxied(settings_of(sanitize={"mode": "observe"}), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": BROKEN})
        await proxy.idle()
        [seen] = (await proxy.get("/ui/api/recent")).json["requests"]
        buckets = (await proxy.get("/ui/api/live")).json["buckets"]

    assert seen["changes"] == reply.headers["x-turnright-changes"] == "orphan_drop=1,user_prepend=1;observed"
    assert [bucket["changes"] for bucket in buckets if bucket["requests"]] == [{}]


@pytest.mark.parametrize(
    ("module", "work", "path", "asked"),
    [
        (receive_query, "read_query", "look", {"request": BROKEN}),
        (routes, "inspect_request", "look", {"request": BROKEN}),
        (routes, "verdict_row", "verdicts", {"request": BROKEN}),
        (routes, "request_to_json", "recent", None),
    ],
)
async def test_each_kind_of_work_runs_in_the_inspectors_thread(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, module: Any, work: str, path: str, asked: Any
) -> None:
    """The event loop and the clients' worker threads do not wait for an inspection."""
    real, threads = getattr(module, work), set()

    def noted(*given: Any, **named: Any) -> Any:
        threads.add(threading.current_thread().name.partition("_")[0])
        return real(*given, **named)

    monkeypatch.setattr(module, work, noted)
    async with proxied(settings_of(), upstream) as proxy:
        await proxy.post(chat())
        await proxy.idle()
        reply = await (proxy.get("/ui/api/recent") if asked is None else proxy.post(asked, f"/ui/api/{path}"))

    assert (reply.status, threads) == (200, {"inspector"})


async def test_recent_request_has_the_estimate_and_the_providers_count(upstream: ScriptedUpstream) -> None:
    """Outside the sample with exact estimates, the estimate is an upper bound."""
    counted = {"usage": {"prompt_tokens": 3600, "completion_tokens": 3, "total_tokens": 3603}}
    async with proxied(settings_of(), upstream) as proxy:
        for _ in range(8):
            upstream.then({**answer("Hi."), **counted})
            await proxy.post(chat("Hello. " * 2_000))
        await proxy.idle()
        recent = (await proxy.get("/ui/api/recent")).json["requests"]

    first, last = recent[-1], recent[0]
    assert (first["input_tokens"], first["estimate_at_most"]) == (3600, None)
    assert 2_000 < first["estimate"] < 8_000
    assert (last["estimate"], last["input_tokens"]) == (None, 3600)
    assert last["estimate_at_most"] > first["estimate"]
