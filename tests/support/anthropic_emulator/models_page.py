"""Answers what clients ask about models: the list, and one model.

Source: platform.claude.com/docs/en/api/models-list.
"""

from typing import Any

from tests.support.anthropic_emulator.errors import Refusal
from tests.support.anthropic_emulator.models import Claude, find_model

NAMES = ("claude-opus-4-8", "claude-sonnet-4-6", "claude-haiku-4-5")


def models_answer(path: str) -> Refusal | dict[str, Any]:
    """Return the answer to a GET of *path*, which begins with `/v1/models`."""
    name = path.removeprefix("/v1/models").strip("/")
    if not name:
        listed = [_entry(known, find_model(known)) for known in NAMES]
        return {"data": listed, "has_more": False, "first_id": NAMES[0], "last_id": NAMES[-1]}
    model = find_model(name)
    return Refusal(f"model: {name}", 404) if model is None else _entry(name, model)


def _entry(name: str, model: Claude | None) -> dict[str, Any]:
    return {
        "type": "model",
        "id": name,
        "display_name": name.replace("-", " ").title(),
        "created_at": "2026-01-01T00:00:00Z",
        "max_input_tokens": 200_000,
        "max_tokens": 0 if model is None else model.max_tokens,
    }
