"""Lists what clients and operators can rely on, read from the code, so that tests can check the documents."""

from __future__ import annotations

import argparse
import ast
import functools
import importlib
import pkgutil
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from aiohttp import hdrs, web
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from proxy.cli.main import make_parser
from proxy.config import schema
from proxy.config.schema.section import Section
from proxy.core import errors
from proxy.observability.metrics import Metrics
from proxy.observability.metrics.labelled import Labelled
from proxy.planning import plan
from proxy.resilience import client_error

ROOT = Path(__file__).resolve().parents[2]


def commands() -> Iterator[str]:
    """Yield every subcommand, and every argument of each."""
    parser = make_parser()
    found = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    for name, command in found.choices.items():
        yield f"turnright {name}"
        for action in command._actions:
            flags = [flag for flag in action.option_strings if flag.startswith("--")]
            if flags != ["--help"]:
                yield f"turnright {name} {flags[0] if flags else action.metavar or action.dest}"


def sections() -> list[type[Section]]:
    """Return the class of every section of a configuration."""
    for module in pkgutil.iter_modules(schema.__path__):
        importlib.import_module(f"{schema.__name__}.{module.name}")
    found, waiting = [], [Section]
    while waiting:
        waiting += (below := waiting.pop().__subclasses__())
        found += [one for one in below if one.where]
    return found


def settings() -> Iterator[tuple[str, object]]:
    """Yield every setting's path and default, which is ``PydanticUndefined`` for a required setting."""
    for one in sections():
        for name, field in one.model_fields.items():
            default = field.get_default(call_default_factory=True, validated_data={})
            yield f"{one.where}.{name}", default


def show_default(default: object) -> str:
    """Return a setting's default as the documents write it."""
    if default is PydanticUndefined:
        return "required"
    if isinstance(default, BaseModel):
        return "see its settings"
    if default is None or default in ((), {}):
        return "none"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, tuple):
        return ", ".join(f"`{entry}`" for entry in default)
    return f"`{default:g}`" if isinstance(default, int | float) else f"`{default}`"


class Metric(NamedTuple):
    """One metric: its type, and its labels in order, joined by commas."""

    type: str
    labels: str


def metrics() -> dict[str, Metric]:
    """Return every metric by its name."""
    every = Metrics()
    every.gen_ai()
    every.learned_repairs.count = lambda: {("a-model", "a-fault"): 1}
    every.budget_used.ratios = {"a-key": 0.5}
    found = {}
    for family in every.registry.collect():
        name = f"{family.name}_total" if family.type == "counter" else family.name
        collector = every.registry._names_to_collectors.get(name)
        labels = _labels(collector) or list(family.samples[0].labels if family.samples else ())
        found[name] = Metric(family.type, ", ".join(labels))
    return found


def _labels(collector: object) -> Sequence[str]:
    """Return the label names of a metric, which is an object of this project's class or of the library's."""
    return collector.names if isinstance(collector, Labelled) else getattr(collector, "_labelnames", ())


class Code(NamedTuple):
    """An error code with its status and type. The status is None where the provider's own status is passed on."""

    code: str
    status: int | None
    type: str


def error_codes() -> set[Code]:
    """Return every error code of the proxy's error classes, and the codes of provider failures.

    A limit of a client's key has the code of a provider's limit, with a status of its own.
    """
    importlib.import_module("proxy.server.app")  # imports every room that has error classes
    found, permanent = set[Code](), set[str]()
    waiting = [errors.ProxyError]
    while waiting:
        one = waiting.pop()
        waiting += one.__subclasses__()
        if one is not errors.ProxyError and one.__module__.startswith("proxy."):
            found.add(Code(one.code, int(one.status), one.type))
            if issubclass(one, errors.InvalidRequest):
                permanent.add(one.code)
    of_providers = (code for code in client_error._CODES.values() if code not in permanent)
    return found | {Code(code, None, errors.UpstreamFault.type) for code in of_providers}


def change_steps() -> tuple[str, ...]:
    """Return the steps that can report a change, in the order of the header ``x-turnright-changes``."""
    return plan._STEPS


def paths(app: web.Application) -> dict[str, set[str]]:
    """Return the methods of every path of *app*. ``*`` stands for all methods."""
    found: dict[str, set[str]] = {}
    for route in app.router.routes():
        assert route.resource is not None
        found.setdefault(route.resource.canonical, set()).add(route.method)
    return found


_NAMES = {str(value) for name, value in vars(hdrs).items() if name.isupper() and not name.startswith("METH_")}
_LOWER = {name.lower() for name in _NAMES}
_FURTHER = re.compile(
    r"x-[a-z0-9-]*[a-z0-9]|sec-[a-z-]*[a-z]|traceparent|tracestate|retry-after-ms|access-control-[a-z-]+"
    r"|content-security-policy|referrer-policy|openai-organization|api-key|request-id"
    r"|anthropic-(?:beta|version|ratelimit-[a-z-]+)",
    re.IGNORECASE,
)


def headers(*rooms: str) -> set[str]:
    """Return the lower-case names of headers in the code of *rooms*, which are folders of ``proxy/``.

    A name counts if it is a whole string literal, or a member of ``aiohttp.hdrs``. Docstrings do not count.
    """
    return {
        name for room in rooms for path in (ROOT / "proxy" / room).rglob("*.py") for name in _headers_in(path)
    }


@functools.cache
def _headers_in(path: Path) -> frozenset[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    docstrings = {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    found = set()
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "hdrs":
            text = "" if node.attr.startswith("METH_") else str(getattr(hdrs, node.attr))
        else:
            text = _constant_of(node) if id(node) not in docstrings else ""
        if text and _is_header(text):
            found.add(text.lower())
    return frozenset(found)


def _constant_of(node: ast.AST) -> str:
    """Return the string constant that *node* is, or an empty text for any other node."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _is_header(text: str) -> bool:
    """Tell whether *text* is a header's name. A word such as ``host`` or ``PRIORITY`` does not count."""
    if _FURTHER.fullmatch(text):
        return True
    return text.lower() in _LOWER and ("-" in text or (text[:1].isupper() and not text.isupper()))
