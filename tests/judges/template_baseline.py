"""Finds the features that a chat template supports, by asking it to render plain requests that are written by hand.

Many templates support no tools or no images. They cannot render a history that needs these, whatever turnright writes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from tests.judges.asking import Worker

FEATURES = ("calls", "images", "tools")
"""Features that a template may lack, and that no change of the history can replace.

``calls`` are calls and results in the history, ``tools`` declarations in the request. A template that is made for tools
may require declarations.
"""

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}

TOOL = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Looks.",
        "parameters": {"type": "object", "properties": {"at": {"type": "string", "description": "Where."}}},
    },
}


def plain_bodies(features: frozenset[str]) -> Iterator[dict[str, Any]]:
    """Yield bodies that any template with these features should accept.

    The template supports the features if it accepts one of the bodies.

    The bodies differ in the content of the turn with the call: an empty text, null, or none.
    """
    question: Any = "Look at it."
    if "images" in features:
        question = [{"type": "text", "text": question}, IMAGE]
    declared = {"tools": [TOOL]} if "tools" in features else {}
    answered = [{"role": "assistant", "content": "I see it."}, _user("And now?")]
    if "calls" not in features:
        yield {"messages": [_user(question), *answered], **declared}
        return
    call = {"id": "abcdefgh1", "type": "function", "function": {"name": "look", "arguments": '{"at": "x"}'}}
    result = {"role": "tool", "tool_call_id": "abcdefgh1", "content": "seen"}
    for content in ({"content": ""}, {"content": None}, {}):
        spoken = {"role": "assistant", "tool_calls": [call], **content}
        yield {"messages": [_user(question), spoken, result, *answered], **declared}


def accepted_features(worker: Worker, template: str) -> frozenset[frozenset[str]]:
    """Return the sets of features that the template accepts."""
    sets = [
        frozenset(chosen)
        for count in range(len(FEATURES) + 1)
        for chosen in itertools.combinations(FEATURES, count)
    ]
    return frozenset(
        features
        for features in sets
        if any(not worker.ask([template], body) for body in plain_bodies(features))
    )


def _user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}
