"""Tests that the blocks for clients in ``docs/responses.md`` work through turnright."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.clients.running_clients import ENVIRONMENT, existing, node, npm_packages
from tests.clients.test_documented_clients import ADDRESS, MODEL, WORDS, output_of
from tests.process.emulators import Gemini
from tests.process.running import ROOT, Served

PAGE = (ROOT / "docs" / "responses.md").read_text(encoding="utf-8")
CLIENTS = PAGE.split("\n## Clients\n")[1].split("\n## ")[0]
BLOCKS: dict[str, str] = dict(
    re.findall(r"^### (.+?)$[^#]*?^```\w+\n(.*?)^```$", CLIENTS, re.MULTILINE | re.DOTALL)
)
"""The page's code block for each client, by the client's heading."""

PYTHON = ("OpenAI SDK for Python", "openai-agents", "LangChain", "pydantic-ai")
NODE = ("OpenAI SDK for JavaScript", "AI SDK")


def check_printed(gemini: Gemini, output: str) -> None:
    """Check that the client printed the model's words, and that the provider took each of its requests."""
    journal = gemini.journal()

    assert WORDS in output
    assert {entry["verdict"]["status"] for entry in journal} == {200}


def block(client: str, served: Served, gemini: Gemini) -> str:
    """Return the block of *client* with the address of *served*, after an answer is given for each of its requests."""
    text = BLOCKS[client]
    assert ADDRESS in text
    assert MODEL in text
    for _ in range(max(1, text.count("responses.create"))):
        gemini.say(WORDS)
    return text.replace(ADDRESS, served.base_url)


def test_every_block_is_run_or_compared() -> None:
    """Every block is listed in this module."""
    assert set(BLOCKS) == {*PYTHON, *NODE, "codex"}


@pytest.mark.parametrize("client", PYTHON)
def test_block_of_python_prints_the_answer(
    served: Served, gemini: Gemini, tmp_path: Path, client: str
) -> None:
    """Each Python block prints the model's answer, unchanged except for its address."""
    python = existing(ENVIRONMENT / "bin" / "python")

    check_printed(gemini, output_of([python, "-c", block(client, served, gemini)], tmp_path))


@pytest.mark.parametrize("client", NODE)
def test_block_of_javascript_prints_the_answer(
    served: Served, gemini: Gemini, tmp_path: Path, client: str
) -> None:
    """Each JavaScript block prints the model's answer when it is run as a module next to its packages."""
    (tmp_path / "node_modules").symlink_to(npm_packages() / "node_modules")
    module = tmp_path / "block.mjs"
    module.write_text(block(client, served, gemini), encoding="utf-8")

    check_printed(gemini, output_of([node(), module], tmp_path))


def test_codex_is_told_the_address_and_the_format() -> None:
    """The block is a TOML file whose provider is the one that it declares. codex takes no other ``wire_api``."""
    config = tomllib.loads(BLOCKS["codex"])
    provider = config["model_providers"][config["model_provider"]]

    assert config["model"] == MODEL
    assert (provider["base_url"], provider["wire_api"]) == (ADDRESS, "responses")
