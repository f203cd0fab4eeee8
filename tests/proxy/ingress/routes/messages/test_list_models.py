"""Tests of the models in Anthropic's form."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.ingress.routes.messages.asking import VERSION, error_of, serving

MODELS: dict[str, Any] = {
    "a": "openai/gpt-4o",
    "claude-b": "gemini/gemini-3.6-flash",
    "team/c": "anthropic/claude-sonnet-4-5",
    "d": "ollama/unheard-of",
}
NAMES = [*MODELS]


async def names_of(query: str) -> tuple[list[str], bool]:
    """Return the ids of the page that *query* asks for, and whether more follow."""
    async with serving(models=MODELS) as (proxy, _):
        reply = await proxy.get(f"/v1/models{query}", VERSION)
    page = reply.json
    ids = [model["id"] for model in page["data"]]
    assert (page["first_id"], page["last_id"]) == ((ids[0], ids[-1]) if ids else (None, None))
    return ids, page["has_more"]


@pytest.mark.parametrize(
    ("query", "names", "has_more"),
    [
        ("", NAMES, False),
        ("?limit=1000", NAMES, False),
        ("?limit=2", NAMES[:2], True),
        ("?limit=2&after_id=claude-b", NAMES[2:], False),
        ("?limit=1&after_id=a", NAMES[1:2], True),
        ("?limit=2&before_id=d", NAMES[1:3], True),
        ("?limit=5&before_id=claude-b", NAMES[:1], False),
        ("?after_id=d", [], False),
    ],
)
async def test_models_come_in_pages(query: str, names: list[str], has_more: bool) -> None:
    assert await names_of(query) == (names, has_more)


async def test_model_has_its_limits_where_they_are_known() -> None:
    async with serving(models=MODELS) as (proxy, _):
        page = await proxy.get("/v1/models", VERSION)
        one = await proxy.get("/v1/models/team/c", VERSION)
        twice = await proxy.get("/v1/v1/models", VERSION)

    by_id = {model["id"]: model for model in page.json["data"]}
    assert by_id["team/c"] == one.json
    assert {model["type"] for model in by_id.values()} == {"model"}
    assert one.json["max_input_tokens"] == 200_000
    assert one.json["max_tokens"] > 0
    assert "max_input_tokens" not in by_id["d"]
    assert one.json["created_at"].endswith("Z")
    assert twice.json == page.json
    assert page.headers["request-id"] == page.headers["x-request-id"]


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "after_id=none", "before_id=none"])
async def test_page_that_cannot_be_is_refused(query: str) -> None:
    async with serving(models=MODELS) as (proxy, _):
        reply = await proxy.get(f"/v1/models?{query}", VERSION)

    status, kind, said = error_of(reply)
    assert (status, kind) == (400, "invalid_request_error")
    assert said.startswith(f"{query.partition('=')[0]}: ")


async def test_unknown_model_is_a_404_in_the_envelope() -> None:
    async with serving(models=MODELS) as (proxy, _):
        reply = await proxy.get("/v1/models/nobody", VERSION)

    assert error_of(reply)[:2] == (404, "not_found_error")


async def test_list_without_the_version_is_openais() -> None:
    async with serving(models=MODELS) as (proxy, _):
        reply = await proxy.get("/v1/models")

    assert reply.json["object"] == "list"
