"""Judges that are chat templates, rendered as servers render them.

The environment is that of transformers (``utils/chat_template_utils.py``): jinja2's immutable sandbox,
``raise_exception``, ``strftime_now`` and ``tojson``. The messages are prepared as vLLM prepares them
(``chat_utils.py``). Arguments become objects, the texts of a message one text, and an image a part of type ``image``.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from jinja2 import Template
from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.nodes import Node
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from typing_extensions import override

from tests.judges.workers.answering import Judge, answer_questions
from tests.judges.workers.archives import read_templates

TOKENS = {name: f"<{name}>" for name in ("bos_token", "eos_token", "pad_token", "unk_token")}
NOW = datetime(2026, 11, 1, tzinfo=UTC)


def judges(archives: Path, node: Path) -> dict[str, Judge]:
    """Return a judge for each template that compiles, by its name."""
    found: dict[str, Judge] = {}
    environment = environment_of_transformers()
    for name, source in read_templates(archives, node).items():
        try:
            template = environment.from_string(source)
        except TemplateError as error:
            sys.stderr.write(f"{name} {error}\n")
            continue
        found[name] = partial(render, template)
    return found


class Generation(Extension):
    """The tag ``generation``, which marks an answer's tokens for a training, and has no effect on a prompt."""

    tags = {"generation"}

    @override
    def parse(self, parser: Parser) -> list[Node]:
        """Return the statements within the tag."""
        next(parser.stream)
        statements: list[Node] = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return statements


def environment_of_transformers() -> ImmutableSandboxedEnvironment:
    """Return jinja2's environment as transformers sets it up."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise
    environment.globals["strftime_now"] = NOW.strftime
    return environment


def render(template: Template, body: dict[str, Any]) -> None:
    """Render a body's messages and tools, with the prompt for an answer.

    Any exception of the template refuses the body.
    """
    template.render(
        messages=[_prepared(message) for message in body["messages"]],
        tools=body.get("tools"),
        documents=None,
        add_generation_prompt=True,
        **TOKENS,
    )


def _prepared(message: dict[str, Any]) -> dict[str, Any]:
    prepared = dict(message)
    content = message.get("content")
    if isinstance(content, list):
        if all(part["type"] == "text" for part in content):
            prepared["content"] = "\n".join(part["text"] for part in content)
        else:
            prepared["content"] = [
                {"type": "image"} if part["type"] == "image_url" else part for part in content
            ]
    if message.get("tool_calls"):
        prepared["tool_calls"] = [_with_object(call) for call in message["tool_calls"]]
    return prepared


def _with_object(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    return {**call, "function": {**function, "arguments": json.loads(function["arguments"] or "{}")}}


def _to_json(value: Any, ensure_ascii: bool = False, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, **options)


def _raise(message: str) -> NoReturn:
    raise TemplateError(message)


if __name__ == "__main__":
    answer_questions(judges(*map(Path, sys.argv[1:])))
