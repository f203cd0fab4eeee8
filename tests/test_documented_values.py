"""Tests that values in the documents are those of the code: settings, defaults, bounds and answer fields."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from proxy.config import instruction_text
from proxy.config.schema.policies import Budget, Sanitize
from proxy.config.schema.router import RouterSettings
from proxy.config.schema.section import Section
from proxy.config.schema.turns import Turns
from proxy.core import connection_table, instructions, text_request
from proxy.forwarding import event_stream
from proxy.ingress import parameter_limits
from proxy.ingress.anthropic_messages import client_headers
from proxy.ingress.anthropic_messages import fields as message_fields
from proxy.ingress.gemini_native import fields as content_fields
from proxy.ingress.openai_responses import conversation_fields, field_types
from proxy.ingress.routes import read_body
from proxy.inspector import worker_thread
from proxy.upstream.direct import answer_bodies, transport
from proxy.upstream.media import fetching, inlining
from sanitizers import messages
from sanitizers.native import seal
from tests.support import provider_table, public_surface
from tests.support.markdown_tables import key_in, rows_under
from tests.support.proxied import chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

DOCS = Path(__file__).resolve().parents[1] / "docs"


def read(name: str) -> str:
    """Return the text of a document."""
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("document", "heading", "section", "setting"),
    [
        ("histories.md", "Modes", Sanitize, "mode"),
        ("budgets.md", "Presets", Budget, "preset"),
        ("turns.md", "Modes", Turns, "mode"),
        ("failures.md", "Self-correction", RouterSettings, "self_correction"),
        ("learned-repairs.md", "The setting", RouterSettings, "learn"),
    ],
)
def test_words_of_a_setting_are_listed(
    document: str, heading: str, section: type[Section], setting: str
) -> None:
    """Each value that the setting accepts has a row, and the default is marked."""
    field = section.model_fields[setting]
    rows = [row[0] for row in rows_under(read(document), heading)]
    words = {key_in(cell.removesuffix(" (default)")) for cell in rows}

    assert words == set(get_args(field.annotation))
    assert [key_in(cell.removesuffix(" (default)")) for cell in rows if "(default)" in cell] == [
        field.default
    ]


def test_limits_of_turns_are_the_settings() -> None:
    """The table has every setting of turns except the mode and the delegation tools, with numeric defaults."""
    rows = rows_under(read("turns.md"), "Limits")
    told = {name: row[1] for row in rows for name in re.findall(r"`(\w+)`", row[0])}
    defaults = {name: field.default for name, field in Turns.model_fields.items()}

    assert told.keys() == defaults.keys() - {"mode", "delegation_tools"}
    for name, text in told.items():
        if isinstance(defaults[name], int | float) and not isinstance(defaults[name], bool):
            assert f"Default {defaults[name]:g}" in text, name


def test_bounds_that_a_setting_moves_have_its_default() -> None:
    """The third cell of a row begins with the setting's default if the default is a number."""
    defaults = dict(public_surface.settings())
    rows = rows_under(read("limits.md"), "Bounds that a setting moves")
    named = [(re.findall(r"`([\w.]+)`", row[1])[0], row[2]) for row in rows]

    assert {name for name, _ in named} - defaults.keys() == set()
    for name, told in named:
        default = defaults[name]
        if isinstance(default, int | float) and "times" not in told:
            assert re.match(rf"{default:g}\b", told), name


