"""Asks google-genai for other things than functions: a search with Google, and a function that returns a picture."""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

from google.genai import types

from tests.clients.python.gemini.asked import DECLARED, Asked
from tests.clients.python.reporting import PROMPT


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
