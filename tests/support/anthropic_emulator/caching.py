"""Checks the `cache_control` marks of a request: at most four, all of the type `ephemeral`.

Sources: too many, continue#6937; an empty text cannot be marked, dario#1066; the kinds,
docs.anthropic.com/en/docs/build-with-claude/prompt-caching.
"""

from collections.abc import Iterator
from typing import Any

from tests.support.anthropic_emulator.terms import Terms

MAX_MARKS = 4
TOO_MANY = "A maximum of 4 blocks with cache_control may be provided. Found {count}."
ON_EMPTY = "{path}.text: cache_control cannot be set for empty text blocks"


_SCOPE = ("scope",)


def cache_marks(body: dict[str, Any]) -> list[str]:
    """Return the paths of the marked blocks, such as `tools.0`, `system.1` or `messages.2.content.0`."""
    return [path for path, _ in _marked(body)]


def cache_faults(body: dict[str, Any], terms: Terms) -> Iterator[str]:
    """Yield Anthropic's error text for each fault of the `cache_control` marks. A mark's `scope` is a beta."""
    for path, block in _marked(body):
        mark = block["cache_control"]
        kind = mark.get("type") if isinstance(mark, dict) else None
        if kind != "ephemeral":
            yield f"{path}.cache_control.type: Input should be 'ephemeral'"
        elif mark.get("ttl", "5m") not in ("5m", "1h"):
            yield f"{path}.cache_control.ephemeral.ttl: Input should be '5m' or '1h'"
        elif unknown := mark.keys() - {"type", "ttl", *_SCOPE[: terms.has_any(("prompt-caching-scope",))]}:
            yield f"{path}.cache_control.ephemeral.{min(unknown)}: Extra inputs are not permitted"
        elif block.get("type") == "text" and not block["text"]:
            yield ON_EMPTY.format(path=path)
    count = len(cache_marks(body))
    if count > MAX_MARKS:
        yield TOO_MANY.format(count=count)


def _marked(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, block in _blocks(body):
        if block.get("cache_control") is not None:
            yield path, block


def _blocks(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from _listed("tools", body.get("tools"))
    yield from _listed("system", body.get("system"))
    for index, message in enumerate(body["messages"]):
        for path, block in _listed(f"messages.{index}.content", message["content"]):
            yield path, block
            yield from _listed(f"{path}.content", block.get("content"))


def _listed(path: str, blocks: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(blocks, list):
        yield from ((f"{path}.{index}", block) for index, block in enumerate(blocks))
