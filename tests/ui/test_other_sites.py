"""Tests pages of other origins in a real browser.

A page of an allowed origin reads answers and streams. Any other page gets nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from typing_extensions import override

from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.ui.conftest import configure


class _EmptyPage(BaseHTTPRequestHandler):
    """Answers each path with an empty page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()

    @override
    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """Serve an empty page on two origins of one port, `localhost` and `127.0.0.1`, and yield the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _EmptyPage)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield str(server.server_address[1])
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def guarded(directory: Path, gemini: Gemini, site: str) -> Iterator[Served]:
    """Serve without a key. Pages of `localhost` are allowed, and pages of `127.0.0.1` are not."""
    config = configure(gemini.api_base, allowed_origins=[f"http://localhost:{site}"])
    with serve(directory, config) as process:
        yield process


ASK = """async ([address, type, stream]) => {
  const body = JSON.stringify({model: "gemini", messages: [{role: "user", content: "Hello."}], stream});
  const headers = {"x-stainless-lang": "js"};
  if (type !== null) headers["Content-Type"] = type;
  try {
    const simple = type !== "application/json";
    const answer = await fetch(address, {method: "POST", body: simple ? new Blob([body], {type: type ?? ""}) : body,
                                         headers: simple ? {} : headers});
    return [answer.status, answer.headers.get("x-turnright-model"), await answer.text()];
  } catch (error) {
    return ["unreadable", null, ""];
  }
}"""


def requests_served(served: Served) -> int:
    """Return the number of requests that were answered successfully so far."""
    text = httpx.get(f"{served.origin}/metrics", trust_env=False, timeout=30).text
    return sum(
        int(float(line.rpartition(" ")[2]))
        for line in text.splitlines()
        if line.startswith("turnright_requests_total") and 'outcome="ok"' in line
    )


@pytest.mark.parametrize("stream", [False, True])
def test_allowed_page_reads_answers(browser: Any, guarded: Served, site: str, stream: bool) -> None:
    """An allowed page reads answers, streams and turnright's headers.

    The request's JSON and an SDK's header cause a preflight.
    """
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"http://localhost:{site}/")
        status, model, text = page.evaluate(
            ASK, [f"{guarded.base_url}/chat/completions", "application/json", stream]
        )

    assert (status, model) == (200, "gemini/gemini-3.6-flash")
    assert "Hello." in text or "I read" in text


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", None])
def test_other_page_neither_reads_nor_spends(
    browser: Any, guarded: Served, site: str, content_type: str | None
) -> None:
    """A page of another origin reads nothing, and its request does not reach the provider.

    This holds with a preflight and without a preflight.
    """
    before = requests_served(guarded)
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{site}/")
        found = page.evaluate(ASK, [f"{guarded.base_url}/chat/completions", content_type, False])

    assert found == ["unreadable", None, ""]
    assert requests_served(guarded) == before
