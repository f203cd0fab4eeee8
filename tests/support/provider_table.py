"""Writes the tables of ``docs/providers.md`` from the tables of the code.

``python -m tests.support.provider_table`` prints both tables. A test compares both tables with the page.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from proxy.config.addresses import OPENAI_SERVERS, speaks_to
from proxy.config.environment import PROVIDERS
from proxy.upstream.dialects import table
from proxy.upstream.dialects.choose_dialect import dialect_for
from proxy.upstream.dialects.dialect import CHOICES, FORMATS, Dialect
from proxy.upstream.transports import transport_of
from tests.proxy.upstream.deployments import deployment_of

MODELS = {
    "anthropic": ("claude-sonnet-4-5",),
    "azure": ("gpt-4.1",),
    "bedrock": (
        "anthropic.claude-sonnet-4-5-v1:0",
        "us.amazon.nova-pro-v1:0",
        "meta.llama3-70b-instruct-v1:0",
    ),
    "deepseek": ("deepseek-chat", "deepseek-reasoner", "deepseek-v4"),
    "gemini": ("gemini-2.5-pro", "gemini-3.6-flash"),
    "ollama": ("llama3.1",),
    "vertex_ai": ("gemini-2.5-pro", "gemini-3.6-flash", "claude-sonnet-4-5", "mistral-large"),
}
"""Models of the providers whose rules depend on the model, or that only a configuration file can set up."""

NAMES = {
    "anthropic": "Anthropic",
    "azure": "Azure OpenAI",
    "bedrock": "AWS Bedrock",
    "cerebras": "Cerebras",
    "cohere": "Cohere",
    "custom_openai": "any server of OpenAI's wire",
    "deepseek": "DeepSeek",
    "fireworks_ai": "Fireworks AI",
    "gemini": "Gemini (Google AI Studio)",
    "groq": "Groq",
    "hosted_vllm": "vLLM",
    "litellm_proxy": "a LiteLLM proxy",
    "llamafile": "llamafile",
    "lm_studio": "LM Studio",
    "mistral": "Mistral",
    "ollama": "Ollama",
    "openai": "OpenAI, and servers at `api_base`",
    "openrouter": "OpenRouter",
    "perplexity": "Perplexity",
    "together_ai": "Together AI",
    "vertex_ai": "Vertex AI",
    "xai": "xAI",
    "xinference": "Xinference",
}
"""The name of each provider, by litellm's prefix."""

IN_A_FILE = {
    "azure": "in a file: `api_base`, `api_version`, and `api_key` or Entra ID's",
    "bedrock": "in a file: `aws_…`, or the SDK's own chain",
    "ollama": "in a file: `api_base`",
    "vertex_ai": "in a file: `vertex_…`, or the SDK's own chain",
}
"""The settings of providers that no environment variable configures."""


def providers() -> list[list[str]]:
    """Return the rows of the first table: provider, prefix, variables, transport, wire and rules."""
    known = [(one.prefix, ", ".join(f"`{name}`" for name in (*one.keys, *one.bases))) for one in PROVIDERS]
    known += IN_A_FILE.items()
    known += [(prefix, "in a file: `api_base`") for prefix in sorted(OPENAI_SERVERS)]
    return [_provider(prefix, variables) for prefix, variables in known]


def rules() -> list[list[str]]:
    """Return the rows of the second table: each set of rules, and how they differ from OpenAI's format."""
    rows = {row.name: row for row in vars(table).values() if isinstance(row, Dialect)}
    return [
        [f"`{name}`", " ".join(_differences(row)) or "As in OpenAI's format."] for name, row in rows.items()
    ]


def _provider(prefix: str, variables: str) -> list[str]:
    base = {"api_base": "http://127.0.0.1:1/v1"} if prefix in OPENAI_SERVERS else {}
    deployments = [deployment_of(f"{prefix}/{model}", **base) for model in MODELS.get(prefix, ("any-model",))]
    transport = transport_of(deployments[0])
    can_be_direct = transport != "direct" and speaks_to(prefix)
    spoken = transport == "direct" or can_be_direct
    wire = ("Gemini's" if prefix == "gemini" else "OpenAI's") if spoken else "its own, by litellm"
    names = dict.fromkeys(dialect_for(one, transport).name for one in deployments)
    if prefix == "openai":
        names |= dict.fromkeys([table.COMPATIBLE.name])
    return [
        NAMES[prefix],
        f"`{prefix}/`",
        variables,
        f"`{transport}`" + (", or `direct`" if can_be_direct else ""),
        wire,
        ", ".join(f"`{name}`" for name in names),
    ]


def _differences(row: Dialect) -> Iterator[str]:
    if row.dropped:
        yield f"Not sent: {_code(sorted(row.dropped))}."
    if row.limit == "max_tokens":
        yield "The answer's limit goes as `max_tokens`."
    if row.answers is not None:
        yield f"Answers (`n`): {row.answers} at most."
    for name, allowed in (
        ("`temperature`", row.temperature),
        ("`top_p`", row.top_p),
        ("Penalties", row.penalties),
    ):
        if allowed is not None:
            yield f"{name}: {allowed[0]:g} to {allowed[1]:g}."
    if row.small_seeds:
        yield "A seed has 32 bits."
    if row.stops is not None:
        yield f"Stop sequences: {row.stops} at most."
    if not row.blank_stops:
        yield "No blank stop sequence."
    if row.top_k != "top_k":
        yield f"`top_k` goes as `{row.top_k}`."
    for name, own in row.names:
        yield f"`{name}` goes as `{own}`."
    if not row.stream_usage:
        yield "A stream reports its usage without `stream_options`."
    if row.opaque_users:
        yield "`user` is no e-mail address or telephone number."
    if row.efforts is not None:
        yield f"Reasoning efforts: {_code(row.efforts)}."
    if row.thinking == "always":
        yield "No tool call can be forced while it reasons."
    if missing := sorted(FORMATS - row.formats):
        yield f"Asked for in words: {_code(missing)}."
    if missing := sorted(row.formats - row.formats_with_tools):
        yield f"Asked for in words beside tools: {_code(missing)}."
    if missing := sorted(CHOICES - row.choices):
        yield f"Tool choices that it does not have: {_code(missing)}."
    if not row.functions:
        yield "`functions` go as `tools`."


def _code(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def main() -> None:
    """Print both tables."""
    for heads, rows in (
        (("provider", "prefix", "variables", "transport", "wire", "rules"), providers()),
        (("rules", "what differs"), rules()),
    ):
        head, *lines = (f"| {' | '.join(line)} |\n" for line in (heads, *rows))
        sys.stdout.write("".join([head, f"|{'---|' * len(heads)}\n", *lines, "\n"]))


if __name__ == "__main__":
    main()
