"""Runs anthropic's client for one task: tools, other paths, errors, or limits. The import takes seconds."""

from __future__ import annotations

from tests.clients.python.messages import anthropic_errors, anthropic_limits, anthropic_paths, with_anthropic
from tests.clients.python.messages.asked import Asked

TASKS = {
    "tools": with_anthropic.main,
    "paths": anthropic_paths.main,
    "errors": anthropic_errors.main,
    "limits": anthropic_limits.main,
}

if __name__ == "__main__":
    asked = Asked.read()
    TASKS[asked.task](asked)
