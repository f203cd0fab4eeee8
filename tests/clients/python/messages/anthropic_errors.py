"""Asks as often as the command line says, and tells which exception of anthropic's client each failure has become.

The further arguments are the keys of the requests, one for each.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from anthropic import APIStatusError

from tests.clients.python.messages.asked import Asked


def main(asked: Asked) -> None:
    """Print each exception's class, status and type, its words, and whether it has the request's id."""
    told: list[Any] = []
    for number, key in enumerate(asked.more):
        client = asked.client(key)
        messages = [{"role": "user", "content": f"Hello for the {number + 1}. time."}]
        settings: Any = {"model": asked.model, "max_tokens": 64, "messages": messages}
        try:
            if asked.stream:
                with client.messages.stream(**settings) as stream:
                    stream.get_final_message()
            else:
                client.messages.create(**settings)
            told.append(None)
        except APIStatusError as error:
            body: Any = error.body
            has_id = bool(error.request_id) and error.request_id == body["request_id"]
            told.append(
                [
                    type(error).__name__,
                    error.status_code,
                    body["error"]["type"],
                    body["error"]["message"],
                    has_id,
                ]
            )
    sys.stdout.write(json.dumps({"errors": told}) + "\n")
