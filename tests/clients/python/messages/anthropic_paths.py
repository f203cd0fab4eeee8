"""Uses the other paths of anthropic's client: the count of tokens, the list of models, and one model."""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.clients.python.messages.asked import TOOLS, Asked


def main(asked: Asked) -> None:
    """Print what the client says of each path, as JSON."""
    client = asked.client()
    messages: Any = [{"role": "user", "content": "Hello there."}]
    few = client.messages.count_tokens(model=asked.model, messages=messages)
    many = client.messages.count_tokens(model=asked.model, messages=messages, tools=TOOLS, system="Be brief.")
    page = client.models.list(limit=1)
    one = client.models.retrieve(asked.model)
    told = {
        "counts": few.input_tokens,
        "counts more with tools": many.input_tokens > few.input_tokens,
        "models": sorted(model.id for model in client.models.list()),
        "a page": [len(page.data), page.has_more],
        "model": [one.type, one.id],
        "is in time": one.created_at.year >= 1970,
    }
    sys.stdout.write(json.dumps(told) + "\n")
