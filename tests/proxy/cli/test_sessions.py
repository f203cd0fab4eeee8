"""Tests of the command that has a running process delete stored responses."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from proxy.cli.main import main


async def run(answer: web.Response, *arguments: str) -> tuple[int, list[web.Request]]:
    """Run the command against a process that gives *answer*. Return the exit status and the requests."""
    seen = []

    async def handle(request: web.Request) -> web.Response:
        seen.append(request)
        return answer

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    async with TestServer(app) as server:
        url = str(server.make_url("/"))
        status = await asyncio.to_thread(main, ["sessions", "purge", "--url", url, *arguments])
    return status, seen


def purged(key: str, values: int) -> web.Response:
    """Return the answer of a process that deleted *values* values."""
    return web.json_response({"object": "sessions", "key": key, "deleted": True, "values": values})


async def test_responses_of_a_key_are_deleted_with_the_master_key(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request names the key, and the output says how much was deleted."""
    monkeypatch.setenv("TURNRIGHT_MASTER_KEY", "sk-master")
    status, [request] = await run(purged("night shift&x", 1_234), "--key", "night shift&x")

    assert status == 0
    assert (request.method, request.path, dict(request.query)) == (
        "DELETE",
        "/v1/sessions",
        {"key": "night shift&x"},
    )
    assert request.headers["Authorization"] == "Bearer sk-master"
    assert "1,234 stored values of the key night shift&x" in capsys.readouterr().out


async def test_empty_name_is_the_master_key(capsys: pytest.CaptureFixture[str]) -> None:
    """Callers without a name can be purged too."""
    status, [request] = await run(purged("", 1), "--key", "")

    assert status == 0
    assert dict(request.query) == {"key": ""}
    assert "of the master key, or of callers without a key" in capsys.readouterr().out


async def test_json_is_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """The answer is printed as it came."""
    assert (await run(purged("ci", 3), "--key", "ci", "--json"))[0] == 0
    assert '"values": 3' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((503, "{}"), "the store cannot be asked now"),
        ((401, "{}"), "requires its master key: set TURNRIGHT_MASTER_KEY"),
        ((403, "{}"), "requires its master key"),
        ((404, "{}"), "HTTP 404"),
        ((200, "hello"), "HTTP 200"),
        ((200, "[]"), "HTTP 200"),
        ((200, '{"deleted": true}'), "HTTP 200"),
        ((200, '{"deleted": false, "values": 3}'), "HTTP 200"),
        ((302, "{}"), "HTTP 302"),
    ],
)
async def test_other_answers_are_no_success(
    capsys: pytest.CaptureFixture[str], answer: tuple[int, str], words: str
) -> None:
    """The command ends with status 3 and says why."""
    status, text = answer

    assert (await run(web.Response(status=status, text=text), "--key", "ci"))[0] == 3
    assert words in capsys.readouterr().err


def test_address_that_cannot_be_used_is_refused() -> None:
    """No process is asked."""
    assert main(["sessions", "purge", "--key", "ci", "--url", "ftp://h"]) == 2
