"""The paths of OpenAI's API that turnright does not serve."""

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
    """Return settings that ask for no key, or the sections that a test names."""
    return settings_of(**getattr(request, "param", {}))


def test_requests_of_every_beginning_are_tried() -> None:
    """The table below has each name of the table in the code."""
    assert {name for _, _, name in REQUESTS} == set(NOT_SERVED.values())


@pytest.mark.parametrize("prefix", ["/v1", ""])
@pytest.mark.parametrize(("method", "path", "name"), REQUESTS)
async def test_path_is_refused_in_openais_envelope(
    proxy: Proxied, prefix: str, method: str, path: str, name: str
) -> None:
    """The error is a 501 that no SDK tries again, with the name of what is not there."""
    body = {"data": b"{}"} if method == "POST" else {}
    reply = await proxy.request(method, path.replace("/v1", prefix, 1), **body)

    assert (reply.status, reply.error["code"]) == (501, "not_implemented")
    assert reply.error["type"] == "invalid_request_error"
    assert reply.error["message"].startswith(f"turnright does not serve {name}.")
    assert reply.headers["x-should-retry"] == "false"


@pytest.mark.parametrize("path", ["/v1/audiobooks", "/v1/filesystem", "/v2/files", "/v1/fine_tuning/jobs"])
async def test_any_other_path_is_not_found(proxy: Proxied, path: str) -> None:
    """A beginning ends at a slash, and a path in no table is a 404."""
    assert (await proxy.post(b"{}", path)).status == 404


@pytest.mark.parametrize("settings", [KEY], indirect=True)
async def test_key_is_asked_for_first(proxy: Proxied) -> None:
    """Without the key the answer is the one of every other path."""
    refused = await proxy.post(b"{}", "/v1/files")
    allowed = await proxy.post(b"{}", "/v1/files", {"Authorization": "Bearer sk-of-the-tests"})

    assert (refused.status, allowed.status) == (401, 501)


async def test_form_is_refused_for_its_path_and_not_for_its_type(proxy: Proxied) -> None:
    """Clients send audio and files as forms, whose type is refused elsewhere where no key is asked for."""
    form = aiohttp.FormData({"model": "whisper-1"})
    form.add_field("file", b"RIFF", filename="a.wav")
    async with proxy.session.post(f"{proxy.origin}/v1/audio/transcriptions", data=form) as reply:
        assert reply.status == 501
    form = aiohttp.FormData({"model": "whisper-1"})
    form.add_field("file", b"RIFF", filename="a.wav")
    async with proxy.session.post(f"{proxy.origin}/v1/embeddings", data=form) as reply:
        assert reply.status == 415


async def test_foreign_page_is_refused_first(proxy: Proxied) -> None:
    """A page of another site learns of these paths what it learns of all."""
    reply = await proxy.post(b"{}", "/v1/files", {"Origin": "https://other.example"})

    assert reply.status == 403


async def test_body_is_not_asked_for(proxy: Proxied) -> None:
    """A client that waits to be asked for its body gets the error instead, and its connection ends."""
    head = "POST /v1/files HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    reply = await proxy.raw(f"{head}Content-Length: 1000000\r\nExpect: 100-continue\r\n\r\n".encode())

    assert reply.status == 501
    assert reply.headers["Connection"] == "close"


async def test_openais_client_asks_once(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """OpenAI's SDK raises the error with its words, does not retry, and nothing goes to a provider."""
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


async def test_request_is_not_counted(proxy: Proxied) -> None:
    """Paths that are not served have no series in the metrics, as paths that are not known."""
    await proxy.post(b"{}", "/v1/files")

    assert await proxy.count("requests_total") == 0
