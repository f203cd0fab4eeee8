"""Tests of the command that asks a running process for its learned repairs."""

from __future__ import annotations

import asyncio
import re

import pytest
from aiohttp import web

from proxy.cli.main import main
from tests.proxy.forwarding.chat.test_request_repairs import StrictUpstream, no_temperature, serving, teach
from tests.support.proxied import proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

MASTER = "sk-master-0123456789"


async def run(*arguments: str) -> int:
    """Run the command in a thread, since the process that it asks runs in this one's event loop."""
    return await asyncio.to_thread(main, ["learned", *arguments])


async def test_learned_repairs_are_listed_and_forgotten(capsys: pytest.CaptureFixture[str]) -> None:
    """The table has the key that ``forget`` takes."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream) as proxy:
        assert await run("--url", proxy.origin) == 0
        assert "No repair has been confirmed yet." in capsys.readouterr().out
        await teach(proxy, upstream, range(4))
        capsys.readouterr()
        assert await run("list", "--url", proxy.origin + "/v1") == 0
        shown = capsys.readouterr().out
        assert re.search(r"parameter +temperature +- +0\.71 +4 +0 +\S+Z +in advance", shown)
        found = re.search(r"^([0-9a-f]{12}) ", shown, re.MULTILINE)
        assert found is not None
        assert await run("forget", found[1], "--url", proxy.origin) == 0
        assert await run("forget", found[1], "--url", proxy.origin) == 1
        assert f"no repair with the key {found[1]}" in capsys.readouterr().err
        assert await run("--json", "--url", proxy.origin) == 0
        assert '"data": []' in capsys.readouterr().out


async def test_master_key_comes_from_the_environment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the key the command says which variable to set."""
    monkeypatch.delenv("TURNRIGHT_MASTER_KEY", raising=False)
    settings = settings_of(general_settings={"master_key": MASTER})
    async with proxied(settings, ScriptedUpstream()) as proxy:
        assert await run("--url", proxy.origin) == 3
        assert "set TURNRIGHT_MASTER_KEY" in capsys.readouterr().err
        monkeypatch.setenv("TURNRIGHT_MASTER_KEY", MASTER)
        assert await run("--url", proxy.origin) == 0
        monkeypatch.setenv("TURNRIGHT_MASTER_KEY", "sk-ключ")
        assert await run("--url", proxy.origin) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("forget",),
        ("list", "123456789abc"),
        ("--url", "file:///etc/passwd"),
        ("--url", "http://user@127.0.0.1"),
    ],
)
async def test_options_that_cannot_be_used_are_refused(arguments: tuple[str, ...]) -> None:
    """No process is asked."""
    assert await run(*arguments) == 2


@pytest.mark.parametrize("answer", ["hello", "[]", '{"object": "list"}'])
async def test_something_else_than_turnright_is_named(
    capsys: pytest.CaptureFixture[str], answer: str
) -> None:
    """Another server at the address, or none, ends the command with status 3."""

    async def handle(_: web.Request) -> web.Response:
        return web.Response(text=answer)

    app = web.Application()
    app.router.add_get("/v1/learned", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    assert await run("--url", f"http://127.0.0.1:{port}") == 3
    assert "does not answer as turnright does" in capsys.readouterr().err
    await runner.cleanup()
    assert await run("--url", f"http://127.0.0.1:{port}") == 3
    assert "does not answer: ClientConnectorError" in capsys.readouterr().err
