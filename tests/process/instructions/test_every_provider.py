"""Tests that every provider gets the operator's instructions of three levels, before the client's system text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.behaviours.instructions.configured import (
    GATEWAY,
    KEY,
    MODEL,
    TEAM,
    bearing,
    entry,
    general,
    joined,
)
from tests.process.asking import Answer, body
from tests.process.emulators import Gemini
from tests.process.providers import (
    MODELS,
    WITHOUT_TOOLS,
    Everywhere,
    arrived,
    entry_of,
    route_of,
    serve_everywhere,
)
from tests.support.builders import assistant, system, text, user
from tests.support.emulated import Emulator

EVERY_MODEL = (*MODELS, *WITHOUT_TOOLS)
REST = [user("What is it like in Oslo?"), assistant("It rains."), user("And in Rome?")]
HISTORIES: Mapping[str, list[dict[str, Any]]] = {
    "a text": [system("Be brief."), *REST],
    "parts": [system([text("Be brief.")]), *REST],
    "none": REST,
}
"""Histories with a system message of each form, and without one."""

SYSTEM_FIELDS = {"anthropic": "messages", "bedrock": "messages", "gemini": "contents"}
"""The list of turns on wires that have another field for system text."""


@pytest.fixture(scope="module")
def instructed(
    directory: Path, gemini_process: Gemini, emulators: dict[str, Emulator]
) -> Iterator[Everywhere]:
    """Run ``turnright serve`` with every provider, and with texts of every level."""
    models = [entry(model) | entry_of(model, model, gemini_process, emulators) for model in EVERY_MODEL]
    with serve_everywhere(
        directory, gemini_process, emulators, model_list=models, general_settings=general()
    ) as running:
        yield running


@pytest.mark.pairwise
@pytest.mark.parametrize(
    ("key", "special", "stream"), [("own", KEY, False), ("member", TEAM, True)], ids=["key", "team, streamed"]
)
@pytest.mark.parametrize("form", HISTORIES)
@pytest.mark.parametrize("model", EVERY_MODEL)
def test_every_provider_gets_three_levels_before_the_clients_system_text(
    http: httpx.Client, instructed: Everywhere, model: str, form: str, key: str, special: str, stream: bool
) -> None:
    """The provider's emulator accepts the request at once. The texts are joined with a blank line on every wire."""
    provider = instructed.of(model)
    request = json.dumps(body(model, HISTORIES[form], stream=stream)).encode()

    response = http.post(
        f"{instructed.served.base_url}/chat/completions", content=request, headers=bearing(key)
    )
    answer = Answer(response.status_code, response.headers, response.text)

    assert answer.is_whole, answer.text
    assert "instructions=1" in answer.headers["x-turnright-changes"].split(",")
    [sent] = provider.sent()
    assert (sent.status, sent.refused) == (200, None)
    wanted = [GATEWAY, MODEL, special, *(["Be brief."] if form != "none" else []), "What is it like in Oslo?"]
    found = "\n\n".join(value.strip("\n") for value in arrived(model, sent.body))
    assert found.startswith(joined(*wanted))
    assert json.dumps(sent.body).count(special) == 1
    if route_of(model) in SYSTEM_FIELDS:
        assert special not in json.dumps(sent.body[SYSTEM_FIELDS[route_of(model)]])
