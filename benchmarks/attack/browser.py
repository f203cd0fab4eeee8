"""Count the requests of foreign pages that a proxy without keys serves, and the honest requests that it refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.attack import bodies
from benchmarks.attack.child import Provider, Proxy, deployment, proxy
from benchmarks.attack.exchange import Answer, exchange, request
from benchmarks.attack.goals import BROWSER, HONEST, Row
from benchmarks.attack.verdicts import Figure

_MANNER = "ok.browser"
_LONGEST_S = 5.0
_CHAT = bodies.chat("ok", bodies.CHAT["short messages"](40))
_EVIL = "https://evil.example"

_POSTED: Mapping[str, bytes] = {
    "/v1/chat/completions": _CHAT,
    "/chat/completions": _CHAT,
    "/v1/completions": bodies.chat("ok", b'"prompt":"a"'),
    "/v1/embeddings": bodies.chat("ok", b'"input":"a"'),
    "/v1/explain": _CHAT,
    "/ui/api/look": bodies.looked_at("ok", bodies.CHAT["short messages"](40)),
}
_READ = ("/v1/models", "/models", "/v1/models/ok", "/ui/api/models", "/ui/api/recent", "/ui/", "/")

_FROM_ELSEWHERE: Mapping[str, Mapping[str, str]] = {
    "a foreign Host": {"Host": "evil.example"},
    "a foreign Host with a port": {"Host": "evil.example:4000"},
    "a Host that begins as an address": {"Host": "127.0.0.1.evil.example"},
    "a Host that ends as localhost": {"Host": "evil-localhost"},
    "a foreign Origin": {"Origin": _EVIL},
    "an Origin that begins as an address": {"Origin": "http://127.0.0.1.evil.example"},
    "an Origin that ends as an address": {"Origin": "http://evil.example#127.0.0.1"},
    "the Origin of a sandbox": {"Origin": "null"},
    "Sec-Fetch-Site: cross-site": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
}
"""Headers by which the proxy can tell that a foreign page sent a request, of any method.

The rest of the request is honest.
"""

_FOR_BODIES: Mapping[str, Mapping[str, str]] = {
    "text/plain": {"Content-Type": "text/plain"},
    "text/plain, a foreign Origin": {"Content-Type": "text/plain", "Origin": _EVIL},
    "a form": {"Content-Type": "application/x-www-form-urlencoded"},
    "a multipart form": {"Content-Type": "multipart/form-data; boundary=a"},
    "JSON as a parameter": {"Content-Type": "text/plain; application/json"},
    "no type, and an Origin": {"Content-Type": "", "Origin": "http://127.0.0.1"},
    "no type, and Sec-Fetch-Mode": {"Content-Type": "", "Sec-Fetch-Mode": "no-cors"},
}

_OWN: Mapping[str, Mapping[str, str]] = {
    "an address": {},
    "localhost": {"Host": "localhost:4000"},
    "localhost over IPv6": {"Host": "[::1]:4000"},
    "Docker's name of the host": {"Host": "host.docker.internal:4000"},
    "Podman's name of the host": {"Host": "host.containers.internal:4000"},
    "JSON with a charset": {"Content-Type": "application/json; charset=utf-8"},
    "another JSON": {"Content-Type": "application/vnd.api+json"},
    "no type": {"Content-Type": ""},
    "the inspector's page": {
        "Host": "127.0.0.1:4000",
        "Origin": "http://127.0.0.1:4000",
        "Sec-Fetch-Site": "same-origin",
    },
}
"""Headers of honest clients, which the proxy must serve."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request, with the name of its case."""

    case: str
    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def bytes(self) -> bytes:
        """The bytes of the request, with its body if the method is POST."""
        body = _POSTED.get(self.path, b"") if self.method == "POST" else b""
        return request(self.path, body, method=self.method, headers=self.headers)


def foreign() -> Iterator[Sent]:
    """Yield the requests that a foreign page can send. The proxy must refuse all of these requests."""
    for case, headers in _FROM_ELSEWHERE.items():
        yield from (Sent(case, "POST", path, headers) for path in _POSTED)
        yield from (Sent(case, "GET", path, headers) for path in _READ if _is_guarded(path, case))
    for case, headers in _FOR_BODIES.items():
        yield from (Sent(case, "POST", path, headers) for path in _POSTED)


def _is_guarded(path: str, case: str) -> bool:
    """Tell whether a GET of *path* with the headers of *case* must be refused.

    The inspector's page and the root hold no data, and other sites may link there. So a GET of these two is refused
    only with a foreign Host.
    """
    return path not in ("/ui/", "/") or "Host" in case


def own() -> Iterator[Sent]:
    """Yield the requests of honest clients, which the proxy must serve."""
    for case, headers in _OWN.items():
        yield from (Sent(case, "POST", path, headers) for path in _POSTED)
        yield from (Sent(case, "GET", path, headers) for path in ("/v1/models", "/ui/api/models"))
    for path in ("/livez", "/readyz"):
        yield Sent("a probe by the pod's name", "GET", path, {"Host": "turnright.pod.internal:4000"})


def run(directory: Path, provider: Provider, seconds: float, *, wanted: str) -> list[Figure]:
    """Return, for each case, the number of requests that were wrongly served or wrongly refused."""
    models = [deployment("ok", "openai/gpt-4.1", provider.base(_MANNER))]
    config = {"model_list": models, "general_settings": {"drain_delay": 0, "drain_grace": 0}}
    figures = []
    with proxy(directory, config) as running:
        for row, table in ((BROWSER, list(foreign())), (HONEST, list(own()))):
            for case in dict.fromkeys(sent.case for sent in table):
                if wanted in f"{row.key} {case}":
                    figures.append(
                        _judge(row, case, [one for one in table if one.case == case], running, provider)
                    )
        if wanted in f"{BROWSER.key} {_PREFLIGHT}":
            figures.append(_preflight(running))
    return figures


def _judge(row: Row, case: str, table: list[Sent], running: Proxy, provider: Provider) -> Figure:
    """Send the requests of one case, and count the wrong outcomes."""
    wrong = []
    for sent in table:
        before = provider.calls(_MANNER)
        answer = exchange(running.port, sent.bytes, _LONGEST_S)
        served = answer.status // 100 == 2 or provider.calls(_MANNER) > before
        if served is (row is BROWSER):
            wrong.append(f"{sent.method} {sent.path} {answer.status}")
    return Figure(row, case, float(len(wrong)), f"of {len(table)}" + "".join(f"; {one}" for one in wrong[:2]))


_PREFLIGHT = "preflight of a foreign page"


def _preflight(running: Proxy) -> Figure:
    asked = {
        "Origin": _EVIL,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
        "Content-Type": "",
    }
    answers: list[Answer] = [
        exchange(running.port, request(path, method="OPTIONS", headers=asked), _LONGEST_S) for path in _POSTED
    ]
    allowed = sum(bool(answer.headers.get("access-control-allow-origin")) for answer in answers)
    return Figure(BROWSER, _PREFLIGHT, float(allowed), json.dumps(sorted({one.status for one in answers})))
