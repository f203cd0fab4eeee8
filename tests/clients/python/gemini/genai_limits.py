"""Asks with limited keys by google-genai, and tells which exception each refusal has become."""

from __future__ import annotations

from typing import Any

from google.genai import Client, types
from google.genai.errors import APIError

from tests.clients.python.gemini.asked import Asked
from tests.clients.python.limits.asked import tell


def main(asked: Asked) -> None:
    """Print the class, the code, the status and the code of the gateway of each exception.

    The further arguments are the steps. The client repeats a request after waits of its own.
    """

    def ask(key: str, retries: int) -> list[Any] | None:
        again = (
            types.HttpRetryOptions(attempts=retries + 1, initial_delay=1.0, jitter=0.0) if retries else None
        )
        options = types.HttpOptions(base_url=asked.origin, retry_options=again)
        client = Client(api_key=key, http_options=options)
        config = types.GenerateContentConfig(max_output_tokens=16)
        try:
            client.models.generate_content(model=asked.model, contents="Hello.", config=config)
        except APIError as error:
            return [type(error).__name__, error.code, error.status, code_of(error.details)]
        return None

    tell(asked.more, ask)


def code_of(body: Any) -> str | None:
    """Return the gateway's code in an error's body."""
    details = body.get("error", body).get("details", ())
    return next((detail["metadata"]["code"] for detail in details if "metadata" in detail), None)
