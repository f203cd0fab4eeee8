"""Tests of what a process imports whose deployments all take the direct transport."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from proxy.config.providers.find_provider import find_provider
from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_rows import ROWS
from tests.process.emulators import Gemini, in_a_thread
from tests.process.running import PATHS, ROOT, Running, command, environment
from tests.support.anthropic_emulator import ANTHROPIC
from tests.support.emulated import Emulator
from tests.support.openai_emulator import OPENAI, judge_openai_body
from tests.support.openai_emulator.wire import ChatWire

AZURE = ChatWire(
    judge_openai_body,
    base_path="",
    paths=("/openai/deployments/some-model/chat/completions", "/openai/v1/chat/completions"),
)
AZURE_V1 = "azure, at /openai/v1"
MODEL = "gemini-3.6-flash"
HEAVY = {"httpx", "litellm", "openai", "tiktoken", "tokenizers"}
"""Packages whose import takes seconds or much memory."""

TRACED = {"PYTHONPROFILEIMPORTTIME": "1", "PYTHONPATH": PATHS}
"""Variables with which Python names each import on standard error."""

VARIABLES = ("GROQ_API_KEY", "MISTRAL_API_KEY", "XAI_API_KEY", "OPENROUTER_API_KEY", "TOGETHERAI_API_KEY")


@pytest.fixture(scope="module")
def emulators() -> Iterator[dict[str, Emulator]]:
    """Run a server with OpenAI's endpoints, one with both forms of Azure's addresses, and one of Anthropic's."""
    with in_a_thread({"openai": OPENAI, "azure": AZURE, "anthropic": ANTHROPIC}) as running:
        yield running


@pytest.fixture(scope="module")
def imported_by_openai(directory: Path, emulators: dict[str, Emulator], http: httpx.Client) -> frozenset[str]:
    """Return the packages that a process with a deployment of ``openai/`` alone imports, after the same requests."""
    with _serving(directory, _config(emulators, ["openai"])) as (running, base_url):
        _ask_all(http, base_url, "openai", emulators["openai"])
    return _packages(running.errors)


def test_no_row_needs_more_packages_than_openai(
    directory: Path, emulators: dict[str, Emulator], http: httpx.Client, imported_by_openai: frozenset[str]
) -> None:
    """A process with all rows imports what a process with ``openai/`` does, after requests of every kind to each."""
    names = [*ROWS, *listed_providers(), AZURE_V1]

    with _serving(directory, _config(emulators, names)) as (running, base_url):
        for name in names:
            _ask_all(http, base_url, name, emulators["azure" if name.startswith("azure") else "openai"])

    assert not HEAVY & imported_by_openai
    assert _packages(running.errors) == imported_by_openai


def test_claude_needs_no_heavy_package(
    directory: Path, emulators: dict[str, Emulator], http: httpx.Client, imported_by_openai: frozenset[str]
) -> None:
    """A process with Claude alone imports what one with ``openai/`` does, for chats and for its own format."""
    config = _config(emulators, ["anthropic"])
    config["model_list"][0]["litellm_params"]["model"] = "anthropic/claude-sonnet-4-5"
    chat = {"model": "anthropic", "max_tokens": 100, "messages": [{"role": "user", "content": "x"}]}

    with _serving(directory, config) as (running, base_url):
        for path in ("chat/completions", "messages", "messages/count_tokens", "explain"):
            assert http.post(f"{base_url}/{path}", json=chat).status_code == 200
        for path, end in (("chat/completions", "[DONE]"), ("messages", '{"type":"message_stop"}')):
            streamed = http.post(f"{base_url}/{path}", json={**chat, "stream": True})
            assert streamed.text.rstrip().endswith(end)

    assert "proxy" in _packages(running.errors)
    assert _packages(running.errors) <= imported_by_openai


def test_gemini_needs_no_heavy_package(
    directory: Path,
    emulators: dict[str, Emulator],
    gemini: Gemini,
    http: httpx.Client,
    imported_by_openai: frozenset[str],
) -> None:
    """A process with Gemini alone imports what one with ``openai/`` does, for chats and for its own format."""
    config = _config(emulators, ["openai"])
    config["model_list"][0]["litellm_params"] |= {"model": f"gemini/{MODEL}", "api_base": gemini.api_base}
    config["model_list"][0]["model_name"] = MODEL
    chat = {"model": MODEL, "messages": [{"role": "user", "content": "x"}]}
    contents = {"contents": [{"parts": [{"text": "x"}]}]}

    with _serving(directory, config) as (running, base_url):
        assert http.post(f"{base_url}/chat/completions", json=chat).status_code == 200
        models = f"{base_url.removesuffix('/v1')}/v1beta/models/{MODEL}"
        for method in ("generateContent", "streamGenerateContent", "countTokens"):
            assert http.post(f"{models}:{method}", json=contents).status_code == 200

    assert "proxy" in _packages(running.errors)
    assert _packages(running.errors) <= imported_by_openai


