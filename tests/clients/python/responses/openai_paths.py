"""Calls the other paths of the Responses API with openai-python, and prints what its objects hold."""

from __future__ import annotations

import json
import sys
from typing import Any

from openai import BadRequestError, NotFoundError, OpenAI


def main() -> None:
    """Store, read, list, count, compact, continue and delete. The arguments are ``BASE_URL MODEL FACT``."""
    base_url, model, fact = sys.argv[1:]
    client = OpenAI(base_url=base_url, api_key="none", max_retries=0)
    told: dict[str, Any] = {}

    first = client.responses.create(model=model, input=fact, metadata={"run": "one"})
    found = client.responses.retrieve(first.id)
    told["is found"] = (found.id, found.output_text, found.metadata) == (
        first.id,
        first.output_text,
        {"run": "one"},
    )
    with client.responses.retrieve(first.id, stream=True) as events:
        told["events"] = [event.type for event in events][-1]
    listed: Any = client.responses.input_items.list(first.id)
    told["inputs"] = [item.content[0].text for item in listed]
    told["tokens"] = client.responses.input_tokens.count(model=model, input=fact).input_tokens

    compacted: Any = client.responses.compact(model=model, previous_response_id=first.id)
    told["compacted"] = [item.type for item in compacted.output]
    again: Any = [*compacted.output, {"role": "user", "content": "Which room?"}]
    told["after"] = client.responses.create(model=model, input=again, store=False).output_text

    conversation = client.conversations.create(items=[{"role": "user", "content": fact, "type": "message"}])
    client.responses.create(model=model, input="Which room?", conversation=conversation.id)
    told["items"] = [item.type for item in client.conversations.items.list(conversation.id, order="asc")]
    told["deleted"] = client.conversations.delete(conversation.id).deleted

    client.responses.delete(first.id)
    told["errors"] = [error_of(client, model, first.id), missing(client, first.id)]
    sys.stdout.write(json.dumps(told) + "\n")


def error_of(client: OpenAI, model: str, response_id: str) -> list[Any]:
    """Return the code and the param of the error for a previous response that is gone."""
    try:
        client.responses.create(model=model, input="Hello.", previous_response_id=response_id)
    except BadRequestError as error:
        return [error.code, error.param]
    return []


def missing(client: OpenAI, response_id: str) -> int:
    """Return the status for a response that is gone."""
    try:
        client.responses.retrieve(response_id)
    except NotFoundError as error:
        return error.status_code
    return 200


if __name__ == "__main__":
    main()
