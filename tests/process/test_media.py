"""Tests that media arrive where the model accepts them, or that the client gets an error with the reason."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import httpx
import pytest

from tests.process.asking import GEMINI_MODELS, TARGETS, ask, body
from tests.process.emulators import Gemini
from tests.process.running import Served
from tests.support.builders import assistant, call, image, text, tool, user
from tests.support.openai_emulator import OpenAIEmulator

JPEG = b64encode(b"\xff\xd8\xff\xe0" + bytes(20)).decode()
WRONG = image(f"data:image/jpg;base64,{JPEG}")
SHOTS = [
    user("Take two screenshots."),
    assistant(calls=[call("call_1", "shot", '{"n": 1}'), call("call_2", "shot", '{"n": 2}')]),
    tool("call_1", [text("the first"), image()]),
    tool("call_2", [WRONG]),
]


def sent(model: str, gemini: Gemini, openai: OpenAIEmulator) -> Any:
    """Return the body that the model's provider got last."""
    if model.startswith("gemini/"):
        return gemini.journal()[-1]["body"]
    return openai.requests[-1].body


@pytest.mark.parametrize("model", TARGETS)
def test_images_in_results_arrive(
    http: httpx.Client, served: Served, gemini: Gemini, openai_emulator: OpenAIEmulator, model: str
) -> None:
    """The images and the text of two tool results arrive where the model accepts them.

    The emulators refuse images anywhere else.
    """
    reply = ask(http, served, body(model, SHOTS, tools=["shot"]))

    assert reply.status == 200, reply.text
    arrived = json.dumps(sent(model, gemini, openai_emulator))
    assert "the first" in arrived
    assert JPEG in arrived
    assert "iVBORw0KGgo" in arrived
    assert "image/jpg" not in arrived
    moved = model not in ("gemini/gemini-3-pro-preview", "gemini/gemini-3.6-flash")
    changes = reply.headers["x-turnright-changes"]
    assert changes == ("media=1,result_media=2" if moved else "media=1")
    assert ("Image from the result of shot (call call_1)" in arrived) is moved


@pytest.mark.parametrize("model", TARGETS)
def test_a_broken_image_is_refused_or_left_out(
    http: httpx.Client, served: Served, gemini: Gemini, openai_emulator: OpenAIEmulator, model: str
) -> None:
    """A broken image in the last message gets a 400 with the image's path.

    In an earlier message the image is left out.
    """
    broken = user([text("What is this?"), image("data:image/png;base64,!!")])
    refused = ask(http, served, body(model, [broken]))
    went_on = ask(http, served, body(model, [broken, assistant("A cat."), user("And now?")]))

    assert refused.status == 400
    assert refused.error["param"] == "messages[0].content[1].image_url"
    assert (went_on.status, went_on.headers["x-turnright-changes"]) == (200, "media=1")
    assert "[Left out: an image" in json.dumps(sent(model, gemini, openai_emulator))


@pytest.mark.parametrize("model", [f"gemini/{model}" for model in GEMINI_MODELS])
@pytest.mark.parametrize(
    "url", ["https://example.com/a.png?token=s3cret", "gs://bucket/a.png", "file:///etc/passwd"]
)
def test_an_address_is_refused_where_nobody_fetches(
    http: httpx.Client, served: Served, gemini: Gemini, model: str, url: str
) -> None:
    """An image that Gemini would have to fetch gets a 400 that suggests a data: URL, and nothing is sent."""
    reply = ask(http, served, body(model, [user([text("a"), image(url)])]))

    assert (reply.status, reply.error["param"]) == (400, "messages[0].content[1].image_url")
    assert "data: URL" in reply.error["message"]
    assert "s3cret" not in reply.text
    assert gemini.journal() == []


@pytest.mark.parametrize("url", ["gs://bucket/a.png", "file:///etc/passwd", "a.png"])
def test_openai_gets_web_addresses_alone(
    http: httpx.Client, served: Served, openai_emulator: OpenAIEmulator, url: str
) -> None:
    """OpenAI fetches images from web addresses only, so that an image with any other address gets a 400."""
    reply = ask(http, served, body(TARGETS[-1], [user([image(url)])]))
    web = ask(http, served, body(TARGETS[-1], [user([image("https://example.com/a.png")])]))

    assert (reply.status, reply.error["param"]) == (400, "messages[0].content[0].image_url")
    assert web.status == 200
    assert len(openai_emulator.requests) == 1
