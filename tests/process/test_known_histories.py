"""Tests the publicly reported broken histories of Gemini and OpenAI through the process, with strict emulators."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.asking import GEMINI_MODELS, OPENAI_MODEL, ask, body, explain
from tests.process.delivered import at_gemini, at_openai, silently_lost
from tests.process.emulators import Gemini
from tests.process.running import Served
from tests.support.openai_emulator import OpenAIEmulator

HISTORIES: dict[str, dict[str, Any]] = {
    history["id"]: history
    for history in json.loads(
        (Path(__file__).parents[2] / "proxy" / "conformance" / "known.json").read_text()
    )
}
GEMINI = [name for name in HISTORIES if name.startswith("g")]
OPENAI = [name for name in HISTORIES if name.startswith("o")]

MEDIA_IN_RESULTS = {"g48": ([1, 1], [2]), "g56": ([1, 1, 1], [1])}
"""Histories with images in tool results, and the number of images in each function response.

The first list is for models with call ids (3.x). The second list is for models without call ids (2.5). There identical
calls are one call, whose result holds each different result once.
"""

FOREIGN = {"g68": "RXFGQUtF"}
"""Histories with another model's signature, and that signature.

The signature is valid base64, so that only the provider can detect and refuse it.
"""

streaming = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@pytest.mark.pairwise
@streaming
@pytest.mark.parametrize("model", GEMINI_MODELS)
@pytest.mark.parametrize("name", [name for name in GEMINI if name not in FOREIGN])
def test_known_history_is_taken_by_gemini_at_the_first_try(
    http: httpx.Client, served: Served, gemini: Gemini, name: str, model: str, stream: bool
) -> None:
    """Gemini's emulator accepts the history at the first try, and gets all of it except for reported losses."""
    history = HISTORIES[name]
    request = body(f"gemini/{model}", history["messages"], tools=history.get("tools", ()), stream=stream)

    answer = ask(http, served, request)
    explained = explain(http, served, request)
    journal = gemini.journal()

    assert answer.is_whole, answer.text
    assert [(entry["model"], entry["verdict"]["status"]) for entry in journal] == [(model, 200)]
    arrived = at_gemini(journal[0]["body"])
    assert silently_lost(history["messages"], arrived, explained["changes"]) == []
    assert answer.headers.get("x-turnright-changes", "") == explained["summary"]


@streaming
@pytest.mark.parametrize("model", GEMINI_MODELS)
@pytest.mark.parametrize("name", FOREIGN)
def test_gemini_that_refuses_once(
    http: httpx.Client, served: Served, gemini: Gemini, name: str, model: str, stream: bool
) -> None:
    """Gemini refuses a foreign signature once.

    The proxy then replaces the signature. Gemini 2.5 needs no signature and does not check it.
    """
    history = HISTORIES[name]
    foreign = b64encode(f"foreign, {model}, {stream}".encode()).decode()  # one that was not refused before
    messages = json.loads(json.dumps(history["messages"]).replace(FOREIGN[name], foreign))
    assert messages != history["messages"]
    request = body(f"gemini/{model}", messages, tools=history["tools"], stream=stream)
    looks = "2.5" not in model

    answers = [ask(http, served, request) for _ in range(2)]
    journal = gemini.journal()

    assert [answer.is_whole for answer in answers] == [True, True], answers
    assert [entry["verdict"]["status"] for entry in journal] == [*([400] if looks else []), 200, 200]
    assert [foreign in str(entry["body"]) for entry in journal] == (
        [True, False, False] if looks else [True, True]
    )
    assert [answer.headers.get("x-turnright-changes", "") for answer in answers] == [
        "repair=1" if looks else "",
        "",
    ]
    assert explain(http, served, request)["summary"] == ""
    for entry in journal:
        assert silently_lost(messages, at_gemini(entry["body"]), []) == []


def snake_case(value: Any) -> Any:
    """Return Gemini's JSON with keys in snake case, since Gemini takes two spellings of its keys."""
    if isinstance(value, dict):
        return {
            re.sub(r"([A-Z])", lambda m: "_" + m[1].lower(), key): snake_case(v) for key, v in value.items()
        }
    return [snake_case(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("model", GEMINI_MODELS)
@pytest.mark.parametrize("name", MEDIA_IN_RESULTS)
def test_images_in_results_arrive_inside_their_function_responses(
    http: httpx.Client, served: Served, gemini: Gemini, name: str, model: str
) -> None:
    """For Gemini 3, images in tool results arrive inside their function responses, and nowhere else.

    Gemini 2.5 takes no images in function responses, so that the images arrive in parts of their own.
    """
    history = HISTORIES[name]

    ask(http, served, body(f"gemini/{model}", history["messages"], tools=history["tools"]))

    contents = snake_case(gemini.journal()[0]["body"]["contents"])
    parts = [part for content in contents for part in content["parts"]]
    responses = [part["function_response"] for part in parts if "function_response" in part]
    nested = [[part["inline_data"] for part in response.get("parts", ())] for response in responses]
    if "2.5" in model:
        beside = [part for part in parts if "inline_data" in part]
        assert (sum(MEDIA_IN_RESULTS[name][True]), False) == (len(beside), any(nested))
        return
    assert [len(images) for images in nested] == MEDIA_IN_RESULTS[name][False]
    assert not any("inline_data" in part for part in parts)


@pytest.mark.pairwise
@streaming
@pytest.mark.parametrize("name", OPENAI)
def test_known_history_is_taken_by_openai_at_the_first_try(
    http: httpx.Client, served: Served, openai_emulator: OpenAIEmulator, name: str, stream: bool
) -> None:
    """OpenAI's emulator accepts the history at the first try, and gets all of it except for reported losses."""
    history = HISTORIES[name]
    request = body(
        f"openai/{OPENAI_MODEL}", history["messages"], tools=history.get("tools", ()), stream=stream
    )

    answer = ask(http, served, request)
    explained = explain(http, served, request)

    assert answer.is_whole, answer.text
    assert [record.status for record in openai_emulator.requests] == [200]
    arrived = at_openai(openai_emulator.requests[0].body)
    assert silently_lost(history["messages"], arrived, explained["changes"]) == []
    assert answer.headers["x-turnright-changes"] == explained["summary"]
