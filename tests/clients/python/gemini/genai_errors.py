"""Asks as often as the command line says, and tells which exception of google-genai each failure has become.

The further arguments are the keys of the requests, one for each.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from google.genai.errors import APIError

from tests.clients.python.gemini.asked import Asked


def main(asked: Asked) -> None:
    """Print each exception's class, code and status, its words, and the delay that it names."""
    told: list[Any] = []
    for number, key in enumerate(asked.more):
        client = asked.client(key)
        settings: Any = {"model": asked.model, "contents": f"Hello for the {number + 1}. time."}
        try:
            if asked.stream:
                for _ in client.models.generate_content_stream(**settings):
                    pass
            else:
                client.models.generate_content(**settings)
            told.append(None)
        except APIError as error:
            told.append(
                [type(error).__name__, error.code, error.status, error.message, delay_of(error.details)]
            )
    sys.stdout.write(json.dumps({"errors": told}) + "\n")


def delay_of(body: Any) -> str | None:
    """Return the delay of the ``RetryInfo`` in an error's body."""
    error = body.get("error", body)
    found = [detail["retryDelay"] for detail in error.get("details", ()) if "retryDelay" in detail]
    return found[0] if found else None
