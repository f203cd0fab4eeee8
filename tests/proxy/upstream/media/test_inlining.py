"""Tests, through the whole proxy, of images that clients name by URL and that the proxy fetches."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.upstream.media.fetching import MediaFetcher
from proxy.upstream.media.inlining import MAX_IMAGES
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.conftest import OUR_KEY, TRANSPORTS, LogLines, settings_on
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.proxy.upstream.media.image_server import ImageServer, Names, serving_images
from tests.support.anthropic_emulator import serving_anthropic
from tests.support.builders import assistant, call, image, text, tool, user
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.proxied import GEMINI, proxied
from tests.support.scripted_upstream import ScriptedUpstream

pytestmark = LITELLM_NOISE

FETCH = {"media": {"fetch": True, "timeout": 2}}


@pytest.fixture
async def images() -> AsyncIterator[ImageServer]:
    """Serve images."""
    async with serving_images() as server:
        yield server


@pytest.fixture
def open_guard(images: ImageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the test's server count as public."""
    opened = functools.partial(
        MediaFetcher,
        public=lambda host: host == "127.0.0.1",
        resolver=Names(images_test=[["127.0.0.1"]]),
        ports=frozenset({images.port}),
    )
    monkeypatch.setattr("proxy.server.app.MediaFetcher", opened)


