"""Asks with limited keys by openai-python, and tells which exception each refusal has become."""

from __future__ import annotations

import sys
from typing import Any

from openai import APIStatusError, OpenAI

from tests.clients.python.limits.asked import tell


def main() -> None:
    """Print the class, the status, the type and the code of each exception. The first argument names the API."""
    api, base_url, model, *steps = sys.argv[1:]

    def ask(key: str, retries: int) -> list[Any] | None:
        client = OpenAI(base_url=base_url, api_key=key, max_retries=retries)
        try:
            if api == "responses":
                client.responses.create(model=model, input="Hello.", store=False)
            elif api == "embeddings":
                client.embeddings.create(model=model, input="Hello.")
            else:
                messages: Any = [{"role": "user", "content": "Hello."}]
                client.chat.completions.create(model=model, messages=messages, max_tokens=16)
        except APIStatusError as error:
            return [type(error).__name__, error.status_code, error.type, error.code]
        return None

    tell(steps, ask)


if __name__ == "__main__":
    main()
