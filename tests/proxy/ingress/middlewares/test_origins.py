"""Tests of the checks on requests of web pages without a key, and of the CORS headers for allowed pages."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any

import pytest

from proxy.config import Loaded
from proxy.ingress.routes.paths import LIVE, READY
from proxy.server.reload.renew_gateway import plan_renewal, renew_gateway
from proxy.server.serve import Serving
from tests.support.proxied import CHAT, MODEL, Proxied, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import GOOD_ANSWER, ScriptedUpstream

KEY = "tr-master-31"
PAGE, OTHER = "https://app.example", "https://evil.example"
BODY = json.dumps(chat()).encode()
JSON = "application/json"
OWN_HOST = "127.0.0.1:4000"

GENERAL: dict[str, dict[str, Any]] = {
    "no key": {},
    "no key, further names": {"allowed_hosts": ["nas"], "allowed_origins": [PAGE]},
    "key": {"master_key": KEY},
    "key, further names": {"master_key": KEY, "allowed_origins": [PAGE]},
    "open": {"allow_unauthenticated_access": True},
}
"""Values of ``general_settings``.

Requests are checked only where neither a key nor ``allow_unauthenticated_access`` is set.
"""

ROWS = [
    # host, origin, site, type: status without a key, and with allowed names
    (OWN_HOST, None, None, JSON, 200, 200),
    (OWN_HOST, None, None, None, 200, 200),
    (OWN_HOST, None, None, "text/plain", 415, 415),
    (OWN_HOST, None, None, "application/x-www-form-urlencoded", 415, 415),
    (OWN_HOST, None, "same-origin", None, 415, 415),
    (OWN_HOST, f"http://{OWN_HOST}", "same-origin", JSON, 200, 200),
    (OWN_HOST, f"http://{OWN_HOST}", "same-origin", "application/vnd.api+json; v=1", 200, 200),
    (OWN_HOST, f"http://{OWN_HOST}", "same-origin", None, 415, 415),
    (OWN_HOST, "http://127.0.0.1:3000", "same-site", JSON, 403, 403),
    (OWN_HOST, OTHER, "cross-site", "text/plain", 403, 403),
    (OWN_HOST, OTHER, None, JSON, 403, 403),
    (OWN_HOST, "null", "cross-site", JSON, 403, 403),
    (OWN_HOST, None, "cross-site", JSON, 403, 403),
    (OWN_HOST, PAGE, "cross-site", JSON, 403, 200),
    (OWN_HOST, PAGE, "cross-site", "text/plain", 403, 415),
    (OWN_HOST, PAGE, None, JSON, 403, 200),
    ("localhost", None, None, JSON, 200, 200),
    ("host.docker.internal:4000", None, None, JSON, 200, 200),
    ("192.168.1.9:4000", None, None, JSON, 200, 200),
    ("nas:4000", None, None, JSON, 403, 200),
    ("NAS.", "http://nas.", None, JSON, 403, 200),
    ("evil.example:4000", None, None, JSON, 403, 403),
    ("evil.example:4000", "http://evil.example:4000", "same-origin", JSON, 403, 403),
    ("evil.example:4000", PAGE, "cross-site", JSON, 403, 403),
    (None, None, None, JSON, 200, 200),
    (None, OTHER, None, JSON, 403, 403),
]
CODES = {403: "forbidden", 415: "unsupported_media_type"}


def head(method: str, path: str, headers: Mapping[str, str | None], size: int = 0) -> bytes:
    """Return a request's head. A header whose value is None is left out."""
    version = "1.0" if "Host" not in headers or headers["Host"] is None else "1.1"
    length = {"Content-Length": str(size)} if size else {}
    lines = [
        f"{name}: {value}"
        for name, value in {**headers, **length, "Connection": "close"}.items()
        if value is not None
    ]
    return "\r\n".join([f"{method} {path} HTTP/{version}", *lines, "", ""]).encode()


async def ask(
    proxy: Proxied, headers: Mapping[str, str | None], *, method: str = "POST", path: str = CHAT
) -> Reply:
    """Send a chat request, or a request without a body, with these headers alone."""
    body = BODY if method == "POST" else b""
    return await proxy.raw(head(method, path, headers, len(body)) + body)


