"""Tests that ``docs/responses.md`` has the paths, fields, items, tools, codes and settings of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proxy.core.errors import ProxyError
from proxy.ingress.openai_responses import errors
from proxy.ingress.openai_responses.conversation_fields import _MOST_ITEMS
from proxy.ingress.openai_responses.echo import RESPONSE_KEYS
from proxy.ingress.openai_responses.field_types import FIELD_TYPES, MOVED
from proxy.ingress.routes.responses import _ROUTES
from proxy.ingress.routes.responses.page_query import _MOST, _USUAL
from sanitizers.native.responses.call_items import SERVER_CALLS
from sanitizers.native.responses.client_tools import CLIENT_TOOLS
from sanitizers.native.responses.item_types import ITEM_TYPES
from sanitizers.native.responses.tool_table import SERVER_TOOLS
from sanitizers.native.seal import MAX_CHARACTERS
from tests.support import public_surface
from tests.support.markdown_tables import key_in, rows_under

DOCUMENT = (Path(__file__).parents[1] / "docs" / "responses.md").read_text(encoding="utf-8")
FLAT = " ".join(DOCUMENT.split())
"""The document without line breaks."""

UNCHECKED_FIELDS = {"input", "model", "prompt"}
"""The known fields that have no type in ``FIELD_TYPES``."""

READ_TOOLS = {"custom", "function", "namespace", *CLIENT_TOOLS}
"""The types of tools that a model gets."""


def table(heading: str) -> dict[str, list[str]]:
    """Return the rows under *heading* by their first cell, without that cell."""
    rows = rows_under(DOCUMENT, heading)
    assert len({row[0] for row in rows}) == len(rows)
    return {key_in(row[0]): row[1:] for row in rows}


def test_every_path_is_listed() -> None:
    """The table has each path with its method, in no certain order."""
    assert set(table("Paths")) == {f"{method} {path}" for method, path, _ in _ROUTES}


def test_every_field_is_listed() -> None:
    """The table has each field that is known, and the text names those of chats that are refused."""
    [refused] = re.findall(r"Six fields of chats are refused.*?response_format`", FLAT)

    assert table("Fields").keys() == FIELD_TYPES.keys() | UNCHECKED_FIELDS
    assert set(re.findall(r"`(\w+)`", refused)) == set(MOVED)
    assert len(MOVED) == 6


def test_every_item_is_listed_with_its_outcome() -> None:
    """The table has the types of items in the code's order, each with its outcome."""
    told = [(kind, row[0]) for kind, row in table("Items").items()]

    assert told == [(kind, row.outcome) for kind, row in ITEM_TYPES.items()]


def test_each_item_that_is_not_dropped_is_described() -> None:
    """Only dropped items need no words, and the calls of the server are said to need a result."""
    words = {kind: row[1] if len(row) > 1 else "" for kind, row in table("Items").items()}

    assert {kind for kind, text in words.items() if not text} == {
        kind for kind, row in ITEM_TYPES.items() if row.outcome == "dropped"
    }
    assert {kind for kind, text in words.items() if "dropped without a result" in text} == SERVER_CALLS


def test_every_tool_is_listed() -> None:
    """The table has each type of tools. Those that run at OpenAI give the model nothing."""
    told = table("Tools")

    assert told.keys() == {*READ_TOOLS, *SERVER_TOOLS}
    assert {kind for kind, row in told.items() if row == ["nothing"]} == set(SERVER_TOOLS)


def test_every_code_of_a_stream_is_listed() -> None:
    """The table has each code of a response that fails. codex stops on those that the code takes for stopping."""
    text = DOCUMENT.split("An error within a stream")[1]
    told = dict(re.findall(r"^\| `(\w+)` \|.*\| (\w+)[^|]* \|$", text.split("\n## ")[0], re.MULTILINE))
    stopping = {*errors.STOPPING, errors.INVALID_PROMPT}

    assert told.keys() == {*stopping, errors.RATE_LIMITED, errors.SERVER_ERROR}
    assert {code for code, deed in told.items() if deed == "stops"} == stopping
    assert f"try again in {errors.wait_s(ProxyError('busy'))}s" in text


def test_error_codes_have_their_status() -> None:
    """Each code of the first table exists, with the status that stands beside it."""
    known = {(found.code, found.status) for found in public_surface.error_codes()}
    told = {key_in(row[1]): int(row[0]) for row in rows_under(DOCUMENT, "Errors")}

    assert set(told.items()) <= known
    assert {"previous_response_not_found", "sessions_unavailable", "websocket_not_supported"} <= told.keys()


def test_every_setting_of_sessions_is_listed_with_its_default() -> None:
    """The table has each setting of stored responses."""
    told = {name: row[0] for name, row in table("State").items()}

    assert told == {
        name: public_surface.show_default(default)
        for name, default in public_surface.settings()
        if name.startswith("sessions.")
    }


@pytest.mark.parametrize(
    "words",
    [
        f"all {len(RESPONSE_KEYS)} keys",
        f"up to {_MOST_ITEMS} `items`",
        f"`limit` (1 to {_MOST}, {_USUAL} by default)",
        f"in {MAX_CHARACTERS // 2**20} MiB at most",
    ],
)
def test_numbers_are_those_of_the_code(words: str) -> None:
    """The text has the bounds of the code."""
    assert words in FLAT


def test_it_is_said_that_requests_are_converted() -> None:
    """The document says at its beginning who is asked for a chat, and who in the client's own format."""
    assert "Each request is converted to a chat" in FLAT[:1000]
    assert "OpenAI, Azure and xAI are asked in the Responses API itself" in FLAT[:1000]
