"""Tests that only the modules for OpenAI's format write its error envelope, end of streams, and prefixes of ids."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OPENAI_ROOMS = ("proxy/ingress/openai_", "proxy/upstream/wires/", "proxy/emulator/")
"""The path prefixes of the modules that may write OpenAI's format: client formats, wires and the emulator."""

OPENAI_WORDS = re.compile(r"cmpl-|\[DONE\]|\{\s*[\"']error[\"']\s*:")
"""The prefixes of OpenAI's ids, the end of its streams, and its envelope in a text."""


def openai_words(source: str) -> list[str]:
    """Return the parts of OpenAI's format in *source*: constants, and the envelope as a dict.

    Docstrings are not searched.
    """
    nodes = list(ast.walk(ast.parse(source)))
    told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found = []
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and id(node) not in told:
            text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
            found += OPENAI_WORDS.findall(text)
        if isinstance(node, ast.Dict):
            fields = {
                key.value: value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant)
            }
            if {"message", "type", "param", "code"} <= fields.keys() or isinstance(
                fields.get("error"), ast.Dict
            ):
                found.append("the envelope")
    return found


def test_openai_formats_alone_know_how_openai_writes() -> None:
    """Only the modules under :data:`OPENAI_ROOMS` write parts of OpenAI's format.

    Any other module would send these parts to clients of another format.
    """
    paths = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "proxy").rglob("*.py")}
    found = {
        name: words
        for name, path in sorted(paths.items())
        if not name.startswith(OPENAI_ROOMS) and (words := openai_words(path.read_text(encoding="utf-8")))
    }

    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        'made = f"chatcmpl-{name}"',
        'made = f"cmpl-{name}"',
        'last = b"data: [DONE]\\n\\n"',
        'body = {"error": {"message": "No."}}',
        'body["error"] = {"message": m, "type": t, "param": None, "code": c}',
        "raw = b'{\"error\":{}}'",
    ],
)
def test_the_search_finds_each_word(source: str) -> None:
    """The search finds each part of the format in code. Otherwise the rule above could not fail."""
    assert openai_words(source)
    assert not openai_words(repr(source))
