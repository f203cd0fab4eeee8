"""Prints, as JSON, the tools that an agent framework makes of types, which are the same for each framework.

The types are the request parameters of the Model Context Protocol. Two of the frameworks also have tools of their own,
which are printed too. Only the framework in question is imported, since each import takes seconds.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import mcp_types
from pydantic import BaseModel

Json = dict[str, Any]


def requests() -> Iterator[type[BaseModel]]:
    """Yield the protocol's types of request parameters, sorted by name."""
    for name, found in sorted(vars(mcp_types).items()):
        if name.endswith("Params") and inspect.isclass(found) and issubclass(found, BaseModel):
            yield found


def takes(model: type[BaseModel]) -> Callable[..., str]:
    """Return a function with a parameter of the type *model*, of which a framework makes a tool."""

    def run(request: Any, note: str | None = None) -> str:
        return f"{request} {note}"

    run.__name__ = model.__name__
    run.__doc__ = f"Run {model.__name__}."
    run.__annotations__["request"] = model
    return run


def tool(name: str, description: str | None, schema: Json) -> Json:
    """Return a tool as :mod:`tests.clients.tool_sources.sources` reads it."""
    return {"name": name, "description": description or "", "schema": schema}


def langchain() -> Iterator[Json]:
    """Yield the tools that langchain-core makes of the types, without and with OpenAI's strict mode."""
    from langchain_core.utils.function_calling import convert_to_openai_tool

    for strict in (False, True):
        for model in requests():
            function = convert_to_openai_tool(model, strict=strict)["function"]
            name = f"{function['name']}{'_strict' * strict}"
            yield tool(name, function.get("description"), function["parameters"])


def openai_agents() -> Iterator[Json]:
    """Yield the tools of openai-agents' sandbox, and tools made of functions that take the types.

    The tools made of functions also come in strict mode where possible.
    """
    from agents import function_tool
    from agents.exceptions import UserError
    from agents.sandbox.capabilities.tools import shell_tool, view_image

    for own in (shell_tool.ExecCommandTool, shell_tool.WriteStdinTool, view_image.ViewImageTool):
        yield tool(own.tool_name, own.tool_description, own.args_model.model_json_schema())
    for model in requests():
        for strict in (True, False):
            try:
                made = function_tool(takes(model), strict_mode=strict)
            except UserError:  # strict mode takes no open objects
                continue
            yield tool(f"{made.name}{'_strict' * strict}", made.description, made.params_json_schema)


def pydantic_ai() -> Iterator[Json]:
    """Yield tools made of the methods of pydantic-ai's workspace, and of functions that take the types."""
    from pydantic_ai import Tool
    from pydantic_ai.workspaces import Workspace

    for name, method in inspect.getmembers(Workspace, inspect.iscoroutinefunction):
        if not name.startswith("_"):
            definition = Tool(method.__get__(object.__new__(Workspace))).tool_def
            yield tool(name, definition.description, definition.parameters_json_schema)
    for model in requests():
        definition = Tool(takes(model)).tool_def
        yield tool(definition.name, definition.description, definition.parameters_json_schema)


if __name__ == "__main__":
    made = {"langchain": langchain, "openai-agents": openai_agents, "pydantic-ai": pydantic_ai}
    json.dump(list(made[sys.argv[1]]()), sys.stdout)
