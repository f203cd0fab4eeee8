"""``docs/contracts.md`` lists every name that clients and operators rely on, and no other name."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from proxy.forwarding.gateway import Current
from proxy.ingress.routes.paths import OPEN_PATHS
from proxy.server.app import create_admin_app, create_app, create_gateway
from proxy.upstream.select_transport import SelectingUpstream
from sanitizers.steps import STEP_NAMES
from tests.support import public_surface
from tests.support.markdown_tables import key_in, rows_under
from tests.support.openai_emulator import serving_openai
from tests.support.proxied import Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

DOCUMENT = (Path(__file__).parents[1] / "docs" / "contracts.md").read_text(encoding="utf-8")

CLIENT_ROOMS = ("ingress", "forwarding", "server", "inspector", "observability", "core")
"""The folders of ``proxy/`` that read the headers of clients and write the headers of answers."""

HEADER_TABLES = (
    "Read from a client's request",
    "Written into an answer",
    "Sent to a provider",
    "Read from a provider's answer",
)
WRITTEN_BY_AIOHTTP = {"content-type", "content-length", "transfer-encoding", "date", "server"}


def listed(*headings: str) -> dict[str, list[str]]:
    """Return the rows under *headings* by their first cell, without that cell."""
    rows = [row for heading in headings for row in rows_under(DOCUMENT, heading)]
    return {key_in(row[0]): row[1:] for row in rows}


def application(*, admin: bool = False) -> web.Application:
    """Return the application of one listener, as the process builds it."""
    current = Current(create_gateway(settings_of(), ScriptedUpstream()))
    return create_admin_app(current) if admin else create_app(current)


def methods_of(path: str, methods: set[str]) -> str:
    """Return the *methods* of *path* as the document writes them: ``GET`` includes ``HEAD``."""
    return "any" if methods == {"*"} else ", ".join(sorted(methods - {"HEAD"}))


def test_every_command_is_listed() -> None:
    """The table lists each subcommand and each of its arguments in the order of the code."""
    assert list(listed("Commands")) == list(public_surface.commands())


def test_every_setting_is_listed_with_its_default() -> None:
    """The table lists every setting with the default of its model."""
    assert {name: row[0] for name, row in listed("Settings").items()} == {
        name: public_surface.show_default(default) for name, default in public_surface.settings()
    }


async def test_every_path_is_listed_with_its_methods() -> None:
    """A path of the API is listed with the prefix ``/v1``, and is also served without this prefix."""
    served = {path: methods_of(path, found) for path, found in public_surface.paths(application()).items()}
    told = {path: row[0] for path, row in listed("Paths").items() if len(row) == 3}
    bare = {path.removeprefix("/v1"): methods for path, methods in told.items() if path.startswith("/v1/")}

    assert told | bare == served


async def test_paths_of_the_second_listener_are_listed() -> None:
    """The table of admin paths lists every path of the second listener with its methods."""
    table = DOCUMENT.split("| admin path | methods |\n|---|---|\n")[1].split("\n\n")[0]
    told = dict(re.findall(r"^\| `(.+)` \| (.+) \|$", table, re.MULTILINE))

    assert told == {
        path: methods_of(path, found) for path, found in public_surface.paths(application(admin=True)).items()
    }


def test_paths_without_a_key_are_those_that_are_open() -> None:
    """The paths that the table marks as open are exactly those that need no key."""
    told = {path for path, row in listed("Paths").items() if row[1] == "yes"}

    assert told == OPEN_PATHS


@pytest.mark.long
def test_every_header_is_listed() -> None:
    """The four tables list exactly the headers whose names occur in the code."""
    told = {name.lower() for name in listed(*HEADER_TABLES)}

    assert told == public_surface.headers(
        *CLIENT_ROOMS, "planning", "resilience", "upstream", "answers", "state"
    )


def test_headers_of_clients_are_listed_on_their_side() -> None:
    """Every header that the code for clients names is in one of the first two tables."""
    told = {name.lower() for name in listed(*HEADER_TABLES[:2])}

    assert public_surface.headers(*CLIENT_ROOMS) - told == set()


@pytest.fixture
async def proxy() -> AsyncIterator[Proxied]:
    """Serve a proxy that pages of one site may call."""
    settings = settings_of(general_settings={"allowed_origins": ["https://app.example"]})
    async with proxied(settings, ScriptedUpstream()) as served:
        yield served


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/chat/completions", chat()),
        ("POST", "/v1/chat/completions", chat(stream=True)),
        ("POST", "/v1/chat/completions", {"model": "none"}),
        ("POST", "/v1/files", {}),
        ("GET", "/v1/embeddings", None),
        ("GET", "/ui", None),
        ("GET", "/ui/api/live", None),
        ("GET", "/metrics", None),
    ],
)
async def test_headers_of_answers_are_listed(proxy: Proxied, method: str, path: str, body: object) -> None:
    """The document names every header of an answer."""
    origin = {"Origin": "https://app.example"}
    async with proxy.session.request(method, proxy.origin + path, json=body, headers=origin) as answer:
        found = {name.lower() for name in answer.headers}
    told = {name.lower() for name in listed("Written into an answer")}

    assert "x-request-id" in found
    assert found - told - WRITTEN_BY_AIOHTTP == set()


async def test_headers_to_a_provider_are_listed() -> None:
    """Every header to a provider is listed, and of a client's own headers only the trace headers are sent."""
    traced = {"traceparent": f"00-{1:032x}-{1:016x}-01", "tracestate": "a=b"}
    own = {"x-request-id": "mine", "Cookie": "a=b", "OpenAI-Beta": "x", "X-Own": "y"}
    async with serving_openai() as emulator:
        params = {
            "model": "openai/gpt-4.1",
            "api_base": emulator.base_url,
            "api_key": "sk-a",
            "organization": "o",
        }
        settings = settings_of({"gpt": params})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            answer = await proxy.post(chat(model="gpt"), headers={**traced, **own})
    [received] = emulator.requests
    sent = {name.lower() for name in received.headers}
    told = {name.lower() for name in listed("Sent to a provider")}

    assert answer.status == 200
    assert sent - told == set()
    assert {"authorization", "openai-organization", *traced} <= sent
    assert sent.isdisjoint(name.lower() for name in own)


def test_every_metric_is_listed_with_type_and_labels() -> None:
    """The table lists every metric with its type, and with its labels in order."""
    assert {name: tuple(row) for name, row in listed("Metrics").items()} == public_surface.metrics()


def test_every_error_code_is_listed_with_status_and_type() -> None:
    """The table lists every error code; a dash stands for the provider's own status."""
    rows = rows_under(DOCUMENT, "Error codes")

    assert {(key_in(row[0]), row[1], key_in(row[2])) for row in rows} == {
        (found.code, str(found.status or "-"), found.type) for found in public_surface.error_codes()
    }


def test_every_change_step_is_listed_in_the_order_of_the_header() -> None:
    """The instructions, the stored conversation, its items and the memory come before the steps of the pipeline."""
    steps = list(listed("Change steps"))

    assert steps == list(public_surface.change_steps())
    first = ["instructions", "session", "items", "compaction"]
    assert steps[: len(first) + len(STEP_NAMES)] == [*first, *STEP_NAMES]
