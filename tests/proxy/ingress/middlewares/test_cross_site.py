"""Tests of the verdict on a request's headers, by which requests of foreign web pages are refused."""

from __future__ import annotations

import itertools

import pytest
from multidict import CIMultiDict

from proxy.ingress.middlewares.cross_site import Verdict, judge, may_send_body

ALLOWED = (("nas",), ("https://app.example", "chrome-extension://abc"))
JSON = "application/json"

HOSTS = {None: True, "127.0.0.1:4000": True, "nas:4000": True, "evil.example": False, "": False}
ORIGINS: dict[str | None, bool | None] = {
    None: None,
    "own": True,
    "https://app.example": True,
    "chrome-extension://abc": True,
    "https://app.example:8443": False,
    "http://app.example": False,
    "https://app.example.evil.example": False,
    "http://127.0.0.1:3000": False,
    "http://127.0.0.1": False,
    "https://127.0.0.1:4000": False,
    "null": False,
    "": False,
}
SITES = (None, "none", "same-origin", "same-site", "cross-site", "Cross-Site")
"""The values that browsers send in ``Sec-Fetch-Site``, and None for no header.

Requests of the process's own page are never cross-site.
"""


@pytest.mark.parametrize(("host", "origin", "site"), list(itertools.product(HOSTS, ORIGINS, SITES)))
def test_verdict_of_every_combination_of_host_origin_and_site(
    host: str | None, origin: str | None, site: str | None
) -> None:
    """The verdict on the host comes first. An allowed origin may be cross-site."""
    sent = f"http://{host}" if origin == "own" else origin
    listed = sent in ALLOWED[1]
    foreign = (origin == "own" and host is None) or ORIGINS[origin] is False
    crossing = site is not None and site.lower() == "cross-site" and not listed
    if not HOSTS[host]:
        expected = Verdict.FOREIGN_HOST
    else:
        expected = Verdict.FOREIGN_PAGE if foreign or crossing else Verdict.FINE

    assert judge(host, sent, site, JSON, ALLOWED) is expected


def test_own_origin_is_compared_without_case() -> None:
    """A request's origin is compared with its host regardless of case."""
    assert judge("LocalHost:4000", "http://localhost:4000", None, JSON, ALLOWED) is Verdict.FINE


@pytest.mark.parametrize(
    "content_type",
    [
        JSON,
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        " application/json ;x=y",
        "application/vnd.api+json",
        "application/problem+json; charset=utf-8",
    ],
)
def test_json_types_are_recognised(content_type: str) -> None:
    """A content type is JSON if it is ``application/json`` or ends in ``+json``. Parameters are ignored."""
    assert judge("localhost", None, None, content_type, ALLOWED) is Verdict.FINE


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "text/plain;charset=UTF-8",
        "text/plain; application/json",
        "text/plain;+json",
        "text/plain, application/json",
        "text/plain, a/b+json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=application/json",
        "application/jsonx",
        "application/octet-stream",
        "+json",
        "/+json",
        "json",
    ],
)
def test_types_of_simple_requests_and_other_types_are_no_json(content_type: str | None) -> None:
    """Types other than JSON are refused, since a page may send some of them without a CORS preflight."""
    assert judge("localhost", None, None, content_type, ALLOWED) is Verdict.OTHER_TYPE


BODIES = ({"Content-Length": "2"}, {"Transfer-Encoding": "chunked"}, {"content-length": "10"})


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(
    "marks",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": ""},
        {"Origin": "http://localhost"},
        {"origin": "null"},
        {"Sec-Fetch-Mode": "cors"},
        {"sec-fetch-dest": "empty"},
        {"Sec-Fetch-Anything-New": "1"},
    ],
)
def test_body_that_a_page_may_have_sent_is_refused(body: dict[str, str], marks: dict[str, str]) -> None:
    """A body that a web page may have sent is refused, even without a type.

    The browser then adds an ``Origin`` or ``Sec-Fetch`` header.
    """
    assert not may_send_body(CIMultiDict({**body, **marks}))
    assert may_send_body(CIMultiDict(marks))
    assert may_send_body(CIMultiDict({**marks, "Content-Length": "0"}))


@pytest.mark.parametrize("body", BODIES)
def test_body_without_a_type_and_without_a_browsers_mark_is_served(body: dict[str, str]) -> None:
    """A body without a type is served if no header shows that a browser sent it."""
    assert may_send_body(CIMultiDict({**body, "User-Agent": "x", "Sec": "y"}))
