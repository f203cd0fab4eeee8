"""Runs google-genai's chat, which calls the functions of the application by itself."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from google.genai import types

from tests.clients.python.gemini.asked import Asked
from tests.clients.python.reporting import PROMPT, Report
from tests.clients.python.tools import TOOLS


def main(asked: Asked) -> None:
    """Print the calls of each round as the chat's history has them, and the last text.

    The history of a stream has a content for each chunk. The chat is asynchronous where the command line says so.
    """
    config = types.GenerateContentConfig(
        tools=[*TOOLS.values()],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(maximum_remote_calls=20),
    )
    if "async" in asked.more:
        text, history = asyncio.run(chat_asynchronously(asked, config))
    else:
        text, history = chat(asked, config)
    report = Report()
    is_calling, last = False, ""
    for content in history:
        calls = [part.function_call for part in content.parts or () if part.function_call is not None]
        if calls and not is_calling:
            report.begin_round()
        is_calling = content.role == "model" and (is_calling or bool(calls))
        for call in calls:
            assert call.name is not None
            report.called(call.id, call.name, call.args or {})
        if content.role != "model":
            last = ""
        last += "".join(part.text or "" for part in content.parts or () if content.role == "model")
    assert text.endswith(last), text
    report.text = last
    report.write()


def talk(asked: Asked) -> None:
    """Print the texts that answer each further argument in one chat without functions."""
    client = asked.client()
    held = client.chats.create(model=asked.model)
    texts = []
    for prompt in asked.more:
        if asked.stream:
            texts.append("".join(chunk.text or "" for chunk in held.send_message_stream(prompt)))
        else:
            texts.append(held.send_message(prompt).text or "")
    sys.stdout.write(json.dumps({"texts": texts}) + "\n")


def chat(asked: Asked, config: types.GenerateContentConfig) -> tuple[str, Any]:
    """Return the last text and the history of a chat."""
    client = asked.client()
    held = client.chats.create(model=asked.model, config=config)
    if asked.stream:
        text = "".join(chunk.text or "" for chunk in held.send_message_stream(PROMPT))
    else:
        text = held.send_message(PROMPT).text or ""
    return text, held.get_history()


async def chat_asynchronously(asked: Asked, config: types.GenerateContentConfig) -> tuple[str, Any]:
    """Return the last text and the history of an asynchronous chat."""
    client = asked.client()
    held = client.aio.chats.create(model=asked.model, config=config)
    if asked.stream:
        text = "".join([chunk.text or "" async for chunk in await held.send_message_stream(PROMPT)])
    else:
        text = (await held.send_message(PROMPT)).text or ""
    return text, held.get_history()
