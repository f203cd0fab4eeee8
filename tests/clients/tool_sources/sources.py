"""The sources of tools, by name: each source is asked once per process, and only when a test needs it."""

from __future__ import annotations

import functools
import importlib.util
import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

import pytest

from tests.clients.running_clients import ENVIRONMENT, QUIET, existing, node, npm_packages
from tests.clients.tool_sources.mcp_servers import list_tools
from tests.clients.tool_sources.openapi import read_operations
from tests.clients.tool_sources.tool import Tool
from tests.process.running import ROOT, environment

NAME = attrgetter("name")


@dataclass(frozen=True)
class Source:
    """A source's name, and the function that gets its tools.

    The function skips the test if npm was unreachable at set-up.
    """

    name: str
    _get: Callable[[], Sequence[Tool]] = field(repr=False)

    @functools.cached_property
    def tools(self) -> Sequence[Tool]:
        """The source's tools, no name twice and no schema twice."""
        by_name = {tool.name: tool for tool in self._get()}
        return list({tool.meaning: tool for tool in by_name.values()}.values())


def npm_server(package: str, *arguments: str, **variables: str) -> Source:
    """Return the tools' source for the MCP server that is an npm package's command."""

    def get() -> list[Tool]:
        directory = npm_packages() / "node_modules" / package
        scripts = json.loads((directory / "package.json").read_text())["bin"]
        script = scripts if isinstance(scripts, str) else next(iter(scripts.values()))
        return list_tools([node(), str(directory / script), *arguments], environment(**variables))

    return Source(package, get)


def python_server(module: str, **variables: str) -> Source:
    """Return the tools' source for the MCP server that a Python package runs as a module."""

    def get() -> list[Tool]:
        return list_tools([_python(), "-m", module], environment(**variables))

    return Source(module, get)


def framework(name: str) -> Source:
    """Return the source of the tools that an agent framework makes of types (``python/framework_tools.py``)."""

    def get() -> list[Tool]:
        done = subprocess.run(
            [_python(), "-m", "tests.clients.python.framework_tools", name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=ROOT,
            env=environment(**QUIET),
            timeout=60,
            text=True,
            check=False,
        )
        if done.returncode:
            pytest.fail(f"{name} made no tools:\n{done.stderr}", pytrace=False)
        return [Tool(**tool) for tool in json.loads(done.stdout)]

    return Source(name, get)


def example_documents() -> list[Tool]:
    """Return the operations of the documents in ``@readme/oas-examples``: real APIs, and each feature of the format."""
    directory = npm_packages() / "node_modules" / "@readme" / "oas-examples"
    return [
        Tool(f"{tool.name}_{number}"[-64:], tool.description, tool.schema)
        for number, path in enumerate(sorted(directory.glob("3.*/json/**/*.json")))
        for tool in read_operations(json.loads(path.read_text()))
    ]


def litellm_documents() -> list[Tool]:
    """Return the operations of litellm's own server as tools, from the OpenAPI documents that FastAPI writes."""
    found = importlib.util.find_spec("litellm")
    assert found is not None
    assert found.submodule_search_locations
    path = Path(found.submodule_search_locations[0], "proxy", "_lazy_openapi_snapshot.json")
    return [tool for document in json.loads(path.read_text()).values() for tool in read_operations(document)]


SOURCES = (
    npm_server("@antv/mcp-server-chart"),
    npm_server("@modelcontextprotocol/server-everything", "stdio"),
    npm_server("@modelcontextprotocol/server-filesystem", "."),
    npm_server("@modelcontextprotocol/server-github"),
    npm_server("@modelcontextprotocol/server-memory"),
    npm_server("@notionhq/notion-mcp-server", NOTION_TOKEN="none"),  # written from an OpenAPI document
    npm_server(
        "@playwright/mcp",
        "--caps=config,devtools,network,pdf,storage,testing,tracing,vision",
        DO_NOT_TRACK="1",
    ),
    npm_server("chrome-devtools-mcp", "--no-usage-statistics", CI="1"),
    python_server("mcp_server_git", GIT_PYTHON_REFRESH="quiet"),
    python_server("mcp_server_time"),
    framework("langchain"),
    framework("openai-agents"),
    framework("pydantic-ai"),
    Source("@readme/oas-examples", example_documents),
    Source("litellm", litellm_documents),
)
"""Packages whose tools can be listed without a network, real keys or a browser."""


def _python() -> str:
    return existing(ENVIRONMENT / "bin" / "python")
