"""Writes the tables of ``docs/providers.md`` from the tables of the code.

``python -m tests.support.provider_table`` prints the tables. A test compares them with the page.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from proxy.config.environment import PROVIDERS
from proxy.config.providers.find_provider import find_provider
from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_row import ProviderRow
from proxy.config.providers.provider_rows import ROWS
from proxy.config.providers.why_litellm import CallFacts, why_litellm
from proxy.upstream.dialects import table
from proxy.upstream.dialects.choose_dialect import dialect_for
from proxy.upstream.dialects.dialect import CHOICES, FORMATS, Dialect
from proxy.upstream.transports import transport_of
from tests.proxy.upstream.deployments import deployment_of

MODELS = {
    "anthropic": ("claude-sonnet-4-5", "glm-5"),
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
    "bedrock": "AWS Bedrock",
    "cerebras": "Cerebras",
    "cohere": "Cohere",
    "deepseek": "DeepSeek",
    "fireworks_ai": "Fireworks AI",
    "gemini": "Gemini (Google AI Studio)",
    "groq": "Groq",
    "mistral": "Mistral",
    "ollama": "Ollama, by its own API",
    "openai": "OpenAI, and servers at `api_base`",
    "openrouter": "OpenRouter",
    "perplexity": "Perplexity",
    "together_ai": "Together AI",
    "vertex_ai": "Vertex AI",
    "xai": "xAI",
}
"""The name of each provider of the first table, by litellm's prefix."""

IN_A_FILE = {
    "bedrock": "in a file: `aws_…`, or the SDK's own chain",
    "ollama": "in a file: `api_base`",
    "vertex_ai": "in a file: `vertex_…`, or the SDK's own chain",
}
"""The settings of providers that no environment variable configures, and that litellm calls."""

_HERE = "http://127.0.0.1:1/v1"

LEFT = {
    "azure": (
        CallFacts("azure", "m", _HERE, has_key=True, given={}),
        CallFacts("azure", "m", _HERE, has_key=False, given={"api_version": "2024-10-21"}),
        CallFacts("azure", "m", _HERE, has_key=False, given={"client_secret": "s"}),
        CallFacts("azure", "m", _HERE, has_key=False, given={"azure_password": "s"}),
        CallFacts("azure", "m", _HERE, has_key=False, given={"azure_ad_token": "oidc/google/x"}),
        CallFacts("azure", "m", "https://gateway.ai.cloudflare.com/v1/a/b/c", has_key=True, given={}),
    ),
    "baseten": (CallFacts("baseten", "abcd1234", None, has_key=True, given={}),),
    "databricks": (
        CallFacts("databricks", "m", _HERE, has_key=False, given={}),
        CallFacts("databricks", "catalog.schema.m", _HERE, has_key=True, given={}),
        CallFacts("databricks", "databricks-gpt-5-5", _HERE, has_key=True, given={}),
    ),
    "huggingface": (
        CallFacts("huggingface", "together/org/m", None, has_key=True, given={}),
        CallFacts("huggingface", "org/m", None, has_key=True, given={}, embeds=True),
    ),
    "ollama_chat": (CallFacts("ollama_chat", "m", None, has_key=False, given={}, fields=("num_ctx",)),),
    "perplexity": (
        CallFacts("perplexity", "openai/m", None, has_key=True, given={}),
        CallFacts("perplexity", "pplx-embed-m", None, has_key=True, given={}),
    ),
    "all but `openai/` and `gemini/`": (
        CallFacts("groq", "m", None, has_key=True, given={}, forward_proxy="HTTPS_PROXY"),
    ),
}
"""Deployments of providers with a row that ``auto`` leaves to litellm, one for each reason."""


def providers() -> list[list[str]]:
    """Return the rows of the first table: provider, prefix, variables, transport, wire and rules."""
    known = [(one.prefix, ", ".join(f"`{name}`" for name in (*one.keys, *one.bases))) for one in PROVIDERS]
    return [_provider(prefix, variables) for prefix, variables in [*known, *IN_A_FILE.items()]]


def further() -> list[list[str]]:
    """Return the rows of the second table: the other providers on the direct transport, and what they have."""
    named = {one.prefix for one in PROVIDERS}
    rows = {**ROWS, **listed_providers()}
    return [_further(row) for prefix, row in sorted(rows.items()) if prefix not in named]


def reasons() -> list[list[str]]:
    """Return the rows of the third table: the prefixes, and when ``auto`` leaves a deployment to litellm."""
    return [
        [f"`{prefix}/`" if "`" not in prefix else prefix, why]
        for prefix, facts in LEFT.items()
        for why in filter(None, map(why_litellm, facts))
    ]


def rules() -> list[list[str]]:
    """Return the rows of the last table: each set of rules, and how they differ from OpenAI's format."""
    rows = {row.name: row for row in vars(table).values() if isinstance(row, Dialect)}
    return [
        [f"`{name}`", " ".join(_differences(row)) or "As in OpenAI's format."] for name, row in rows.items()
    ]


def _provider(prefix: str, variables: str) -> list[str]:
    deployments = [deployment_of(f"{prefix}/{model}") for model in MODELS.get(prefix, ("any-model",))]
    transport = transport_of(deployments[0])
    wire = (
        "its own, by litellm"
        if transport == "litellm"
        else "OpenAI's"
        if find_provider(prefix)
        else "its own"
    )
    names = dict.fromkeys(dialect_for(one, transport).name for one in deployments)
    if prefix == "openai":
        names |= dict.fromkeys([table.COMPATIBLE.name])
    return [NAMES[prefix], f"`{prefix}/`", variables, f"`{transport}`", wire, _codes(names)]


def _further(row: ProviderRow) -> list[str]:
    deployments = [deployment_of(f"{row.prefix}/{model}") for model in MODELS.get(row.prefix, ("any-model",))]
    has = [name for name, given in (("embeddings", row.embeddings), ("texts", row.texts)) if given]
    return [
        f"`{row.prefix}/`",
        _codes((*row.keys, *row.bases)),
        f"`{row.base}`" if row.base else "`api_base`",
        ", ".join(has),
        _codes(dict.fromkeys(dialect_for(one, "direct").name for one in deployments)),
    ]


def _differences(row: Dialect) -> Iterator[str]:
    if row.dropped:
        yield f"Not sent: {_codes(sorted(row.dropped))}."
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
        yield f"Reasoning efforts: {_codes(row.efforts) or 'none of them'}."
    if row.thinking == "always":
        yield "No tool call can be forced while it reasons."
    if missing := sorted(FORMATS - row.formats):
        yield f"Asked for in words: {_codes(missing)}."
    if missing := sorted(row.formats - row.formats_with_tools):
        yield f"Asked for in words beside tools: {_codes(missing)}."
    if missing := sorted(CHOICES - row.choices):
        yield f"Tool choices that it does not have: {_codes(missing)}."
    if not row.functions:
        yield "`functions` go as `tools`."


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def main() -> None:
    """Print the tables."""
    for heads, rows in (
        (("provider", "prefix", "variables", "transport", "wire", "rules"), providers()),
        (("prefix", "variables", "address", "beside chats", "rules"), further()),
        (("prefix", "goes through litellm where"), reasons()),
        (("rules", "what differs"), rules()),
    ):
        head, *lines = (f"| {' | '.join(line)} |\n" for line in (heads, *rows))
        sys.stdout.write("".join([head, f"|{'---|' * len(heads)}\n", *lines, "\n"]))


if __name__ == "__main__":
    main()
