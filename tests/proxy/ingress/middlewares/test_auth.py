"""Every API path requires the key, with and without ``/v1``. No answer shows the key."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest

from proxy.config import Settings
from proxy.config.schema.keys import FoundKey
from proxy.ingress.middlewares import auth
from proxy.ingress.routes.paths import LIVE, METRICS, READY, ROOT
from tests.support.proxied import Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

KEY = "tr-master-8c1f3a"

API: list[tuple[str, str]] = [
    (method, prefix + path)
    for prefix in ("/v1", "")
    for method, path in (
        ("POST", "/chat/completions"),
        ("POST", "/explain"),
        ("GET", "/models"),
        ("GET", "/models/gemini"),
    )
]
OPEN = (ROOT, *LIVE, *READY, METRICS)
REFUSED: dict[str, str | None] = {
    "none": None,
    "empty": "",
    "no scheme": KEY,
    "scheme alone": "Bearer",
    "wrong": "Bearer tr-master-8c1f3b",
    "beginning": f"Bearer {KEY[:-1]}",
    "longer": f"Bearer {KEY}x",
    "other case": f"Bearer {KEY.upper()}",
    "basic": f"Basic {KEY}",
    "token": f"Token {KEY}",
    "twice": f"Bearer {KEY} {KEY}",
    "list": f"Bearer x, Bearer {KEY}",
    "no ASCII": "Bearer schlüssel",
}


@pytest.fixture
def settings() -> Settings:
    """Return settings with a master key."""
    return settings_of(general_settings={"master_key": KEY})


async def ask(proxy: Proxied, method: str, path: str, authorization: str | None) -> Any:
    """Send a request to a path, with a valid body for a POST."""
    headers = {} if authorization is None else {"Authorization": authorization}
    return await (
        proxy.post(chat(), path, headers=headers) if method == "POST" else proxy.get(path, headers=headers)
    )


@pytest.mark.parametrize(("method", "path"), API)
async def test_every_api_path_requires_the_key(
    proxy: Proxied, upstream: ScriptedUpstream, method: str, path: str
) -> None:
    """Without a valid key each API path answers 401, and the answer holds no part of a key."""
    for authorization in REFUSED.values():
        reply = await ask(proxy, method, path, authorization)
        assert (reply.status, reply.error["code"]) == (401, "invalid_api_key")
        assert reply.error["type"] == "authentication_error"
        assert reply.headers["WWW-Authenticate"] == "Bearer"
        assert reply.headers["x-should-retry"] == "false"
        assert b"tr-master" not in reply.raw.lower()
        assert b"schl" not in reply.raw
    assert upstream.calls == []

    assert (await ask(proxy, method, path, f"Bearer {KEY}")).status == 200


@pytest.mark.parametrize("authorization", [f"bearer {KEY}", f"BEARER {KEY}", f"Bearer  {KEY}"])
async def test_scheme_in_any_case_and_with_several_spaces_is_accepted(
    proxy: Proxied, authorization: str
) -> None:
    """The scheme may be in any case, followed by several spaces (RFC 9110)."""
    assert (await ask(proxy, "GET", "/v1/models", authorization)).status == 200


@pytest.mark.parametrize("path", OPEN)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_health_and_metrics_need_no_key(proxy: Proxied, method: str, path: str) -> None:
    """Health and metrics need no key, since probes and scrapers have none."""
    assert (await proxy.request(method, path)).status == 200


@pytest.mark.parametrize(
    "path", ["/v1/nothing", "/nothing", "/metrics/", "//metrics", "/v1/metrics", "/livez/x"]
)
async def test_unknown_path_is_a_401_without_a_key(proxy: Proxied, path: str) -> None:
    """An unknown path is a 401 without a key, so that only clients with a key learn which paths exist."""
    assert (await proxy.get(path)).status == 401
    assert (await proxy.get(path, {"Authorization": f"Bearer {KEY}"})).status == 404


async def test_key_is_checked_before_the_body_is_read(proxy: Proxied) -> None:
    """A client without a key gets a 401 before its body is read."""
    assert (await proxy.post(b"{", headers={})).status == 401


def test_a_key_is_looked_up_by_its_digest() -> None:
    """The digest of the whole key decides, so that the time tells nothing of how much of a guess was right."""
    general = settings_of(
        general_settings={"master_key": KEY, "keys": [{"name": "ci", "key": "tr-ci"}]}
    ).general_settings

    assert general.find_key(hashlib.sha256(KEY.encode()).hexdigest()) == FoundKey("")
    assert general.find_key(hashlib.sha256(b"tr-ci").hexdigest()) == FoundKey("ci")
    assert general.find_key(KEY) is None
    assert set(map(len, general.keys_by_digest)) == {64}


HASHED = "tr-only-its-hash-is-in-the-file"
HOUR = datetime(2027, 1, 31, 12, tzinfo=UTC)


@pytest.fixture
async def dated(upstream: ScriptedUpstream) -> AsyncIterator[Proxied]:
    """Serve a proxy with a key that expires, and a key of which the file has only the hash."""
    digest = hashlib.sha256(HASHED.encode()).hexdigest().upper()
    keys = [
        {"name": "dated", "key": "tr-dated", "expires": "2027-01-31T13:00:00+01:00"},
        {"name": "hashed", "key_hash": f"sha256:{digest}"},
    ]
    async with proxied(settings_of(general_settings={"keys": keys}), upstream) as served:
        yield served


async def test_a_key_of_which_the_file_has_only_the_hash_is_valid(dated: Proxied) -> None:
    """A key is valid by its hash. The hash itself is no key."""
    assert (await ask(dated, "GET", "/v1/models", f"Bearer {HASHED}")).status == 200
    digest = hashlib.sha256(HASHED.encode()).hexdigest()
    for wrong in (digest, f"sha256:{digest}"):
        assert (await ask(dated, "GET", "/v1/models", f"Bearer {wrong}")).status == 401


@pytest.mark.parametrize(("before_s", "status"), [(0.001, 200), (0, 401), (-1, 401)])
async def test_a_key_is_refused_from_the_moment_it_expires(
    dated: Proxied, monkeypatch: pytest.MonkeyPatch, before_s: float, status: int
) -> None:
    """A key is valid until its moment. Then it gets a 401 that says so, on each path and header."""
    monkeypatch.setattr(auth, "wall_clock", lambda: HOUR.timestamp() - before_s)
    for headers in (
        {"Authorization": "Bearer tr-dated"},
        {"x-api-key": "tr-dated"},
        {"x-goog-api-key": "tr-dated"},
    ):
        reply = await dated.get("/v1/models", headers=headers)

        assert reply.status == status
        if status == 401:
            assert b"has expired" in reply.raw
            assert reply.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'
    assert (await ask(dated, "GET", "/v1/models", f"Bearer {HASHED}")).status == 200


@pytest.fixture
async def keyless(upstream: ScriptedUpstream) -> AsyncIterator[Proxied]:
    """Serve a proxy with no master key."""
    async with proxied(settings_of(), upstream) as served:
        yield served


@pytest.mark.parametrize("authorization", [None, "Bearer sk-client", "Basic x"])
async def test_any_key_is_accepted_where_none_is_configured(
    keyless: Proxied, authorization: str | None
) -> None:
    """Any key, or none, is accepted where no key is configured. SDKs always send some key."""
    assert (await ask(keyless, "POST", "/v1/chat/completions", authorization)).status == 200


GEMINI_PATHS = (
    "/v1beta/models",
    "/v1beta/models/m:countTokens",
    "/v1/models/m:generateContent",
    "/v1alpha/x",
)


@pytest.mark.parametrize("path", ["/v1/models", "/v1beta/models"])
@pytest.mark.parametrize("header", ["x-api-key", "X-Goog-Api-Key"])
async def test_key_may_come_in_the_headers_of_other_apis(proxy: Proxied, path: str, header: str) -> None:
    assert (await proxy.get(path, {header: KEY})).status == 200
    assert (await proxy.get(path, {header: f" {KEY} ", "Authorization": "Bearer unused"})).status == 200
    assert (await proxy.get(path, {header: f"{KEY}x"})).status == 401


@pytest.mark.parametrize("path", GEMINI_PATHS)
async def test_query_may_have_the_key_on_geminis_paths(proxy: Proxied, path: str) -> None:
    for query, is_accepted in (
        (f"key={KEY}", True),
        (f"%24key={KEY}", True),
        (f"key={KEY[:-1]}", False),
        ("key", False),
        ("k=1", False),
    ):
        reply = await proxy.request("POST" if ":" in path else "GET", f"{path}?{query}", data=b"{}")

        assert (reply.status != 401) is is_accepted
        assert b"tr-master" not in reply.raw


@pytest.mark.parametrize(("method", "path"), API)
async def test_query_has_no_key_on_other_paths(proxy: Proxied, method: str, path: str) -> None:
    assert (await proxy.request(method, f"{path}?key={KEY}&$key={KEY}", data=b"{}")).status == 401
