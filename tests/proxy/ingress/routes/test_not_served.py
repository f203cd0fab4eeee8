"""Tests of the paths of OpenAI's API that turnright does not serve."""

from __future__ import annotations

import aiohttp
import openai as openai_client
import pytest

from proxy.config import Settings
from proxy.ingress.routes.not_served import NOT_SERVED
from tests.support.proxied import Proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

KEY = {"general_settings": {"master_key": "sk-of-the-tests"}}

REQUESTS = [
    ("POST", "/v1/audio/speech", "audio"),
    ("POST", "/v1/audio/transcriptions", "audio"),
    ("POST", "/v1/audio/translations", "audio"),
    ("POST", "/v1/images/edits", "images"),
    ("POST", "/v1/images/generations", "images"),
    ("POST", "/v1/images/variations", "images"),
    ("POST", "/v1/rerank", "rerank"),
    ("POST", "/v1/moderations", "moderations"),
    ("POST", "/v1/files", "files"),
    ("GET", "/v1/files", "files"),
    ("GET", "/v1/files/file-1/content", "files"),
    ("DELETE", "/v1/files/file-1", "files"),
    ("POST", "/v1/batches", "batches"),
    ("POST", "/v1/batches/batch-1/cancel", "batches"),
]


@pytest.fixture
def settings(request: pytest.FixtureRequest) -> Settings:
    """Return settings without a key, or with the sections that a test names."""
    return settings_of(**getattr(request, "param", {}))


def test_table_of_requests_has_every_name() -> None:
    """The requests of the tests cover every name in ``NOT_SERVED``."""
    assert {name for _, _, name in REQUESTS} == set(NOT_SERVED.values())


@pytest.mark.parametrize("prefix", ["/v1", ""])
@pytest.mark.parametrize(("method", "path", "name"), REQUESTS)
async def test_unserved_path_is_refused_in_openais_envelope(
    proxy: Proxied, prefix: str, method: str, path: str, name: str
) -> None:
    """An unserved path gives a 501 in OpenAI's envelope, which SDKs do not retry."""
    body = {"data": b"{}"} if method == "POST" else {}
    reply = await proxy.request(method, path.replace("/v1", prefix, 1), **body)

    assert (reply.status, reply.error["code"]) == (501, "not_implemented")
    assert reply.error["type"] == "invalid_request_error"
    assert reply.error["message"].startswith(f"turnright does not serve {name}.")
    assert reply.headers["x-should-retry"] == "false"


@pytest.mark.parametrize("path", ["/v1/audiobooks", "/v1/filesystem", "/v2/files", "/v1/fine_tuning/jobs"])
async def test_other_unknown_path_is_a_404(proxy: Proxied, path: str) -> None:
    """A prefix in the table matches only whole segments of a path."""
    assert (await proxy.post(b"{}", path)).status == 404


@pytest.mark.parametrize("settings", [KEY], indirect=True)
async def test_key_is_required_on_unserved_paths(proxy: Proxied) -> None:
    """A client without a key gets the 401 of every other path."""
    refused = await proxy.post(b"{}", "/v1/files")
    allowed = await proxy.post(b"{}", "/v1/files", {"Authorization": "Bearer sk-of-the-tests"})

    assert (refused.status, allowed.status) == (401, 501)


async def test_form_is_refused_for_its_path_and_not_for_its_type(proxy: Proxied) -> None:
    """A form is refused with a 501 on an unserved path, since clients send files as forms.

    On other paths the type of a form is refused with 415 where no key is configured.
    """
    form = aiohttp.FormData({"model": "whisper-1"})
    form.add_field("file", b"RIFF", filename="a.wav")
    async with proxy.session.post(f"{proxy.origin}/v1/audio/transcriptions", data=form) as reply:
        assert reply.status == 501
    form = aiohttp.FormData({"model": "whisper-1"})
    form.add_field("file", b"RIFF", filename="a.wav")
    async with proxy.session.post(f"{proxy.origin}/v1/embeddings", data=form) as reply:
        assert reply.status == 415


async def test_foreign_page_gets_a_403_on_unserved_paths(proxy: Proxied) -> None:
    """A foreign page gets a 403, and does not learn that the path is unserved."""
    reply = await proxy.post(b"{}", "/v1/files", {"Origin": "https://other.example"})

    assert reply.status == 403


async def test_body_of_an_unserved_path_is_not_read(proxy: Proxied) -> None:
    """A client that waits for ``100 Continue`` gets the error, and its connection ends."""
    head = "POST /v1/files HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    reply = await proxy.raw(f"{head}Content-Length: 1000000\r\nExpect: 100-continue\r\n\r\n".encode())

    assert reply.status == 501
    assert reply.headers["Connection"] == "close"


async def test_openais_client_sends_the_request_once(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """The SDK raises the error without a retry."""
    asked = []

    async def note(request: object) -> None:
        asked.append(request)

    http = openai_client.DefaultAsyncHttpxClient(event_hooks={"request": [note]})
    async with openai_client.AsyncOpenAI(
        base_url=f"{proxy.origin}/v1", api_key="x", http_client=http
    ) as client:
        with pytest.raises(openai_client.InternalServerError, match="does not serve moderations"):
            await client.moderations.create(input="hello")

    assert len(asked) == 1
    assert upstream.calls == []


async def test_request_of_an_unserved_path_is_not_counted(proxy: Proxied) -> None:
    """Unserved paths have no metric series, like unknown paths."""
    await proxy.post(b"{}", "/v1/files")

    assert await proxy.count("requests_total") == 0
