"""The baseline of a chat template: the features with which it accepts a plain history, written by hand.

Many templates have no tools or no images. A history that needs these cannot be rendered, whoever writes it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from tests.judges.asking import Worker

FEATURES = ("calls", "images", "tools")
"""Features that a template may lack, and that no change of the history can replace.

``calls`` are calls and results in the history, ``tools`` declarations in the request. A variant of a template for tools
needs declarations.
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
    """Yield bodies that any server with these features should accept. One accepted form is enough.

    The forms differ in what is beside a call: an empty text, null, or nothing.
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