@pytest.mark.parametrize("general", GENERAL)
async def test_each_combination_of_headers_and_settings_is_served_or_refused(general: str) -> None:
    """Each combination of headers and settings is served, or is refused without a call to the provider."""
    async with proxied(
        settings_of(general_settings=GENERAL[general]), upstream := ScriptedUpstream(GOOD_ANSWER)
    ) as proxy:
        for host, origin, site, content_type, bare, named in ROWS:
            headers = {
                "Host": host,
                "Origin": origin,
                "Sec-Fetch-Site": site,
                "Content-Type": content_type,
                "Authorization": f"Bearer {KEY}",
            }
            before = len(upstream.calls)
            reply = await ask(proxy, headers)
            expected = {"no key": bare, "no key, further names": named}.get(general, 200)
            assert reply.status == expected, headers
            assert len(upstream.calls) - before == (expected == 200), headers
            if expected != 200:
                assert reply.error["code"] == CODES[expected]
                assert reply.headers["x-should-retry"] == "false"


PATHS = (
    "/",
    "/metrics",
    "/v1/models",
    f"/v1/models/{MODEL}",
    "/ui",
    "/ui/app.js",
    "/ui/api/recent",
    "/nowhere",
)
PROBES = (*LIVE, *READY)


async def test_foreign_host_reaches_probes_alone_and_foreign_page_no_path(upstream: ScriptedUpstream) -> None:
    """A foreign host reaches only probes, for which load balancers use any name. A foreign page reaches no path."""
    foreign: dict[str, str | None] = {"Host": "evil.example"}
    page: dict[str, str | None] = {"Host": "localhost", "Sec-Fetch-Site": "cross-site"}
    async with proxied(settings_of(), upstream) as proxy:
        found = {
            (path, name): (await ask(proxy, headers, method="GET", path=path)).status
            for path in (*PATHS, *PROBES)
            for name, headers in (("host", foreign), ("page", page))
        }

    assert {found[path, "host"] for path in PATHS} == {403}
    assert {found[path, "host"] for path in PROBES} == {200}
    assert {found[path, "page"] for path in (*PATHS, *PROBES)} == {403}


async def test_admin_listener_has_the_same_rule_for_hosts(upstream: ScriptedUpstream) -> None:
    """On the admin listener metrics are refused under a host name that is neither an address nor allowed."""
    general = {"admin": {"host": "127.0.0.1", "port": 0}, "allowed_hosts": ["turnright"]}
    async with proxied(settings_of(general_settings=general), upstream) as proxy:
        admin = Proxied(_at_admin(proxy.server), proxy.session)
        found = [
            (await ask(admin, {"Host": host}, method="GET", path=path)).status
            for path in ("/metrics", "/readyz")
            for host in ("10.0.0.7:9464", "turnright:9464", "evil.example:9464")
        ]

    assert found == [200, 200, 403, 200, 200, 200]


def _at_admin(server: Serving) -> Any:
    """Return a stand-in for *server* that has the admin listener's port."""
    return type("AtAdmin", (), {"port": server.admin_port})


async def test_refusal_names_the_setting_or_the_header(upstream: ScriptedUpstream) -> None:
    """A refusal names the setting or the header to change, and does not repeat the page's origin."""
    async with proxied(settings_of(), upstream) as proxy:
        host = await ask(proxy, {"Host": "nas"})
        page = await ask(proxy, {"Host": OWN_HOST, "Origin": PAGE})
        kind = await ask(proxy, {"Host": OWN_HOST, "Content-Type": "application/x-www-form-urlencoded"})

    assert "general_settings.allowed_hosts" in host.error["message"]
    assert "general_settings.allowed_origins" in page.error["message"]
    assert "Content-Type: application/json" in kind.error["message"]
    for reply in (host, page, kind):
        assert b"app.example" not in reply.raw
        assert "Access-Control-Allow-Origin" not in reply.headers


ASKED = "authorization,content-type,x-stainless-lang"