FIXED: dict[str, list[float]] = {
    "a body's arrival": [read_body._LONGEST_S],
    "a connection's first request head": [connection_table.HEAD_S],
    "stop sequences, `tools`, entries of `logit_bias`, unknown fields": [
        *(parameter_limits.MAX_ENTRIES[name] for name in ("stop", "tools", "logit_bias")),
        parameter_limits.MAX_UNKNOWN,
    ],
    "`messages` of the Messages API, its headers that go to Anthropic": [
        message_fields.MAX_MESSAGES,
        client_headers._MOST,
        client_headers._LONGEST,
    ],
    "`contents` of Gemini's API": [content_fields.MAX_CONTENTS],
    "texts to embed": [text_request.MAX_TEXTS],
    "entries of `include` in a Responses request": [field_types._MAX_INCLUDE],
    "items that one request adds to a conversation": [conversation_fields._MOST_ITEMS],
    "an envelope in `encrypted_content`": [seal.MAX_CHARACTERS / 2**20],
    "the operator's instructions": [instructions.MAX_BYTES, instruction_text.MAX_FILE_BYTES // 2**20],
    "objects and arrays in a text of JSON (arguments, results)": [messages._MAX_CONTAINERS],
    "a provider's error": [answer_bodies.LARGEST_ERROR // 1024],
    "a provider's whole answer": [transport._LARGEST_ANSWER // 2**20],
    "images fetched for a request": [inlining.MAX_IMAGES, fetching._MAX_REDIRECTS],
    "a look at the inspector": [worker_thread.LARGEST_MIB, worker_thread.MAX_MESSAGES],
    "one write to a client that does not read": [event_stream.STALL_S],
}
"""The rows of fixed bounds that are numbers, by their first cell."""


def test_fixed_bounds_are_those_of_the_code() -> None:
    """Each row begins with the code's numbers in this order, and every row with numbers is checked."""
    told = {row[0]: row[1] for row in rows_under(read("limits.md"), "Fixed bounds")}
    numbers = {
        what: [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", text)]
        for what, text in told.items()
    }

    assert {what: numbers[what][: len(bounds)] for what, bounds in FIXED.items()} == FIXED
    assert {what for what, found in numbers.items() if found} - FIXED.keys() == {
        "a compressed body",  # see below
        "the work of preparing a request",  # the status of its error
    }


async def test_packed_bodies_have_the_bound_that_is_listed() -> None:
    """A compressed body of 1 MiB of zeros is read, and one byte more is refused with the listed numbers."""
    [[_, told]] = [
        row for row in rows_under(read("limits.md"), "Fixed bounds") if row[0] == "a compressed body"
    ]
    packed = {"Content-Encoding": "deflate"}
    async with proxied(settings_of(), ScriptedUpstream()) as proxy:
        small = await proxy.post(zlib.compress(bytes(2**20)), headers=packed)
        large = await proxy.post(zlib.compress(bytes(2**20 + 1)), headers=packed)

    assert (small.status, large.status) == (400, 413)
    assert re.findall(r"\d+", told) == [*re.findall(r"\d+", large.error["message"]), "1"]


async def test_explanation_has_the_fields_that_are_listed() -> None:
    """Each field of the answer has a row, and each row names a field. An ordinary request lacks some of them."""
    listed = {
        name for row in rows_under(read("endpoints.md"), "Explain") for name in re.findall(r"`(\w+)`", row[0])
    }
    async with proxied(settings_of(), ScriptedUpstream()) as proxy:
        answer = await proxy.post(chat(), "/v1/explain")

    assert listed - answer.json.keys() == {"instructions", "learned", "memory"}
    assert answer.json.keys() - listed == set()


async def test_refusal_of_what_is_not_there_is_the_one_that_is_shown() -> None:
    """The JSON block in ``docs/endpoints.md`` is the answer's body for a path that does not exist."""
    [shown] = re.findall(r"^```json\n(.*?)^```$", read("endpoints.md"), re.MULTILINE | re.DOTALL)
    async with proxied(settings_of(), ScriptedUpstream()) as proxy:
        answer = await proxy.post(b"{}", "/v1/audio/speech")

    assert answer.json == json.loads(shown)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Providers and variables", provider_table.providers),
        ("Further providers on the direct transport", provider_table.further),
        ("When a provider is left to litellm", provider_table.reasons),
        ("Rules", provider_table.rules),
    ],
)
def test_tables_of_providers_are_those_of_the_code(
    heading: str, expected: Callable[[], list[list[str]]]
) -> None:
    """The tables of ``docs/providers.md`` are those that ``tests.support.provider_table`` makes."""
    assert rows_under(read("providers.md"), heading) == expected()
