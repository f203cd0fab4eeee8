"""Tests that every block of ``docs/clients.md`` works through turnright, or has its client's documented settings."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
import yaml

from tests.clients.conftest import GEMINI_MODEL
from tests.clients.running_clients import ENVIRONMENT, QUIET, SECONDS, existing, node, npm_packages
from tests.process.emulators import Gemini
from tests.process.running import ROOT, Served, environment

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
BLOCKS: dict[str, str] = dict(
    re.findall(r"^## (.+?)$[^#]*?^```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
)
"""The page's code block for each client, by the client's heading."""

ADDRESS = "http://127.0.0.1:4000/v1"
MODEL = f"gemini/{GEMINI_MODEL}"
WORDS = "Nothing is lost."

PYTHON = ("OpenAI SDK for Python", "LangChain", "openai-agents", "pydantic-ai")
NODE = ("OpenAI SDK for JavaScript", "AI SDK")
COMMANDS = ("opencode", "Continue", "aider")
NOT_RUN = ("Cline", "LibreChat", "Open WebUI", "Clients in containers")

LOOPBACK_ONLY = {
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1,localhost",
    "CONTINUE_TELEMETRY_ENABLED": "0",
}
"""Variables that keep a client from reporting to its maker or looking for updates: port 9 has no listener."""


def block(client: str, served: Served) -> str:
    """Return the block of *client* with the address of *served*."""
    text = BLOCKS[client]
    assert ADDRESS in text
    assert MODEL in text
    return text.replace(ADDRESS, served.base_url)


def output_of(command: Sequence[str | Path], directory: Path, variables: Mapping[str, str] = QUIET) -> str:
    """Run *command* in *directory* and return what it prints. Fails with the command's error output."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=directory,
        env=environment(**{"HOME": str(directory), **variables}),
        timeout=SECONDS,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_answer(gemini: Gemini, output: str) -> None:
    """Check that the client printed the model's words, and that the provider took its request."""
    journal = gemini.journal()

    assert WORDS in output
    assert journal
    assert {entry["verdict"]["status"] for entry in journal} == {200}


def test_every_block_is_run_or_compared() -> None:
    """Every block of the page is listed in this module, and each client has a row in the page's table."""
    table = PAGE.split("| client |")[1].split("\n\n")[0]

    assert set(BLOCKS) == {*PYTHON, *NODE, *COMMANDS, *NOT_RUN}
    assert set(re.findall(r"\[([^\]]+)\]\(#", table)) == set(BLOCKS) - {"Clients in containers"}


@pytest.mark.parametrize("client", PYTHON)
def test_block_of_python_prints_the_answer(
    served: Served, gemini: Gemini, tmp_path: Path, client: str
) -> None:
    """Each Python block prints the model's answer, unchanged except for its address."""
    gemini.say(WORDS)
    python = existing(ENVIRONMENT / "bin" / "python")

    check_answer(gemini, output_of([python, "-c", block(client, served)], tmp_path))


@pytest.mark.parametrize("client", NODE)
def test_block_of_javascript_prints_the_answer(
    served: Served, gemini: Gemini, tmp_path: Path, client: str
) -> None:
    """Each JavaScript block prints the model's answer when it is run as a module next to its packages."""
    gemini.say(WORDS)
    (tmp_path / "node_modules").symlink_to(npm_packages() / "node_modules")
    module = tmp_path / "block.mjs"
    module.write_text(block(client, served), encoding="utf-8")

    check_answer(gemini, output_of([node(), module], tmp_path))


def ask_opencode(text: str, directory: Path) -> tuple[list[str], dict[str, str]]:
    """Return the command line and the variables of opencode, with the block as its configuration file."""
    (directory / "opencode.json").write_text(text, encoding="utf-8")
    return ["opencode", "run", "say hello"], {}


def ask_continue(text: str, directory: Path) -> tuple[list[str], dict[str, str]]:
    """Return the command line and the variables of Continue's ``cn``, with the block as its configuration file."""
    (directory / "config.yaml").write_text(text, encoding="utf-8")
    return ["cn", "--print", "--config", "config.yaml", "say hello"], {}


def ask_aider(text: str, directory: Path) -> tuple[list[str], dict[str, str]]:
    """Return the command line and the variables of aider, both read from the block."""
    export, command = text.splitlines()
    variables = dict(word.split("=", 1) for word in export.split()[1:])
    quiet = ("--no-git", "--no-analytics", "--no-check-update", "--no-show-model-warnings", "--yes-always")
    return [*command.split(), *quiet, "--message", "say hello"], variables


@pytest.mark.parametrize(
    ("client", "ask"), [("opencode", ask_opencode), ("Continue", ask_continue), ("aider", ask_aider)]
)
def test_agent_answers_with_the_file_that_is_shown(
    served: Served,
    gemini: Gemini,
    tmp_path: Path,
    client: str,
    ask: Callable[[str, Path], tuple[list[str], dict[str, str]]],
) -> None:
    """The agent prints the model's answer when the page's block is its settings.

    The test is skipped if the agent is not installed.
    """
    for _ in range(2):  # opencode also asks for a title
        gemini.say(WORDS)
    (name, *arguments), variables = ask(block(client, served), tmp_path)
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")

    said = output_of([path, *arguments], tmp_path, {**LOOPBACK_ONLY, **variables, "PATH": os.environ["PATH"]})

    check_answer(gemini, said)


def test_librechat_s_file_has_the_fields_of_its_schema() -> None:
    """The block has the fields that ``endpointSchema`` of librechat-data-provider 0.8.524 requires."""
    [endpoint] = yaml.safe_load(BLOCKS["LibreChat"])["endpoints"]["custom"]

    assert endpoint.keys() == {"name", "apiKey", "baseURL", "models"}
    assert endpoint["models"] == {"default": [MODEL], "fetch": True}
    assert endpoint["baseURL"].endswith(":4000/v1")


def test_open_webui_s_variables_are_those_of_its_documentation() -> None:
    """The block sets two variables of docs.openwebui.com, "Environment Variable Configuration" (November 2026)."""
    variables = dict(re.findall(r"--env (\w+)=(\S+)", BLOCKS["Open WebUI"]))

    assert variables.keys() == {"OPENAI_API_BASE_URL", "OPENAI_API_KEY"}
    assert variables["OPENAI_API_BASE_URL"].endswith(":4000/v1")


def test_opencode_s_model_is_one_that_its_file_declares() -> None:
    """The model name of opencode is the provider in its file, a slash, and the model that this provider declares."""
    config = json.loads(BLOCKS["opencode"])
    provider, _, model = config["model"].partition("/")

    assert model in config["provider"][provider]["models"]
