"""Asks with limited keys by anthropic's client, and tells which exception each refusal has become."""

from __future__ import annotations

from typing import Any

from anthropic import APIStatusError

from tests.clients.python.limits.asked import tell
from tests.clients.python.messages.asked import Asked


def main(asked: Asked) -> None:
    """Print the class, the status, the type and the code of each exception. The further arguments are the steps."""

    def ask(key: str, retries: int) -> list[Any] | None:
        client = asked.client(key).with_options(max_retries=retries)
        messages: Any = [{"role": "user", "content": "Hello."}]
        try:
            client.messages.create(model=asked.model, max_tokens=16, messages=messages)
        except APIStatusError as error:
            body: Any = error.body
            found = body["error"]
            return [type(error).__name__, error.status_code, found["type"], found["details"]["error_code"]]
        return None

    tell(asked.more, ask)