def blobs(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the inline data in a request to Gemini."""
    contents = entry["body"]["contents"]
    parts = [part for content in contents for part in content["parts"]]
    return [part.get("inlineData") or part.get("inline_data") for part in parts if "text" not in part]


@TRANSPORTS
async def test_fetched_image_reaches_the_provider_inline(
    gemini: GeminiEmulator, images: ImageServer, open_guard: None, transport: str, log_lines: LogLines
) -> None:
    """The header ``x-turnright-changes`` counts the fetch. The image's address is in no log line, metric or header."""
    models = {"gemini": {"model": GEMINI, "api_base": f"{gemini.base}/v1beta", "api_key": OUR_KEY}}
    settings = settings_on(transport, models, general_settings=FETCH)
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        history = [user([text("Look."), image(images.url("/a.jpg?token=s3cret"))])]
        reply = await proxy.post({"model": "gemini", "messages": history})
        metrics = str(await proxy.metrics())

    assert reply.status == 200
    assert reply.headers["x-turnright-changes"] == "media=1"
    [entry] = await gemini.journal()
    assert [blob.get("mimeType") or blob.get("mime_type") for blob in blobs(entry)] == ["image/jpeg"]
    told = json.dumps(log_lines()) + metrics + str(reply.headers)
    assert "s3cret" not in told
    assert "images.test" not in told


async def test_claude_gets_https_addresses_and_fetched_http_images(
    images: ImageServer, open_guard: None
) -> None:
    """Claude fetches from https addresses itself, and from no others."""
    async with serving_anthropic() as claude:
        models = {
            "claude": {"model": "anthropic/claude-opus-4-8", "api_base": claude.base_url, "api_key": OUR_KEY}
        }
        settings = settings_on("direct", models, general_settings=FETCH)
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            history = [user([image(images.url("/a.png")), image("https://images.test/b.png"), text("Look.")])]
            reply = await proxy.post({"model": "claude", "messages": history})

    assert reply.status == 200, reply.error
    [entry] = claude.requests
    sources = [block["source"] for block in entry.body["messages"][0]["content"] if "source" in block]
    assert [source["type"] for source in sources] == ["base64", "url"]
    assert sources[1]["url"] == "https://images.test/b.png"
    assert images.hits == {"/a.png": 1}


@TRANSPORTS
async def test_addresses_of_the_own_network_are_refused(
    gemini: GeminiEmulator, images: ImageServer, transport: str
) -> None:
    """The client gets the reason, and no request is sent."""
    models = {"gemini": {"model": GEMINI, "api_base": f"{gemini.base}/v1beta", "api_key": OUR_KEY}}
    settings = settings_on(transport, models, general_settings=FETCH)
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        for host in ("127.0.0.1", "localhost"):
            history = [user([text("Look."), image(f"http://{host}/latest/meta-data?token=s3cret")])]
            reply = await proxy.post({"model": "gemini", "messages": history})

            assert reply.status == 400
            assert reply.error["param"] == "messages[0].content[1].image_url"
            assert f"the image at '{host}' is not at a public address" in reply.error["message"]
            assert "s3cret" not in reply.error["message"]
    assert await gemini.journal() == []


@pytest.fixture
def scripted(open_guard: None) -> Callable[..., Any]:
    """Return a function that serves the proxy with fetching switched on and a scripted upstream."""

    def serve(upstream: ScriptedUpstream, models: dict[str, Any], **sections: Any) -> Any:
        general = sections.pop("general_settings", FETCH)
        return proxied(settings_on("litellm", models, general_settings=general, **sections), upstream)

    return serve


def urls(upstream: ScriptedUpstream, call: int = -1) -> list[str]:
    """Return the addresses of the images of one call upstream."""
    return [
        part["image_url"]["url"]
        for message in upstream.calls[call].messages
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    ]


async def test_retries_and_fallbacks_fetch_once(scripted: Callable[..., Any], images: ImageServer) -> None:
    """Retries and a fallback use the image that the first attempt fetched."""
    down = UpstreamFault("down", upstream_status=503)
    upstream = ScriptedUpstream([down], [down], [down])
    names = {"gemini": GEMINI, "old": "gemini/gemini-2.5-flash", "gpt": "openai/gpt-4.1"}
    models = {name: {"model": model} for name, model in names.items()}
    router = {"num_retries": 1, "fallbacks": [{"gemini": ["old", "gpt"]}], "cooldown_time": 0}
    async with scripted(upstream, models, router_settings=router) as proxy:
        address = images.url("/a.png")
        reply = await proxy.post({"model": "gemini", "messages": [user([text("a"), image(address)])]})

    assert reply.status == 200
    kinds = [urls(upstream, at)[0][:5] for at in range(len(upstream.calls))]
    assert kinds[:3] == ["data:", "data:", "data:"]
    assert images.hits == {"/a.png": 1}


@pytest.mark.parametrize("mode", ["observe", "strict", "off"])
async def test_only_the_mode_repair_fetches(
    scripted: Callable[..., Any], images: ImageServer, mode: str
) -> None:
    """In the modes ``observe``, ``strict`` and ``off``, the proxy fetches no image."""
    upstream = ScriptedUpstream()
    async with scripted(upstream, {"gemini": {"model": GEMINI}}, sanitize={"mode": mode}) as proxy:
        await proxy.post({"model": "gemini", "messages": [user([image(images.url("/a.png"))])]})

    assert images.hits.total() == 0


async def test_unfetched_image_of_an_old_turn_becomes_a_note(
    scripted: Callable[..., Any], images: ImageServer
) -> None:
    """An image of an old turn or of a tool result becomes a note if it cannot be fetched."""
    upstream = ScriptedUpstream()
    history = [
        user([text("a"), image(images.url("/missing"))]),
        assistant("b"),
        user("c"),
        assistant(calls=[call("c")]),
        tool("c", [image(images.url("/a.png")), image(images.url("/page"))]),
    ]
    async with scripted(upstream, {"gemini": {"model": GEMINI}}) as proxy:
        reply = await proxy.post({"model": "gemini", "messages": history})

    assert reply.headers["x-turnright-changes"] == "media=3"
    assert [url[:15] for url in urls(upstream)] == ["data:image/png;"]


async def test_newest_images_are_fetched_up_to_the_limit(
    scripted: Callable[..., Any], images: ImageServer
) -> None:
    """In an old turn, images over the limit are left out. In the newest turn, one image too many is refused."""
    upstream = ScriptedUpstream()
    parts = [image(images.url(f"/{number}.png")) for number in range(MAX_IMAGES + 1)]
    async with scripted(upstream, {"gemini": {"model": GEMINI}}) as proxy:
        old = await proxy.post({"model": "gemini", "messages": [user(parts), assistant("b"), user("c")]})
        new = await proxy.post({"model": "gemini", "messages": [user(parts)]})

    assert old.status == 200
    assert len(urls(upstream)) == MAX_IMAGES
    assert (new.status, new.error["param"]) == (400, "messages[0].content[0].image_url")
    assert "one too many" in new.error["message"]


async def test_image_that_is_named_many_times_is_sent_up_to_the_limit(
    scripted: Callable[..., Any], images: ImageServer
) -> None:
    """A small request that names one image many times must not become a large one."""
    upstream = ScriptedUpstream()
    parts = [image(images.url("/a.png")) for _ in range(MAX_IMAGES + 3)]
    async with scripted(upstream, {"gemini": {"model": GEMINI}}) as proxy:
        reply = await proxy.post({"model": "gemini", "messages": [user(parts), assistant("ok"), user("?")]})

    assert reply.status == 200
    assert len(urls(upstream)) == MAX_IMAGES


async def test_model_that_fetches_by_itself_gets_the_address(
    scripted: Callable[..., Any], images: ImageServer
) -> None:
    """The history is sent unchanged."""
    upstream = ScriptedUpstream()
    async with scripted(upstream, {"gpt": {"model": "openai/gpt-4.1"}}) as proxy:
        reply = await proxy.post({"model": "gpt", "messages": [user([image(images.url("/a.png"))])]})

    assert "x-turnright-changes" not in reply.headers
    assert urls(upstream) == [images.url("/a.png")]
    assert images.hits.total() == 0


def holder(name: str) -> dict[str, str]:
    """Return the header with the proxy key of the client *name*."""
    return {"Authorization": f"Bearer sk-of-{name}"}


async def test_slow_images_of_one_key_do_not_delay_another(
    scripted: Callable[..., Any], images: ImageServer
) -> None:
    """Both clients have one IP address, as behind an ingress. The key's name tells them apart."""
    keys = [{"name": name, "key": f"sk-of-{name}"} for name in ("greedy", "modest")]
    general = {"media": {"fetch": True, "timeout": 60}, "keys": keys}
    models = {"gemini": {"model": GEMINI}}
    async with scripted(ScriptedUpstream(), models, general_settings=general) as proxy:
        many = [user([image(images.url(f"/silent?{n}")) for n in range(MAX_IMAGES)])]
        body = {"model": "gemini", "messages": many}
        slow = [asyncio.ensure_future(proxy.post(body, headers=holder("greedy"))) for _ in range(13)]
        async with asyncio.timeout(30):
            while images.hits["/silent"] < 6:  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.01)

        one = {"model": "gemini", "messages": [user([image(images.url("/a.png"))])]}
        reply = await proxy.post(one, headers=holder("modest"))

        assert reply.status == 200
        assert images.hits == {"/silent": 6, "/a.png": 1}
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        await proxy.idle()


async def test_the_deadline_ends_a_request_that_waits_for_images(
    scripted: Callable[..., Any], images: ImageServer
) -> None:
    """The client gets a 504 that names the setting. No fallback is asked, since the time is over."""
    upstream = ScriptedUpstream()
    models = {"gemini": {"model": GEMINI}, "other": {"model": "openai/gpt-4.1"}}
    router = {"timeout": 1, "fallbacks": [{"gemini": ["other"]}]}
    general = {"media": {"fetch": True, "timeout": 60}}
    async with scripted(upstream, models, general_settings=general, router_settings=router) as proxy:
        many = [user([image(images.url(f"/silent?{n}")) for n in range(MAX_IMAGES)])]
        reply = await proxy.post({"model": "gemini", "messages": many})

    assert (reply.status, reply.error["code"]) == (504, "deadline_exceeded")
    assert "router_settings.timeout" in reply.error["message"]
    assert upstream.calls == []
