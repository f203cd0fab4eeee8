"""Runs google-genai for one task. The import takes seconds."""

from __future__ import annotations

from tests.clients.python.gemini import (
    genai_chat,
    genai_errors,
    genai_limits,
    genai_others,
    genai_paths,
    with_genai,
)
from tests.clients.python.gemini.asked import Asked

TASKS = {
    "tools": with_genai.main,
    "chat": genai_chat.main,
    "talk": genai_chat.talk,
    "paths": genai_paths.main,
    "errors": genai_errors.main,
    "limits": genai_limits.main,
    "search": genai_others.search,
    "picture": genai_others.picture,
    "structured": genai_others.structured,
    "missing": genai_others.missing,
}

if __name__ == "__main__":
    asked = Asked.read()
    TASKS[asked.task](asked)
