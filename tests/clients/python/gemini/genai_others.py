"""Asks google-genai for other things: a search, a picture in a result, an object, and paths that nobody serves."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from typing import Any

from google.genai import types
from google.genai.errors import ClientError
from pydantic import BaseModel

from tests.clients.python.gemini.asked import DECLARED, Asked
from tests.clients.python.reporting import PROMPT


class Trip(BaseModel):
    """The object that a model is to answer with."""

    city: str
    days: int
    friend: str | None = None


def structured(asked: Asked) -> None:
    """Print the object that google-genai reads from an answer."""
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=Trip)
    client = asked.client()
    answer = client.models.generate_content(model=asked.model, contents="Plan it.", config=config)
    trip = answer.parsed
    assert isinstance(trip, Trip), answer
    sys.stdout.write(json.dumps(trip.model_dump()) + "\n")


def missing(asked: Asked) -> None:
    """Print the error of each path that the gateway does not serve."""
    client = asked.client()
    contents: Any = [types.Content(role="user", parts=[types.Part(text="Hello.")])]
    config = types.CreateCachedContentConfig(contents=contents, ttl="300s")
    asks: list[Callable[[], Any]] = [
        lambda: client.caches.create(model=asked.model, config=config),
        lambda: client.files.get(name="files/abc"),
        lambda: client.batches.get(name="batches/abc"),
    ]
    told = []
    for ask in asks:
        try:
            ask()
        except ClientError as error:
            told.append([error.code, error.status])
    sys.stdout.write(json.dumps({"errors": told}) + "\n")


def search(asked: Asked) -> None:
    """Print the text of an answer to a request with Google's search, alone or beside the two functions."""
    tools = [types.Tool(google_search=types.GoogleSearch())]
    tools += [DECLARED] if "beside" in asked.more else []
    config = types.GenerateContentConfig(tools=[*tools])
    said(asked, "Look it up.", config)


def picture(asked: Asked) -> None:
    """Return a picture from the function that the model calls, and print the text of the next answer."""
    [data] = asked.more
    config = types.GenerateContentConfig(tools=[DECLARED])
    history = [types.Content(role="user", parts=[types.Part(text=PROMPT)])]
    parts = parts_of(asked, history, config)
    call = next(part.function_call for part in parts if part.function_call is not None)
    blob = types.FunctionResponseBlob(mime_type="image/png", data=base64.b64decode(data))
    response = types.FunctionResponse(
        id=call.id,
        name=call.name,
        response={"result": "See the picture."},
        parts=[types.FunctionResponsePart(inline_data=blob)],
    )
    history += [
        types.Content(role="model", parts=parts),
        types.Content(role="user", parts=[types.Part(function_response=response)]),
    ]
    said(asked, history, config)


def said(asked: Asked, history: Any, config: types.GenerateContentConfig) -> None:
    """Print the text of the answer to *history*."""
    text = "".join(part.text or "" for part in parts_of(asked, history, config) if not part.thought)
    sys.stdout.write(json.dumps({"text": text}) + "\n")


def parts_of(asked: Asked, history: Any, config: types.GenerateContentConfig) -> list[types.Part]:
    """Return the parts of the answer to *history*."""
    contents = [
        candidate.content
        for chunk in asked.contents_of(history, config)
        for candidate in chunk.candidates or ()
    ]
    return [part for content in contents if content is not None for part in content.parts or ()]