@pytest.mark.parametrize("general", ["no key, further names", "key, further names"])
@pytest.mark.parametrize("path", [CHAT, "/v1/models", "/nowhere"])
async def test_preflight_of_an_allowed_page_needs_no_key(
    upstream: ScriptedUpstream, general: str, path: str
) -> None:
    """The browser sends a preflight without a key. An allowed page may send any header."""
    asked = {
        "Host": OWN_HOST,
        "Origin": PAGE,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": ASKED,
    }
    async with proxied(settings_of(general_settings=GENERAL[general]), upstream) as proxy:
        reply = await proxy.request("OPTIONS", path, headers=asked)
        local = {**asked, "Access-Control-Request-Private-Network": "true"}
        private = await proxy.request("OPTIONS", path, headers=local)
        strange = await proxy.request(
            "OPTIONS", path, headers={**asked, "Access-Control-Request-Headers": "a\u00e4"}
        )
        plain = await proxy.request("OPTIONS", path, headers={"Host": OWN_HOST, "Origin": PAGE})

    assert (reply.status, reply.raw) == (204, b"")
    assert reply.headers["Access-Control-Allow-Origin"] == PAGE
    assert reply.headers["Access-Control-Allow-Headers"] == ASKED
    assert "POST" in reply.headers["Access-Control-Allow-Methods"]
    assert reply.headers["Vary"] == "Origin"
    assert "Access-Control-Allow-Private-Network" not in reply.headers
    assert private.headers["Access-Control-Allow-Private-Network"] == "true"
    assert strange.headers["Access-Control-Allow-Headers"] == "Authorization, Content-Type"
    assert plain.status in {401, 404, 405}


@pytest.mark.parametrize(
    ("general", "origin", "status"),
    [
        ("no key", PAGE, 403),
        ("no key, further names", OTHER, 403),
        ("no key, further names", "null", 403),
        ("key", PAGE, 401),
        ("key, further names", OTHER, 401),
        ("open", PAGE, 405),
    ],
)
async def test_preflight_of_another_page_gets_no_permission(
    upstream: ScriptedUpstream, general: str, origin: str, status: int
) -> None:
    """The answer to the preflight of a page that is not allowed has no CORS header."""
    asked = {"Host": OWN_HOST, "Origin": origin, "Access-Control-Request-Method": "POST"}
    async with proxied(settings_of(general_settings=GENERAL[general]), upstream) as proxy:
        reply = await proxy.request("OPTIONS", CHAT, headers=asked)

    assert reply.status == status
    assert not any(name.lower().startswith("access-control") for name in reply.headers)


@pytest.mark.parametrize("general", ["no key, further names", "key, further names"])
async def test_answers_to_an_allowed_page_have_cors_headers(general: str) -> None:
    """Answers, streams, errors and lists have the CORS headers. Requests without an ``Origin`` get no CORS headers."""
    bodies = (chat(), chat(stream=True), {**chat(), "model": "none"}, b"{")
    origin = {"Origin": PAGE, "Authorization": f"Bearer {KEY}"}
    async with proxied(
        settings_of(general_settings=GENERAL[general]), ScriptedUpstream(GOOD_ANSWER)
    ) as proxy:
        read = [await proxy.post(body, headers=origin) for body in bodies]
        read += [await proxy.get(path, origin) for path in ("/v1/models", "/nowhere", "/metrics")]
        refused = await proxy.post(chat(), headers={**origin, "Authorization": "Bearer x"})
        none = [await proxy.post(body, headers={"Authorization": f"Bearer {KEY}"}) for body in bodies]

    assert [reply.status for reply in read] == [200, 200, 404, 400, 200, 404, 200]
    assert refused.status == (401 if "master_key" in GENERAL[general] else 200)
    for reply in (*read, refused):
        assert reply.headers["Access-Control-Allow-Origin"] == PAGE
        assert reply.headers["Access-Control-Expose-Headers"] == "*"
        assert reply.headers["Vary"] == "Origin"
        assert "Access-Control-Allow-Credentials" not in reply.headers
    for reply, said in itertools.product(
        none, ("Access-Control-Allow-Origin", "Access-Control-Expose-Headers")
    ):
        assert said not in reply.headers


async def test_reload_applies_new_origins_and_hosts(upstream: ScriptedUpstream) -> None:
    """A reload applies new allowed origins and hosts without a restart."""
    headers = {"Host": "nas", "Origin": PAGE}
    async with proxied(settings_of(), upstream) as proxy:
        before = await ask(proxy, headers)
        current = proxy.server.current
        wanted = Loaded(settings_of(general_settings=GENERAL["no key, further names"]), ()).settings
        renewal = plan_renewal(current.gateway.settings, wanted)
        current.gateway = renew_gateway(current.gateway, renewal)
        after = await ask(proxy, {**headers, "Content-Type": JSON})

    assert (before.status, after.status) == (403, 200)
    assert renewal.changes.keys == ("general_settings.allowed_hosts", "general_settings.allowed_origins")
    assert renewal.changes.needs_restart == ()