def test_check_of_all_rows_imports_no_heavy_package(tmp_path: Path, emulators: dict[str, Emulator]) -> None:
    """``turnright check`` reads a file with all rows without importing litellm."""
    path = tmp_path / "rows.yaml"
    path.write_text(yaml.safe_dump(_config(emulators, [*ROWS, *listed_providers(), AZURE_V1])))

    done = subprocess.run(
        command("check", "--config", str(path)),
        env=environment(**TRACED),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    packages = _packages(done.stderr)
    assert "yaml" in packages
    assert not HEAVY & packages
    assert "litellm (" not in done.stdout, "each deployment is direct"


def test_process_without_a_file_imports_no_heavy_package(directory: Path) -> None:
    """A process that finds its providers in the environment alone imports nothing heavy either."""
    running = Running(
        directory, "serve", "--port", "0", variables={**TRACED, **dict.fromkeys(VARIABLES, "k")}
    )
    try:
        running.wait_for(lambda: running.events("ready"), "ready line")
    finally:
        running.stop()

    packages = _packages(running.errors)
    assert "aiohttp" in packages
    assert not HEAVY & packages


def _config(emulators: Mapping[str, Emulator], names: list[str]) -> dict[str, Any]:
    """Return a configuration with a deployment of each row."""
    return {
        "model_list": [
            {"model_name": name, "litellm_params": _parameters(emulators, name)} for name in names
        ],
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {"num_retries": 0, "cooldown_time": 0},
    }


def _parameters(emulators: Mapping[str, Emulator], name: str) -> dict[str, Any]:
    prefix = name.partition(",")[0]
    server = emulators.get(prefix, emulators["openai"])
    given = {"model": f"{prefix}/some-model", "api_key": "k", "api_base": server.base_url}
    if prefix == "huggingface":
        given["model"] = "huggingface/org/some-model"
    if prefix == "azure":
        given |= {"api_version": "v1" if name == AZURE_V1 else "2024-10-21"}
    return given


@contextmanager
def _serving(directory: Path, config: Mapping[str, Any]) -> Iterator[tuple[Running, str]]:
    """Serve *config* while the context lasts, and yield the process and its address."""
    path = directory / f"imports-{len(config['model_list'])}.yaml"
    path.write_text(yaml.safe_dump(dict(config)))
    running = Running(directory, "serve", "--config", str(path), "--port", "0", variables=TRACED)
    try:
        ready = running.wait_for(lambda: next(iter(running.events("ready")), None), "ready line")
        yield running, ready["base_url"]
    finally:
        running.stop()


def _ask_all(http: httpx.Client, base_url: str, name: str, emulator: Emulator) -> None:
    """Send requests of every kind to one deployment: chats, a failure, an explanation, embeddings and a text."""
    row = find_provider(name.partition(",")[0])
    assert row is not None
    chat = {"model": name, "messages": [{"role": "user", "content": "x"}]}

    def status(path: str, body: Mapping[str, Any]) -> int:
        return http.post(f"{base_url}/{path}", json=body).status_code

    assert status("chat/completions", chat) == 200
    assert http.post(f"{base_url}/chat/completions", json={**chat, "stream": True}).text.endswith(
        "[DONE]\n\n"
    )
    emulator.faults.append({"status": 400, "message": "no"})
    assert status("chat/completions", chat) == 400
    assert status("explain", chat) == 200
    is_there = emulator.base_url.endswith("/v1")  # Azure's server has chats alone
    embedded = status("embeddings", {"model": name, "input": "x"})
    assert embedded == (400 if not row.embeddings else 200 if is_there else 404)
    assert status("completions", {"model": name, "prompt": "x"}) == 200


def _packages(traced: str) -> frozenset[str]:
    """Return the packages that Python named as imported."""
    lines = (line for line in traced.splitlines() if line.startswith("import time:"))
    return frozenset(line.rpartition("|")[2].strip().partition(".")[0] for line in lines)
