"""The rules that hold for each Gemini model.

A generation is a row of facts about a model family. The rules read the row and never a model's name. A name belongs to
the longest prefix in ``FAMILIES`` that it equals or continues with a dash.

A Gemini name without a row gets the rules of Gemini 3.6. Google applies these rules to "all future releases"
(ai.google.dev/gemini-api/docs/generate-content/whats-new-gemini-3.6, langchain-google#1897).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any


class Mixing(Enum):
    """The treatment of a content with function responses and other data."""

    COUNTED = "counted"
    """Text next to function responses is accepted.

    Media together with parallel responses are refused, because each medium counts as a response.
    """
    SILENT = "silent"
    """Accepted, but a text together with a response is answered by an empty candidate (hermes-agent#68863)."""
    REFUSED = "refused"
    """Refused with the error text for a model turn at the end (dive#287, kimi-code#3274, vellum#39495)."""


@dataclass(frozen=True)
class Generation:
    """The facts about a family of models that the rules need."""

    name: str
    mixing: Mixing
    alternation: bool = False
    """Two plain user contents, or two plain model contents, in a row are refused (zuisong/gemini-openai-proxy#83)."""
    user_ending: bool = False
    """The last content must be the user's or a function response (one-api#836)."""
    prefill: bool = True
    """The last content may be the model's (LibreChat agents#323, pipecat#5821, opencode#47034)."""
    tool_roles: bool = True
    """A function response may have the role ``tool`` or ``function`` (genkit#5780)."""
    nested_media: bool = False
    """A function response may hold media (maximhq/bifrost#4202: a 400 before Gemini 3)."""
    signatures: bool = False
    """Thought signatures are required and validated (ai.google.dev/gemini-api/docs/thought-signatures)."""
    thinking: bool = False
    """The usage reports ``thoughtsTokenCount``."""
    json_with_tools: bool = False
    """``responseMimeType: application/json`` is allowed together with tools (python-genai#867)."""
    many_candidates: bool = True
    """``candidateCount`` may be over one (langchain-google#1897: unsupported in 3.x)."""
    enum_format_needs_values: bool = False
    """``format: enum`` without values is refused (elastic/kibana#286302)."""
    image_needs_text: bool = False
    """An image in a user content without text is refused (openai-gemini#31, litellm#5515)."""
    object_needs_properties: bool = False
    """An OBJECT schema without properties is refused (pydantic-ai#1998, livekit#2689)."""
    minimal_thinking: bool = True
    """``thinkingLevel: minimal`` is supported (kiss-translator#1048: not on 3.7 and 3.8)."""
    explains_states: bool = True
    """The error for a schema with too many states says so. Other generations give a generic error (vercel/ai#21192)."""
    typed_schemas: bool = False
    """Every schema must have either a type or ``anyOf`` alone, as at Vertex (Graphenium#37, spring-ai#1373)."""


GEMINI_1_0 = Generation(
    "1.0",
    Mixing.COUNTED,
    alternation=True,
    user_ending=True,
    image_needs_text=True,
    object_needs_properties=True,
)
GEMINI_1_5 = Generation(
    "1.5", Mixing.COUNTED, alternation=True, image_needs_text=True, object_needs_properties=True
)
GEMINI_2_0 = Generation("2.0", Mixing.COUNTED)
GEMINI_2_5 = Generation("2.5", Mixing.COUNTED, thinking=True)
GEMINI_3 = Generation(
    "3",
    Mixing.SILENT,
    nested_media=True,
    signatures=True,
    thinking=True,
    json_with_tools=True,
    many_candidates=False,
    enum_format_needs_values=True,
)
GEMINI_3_1 = replace(GEMINI_3, explains_states=False)
GEMINI_3_6 = replace(GEMINI_3, name="3.6", mixing=Mixing.REFUSED, prefill=False, tool_roles=False)
GEMINI_3_7 = replace(GEMINI_3_6, name="3.7", minimal_thinking=False)

FAMILIES: dict[str, Generation] = {
    "gemini-pro": GEMINI_1_0,
    "gemini-1.0": GEMINI_1_0,
    "gemini-1.5": GEMINI_1_5,
    "gemini-2.0": GEMINI_2_0,
    "gemini-exp": GEMINI_2_0,
    "gemini-2.5": GEMINI_2_5,
    "gemini-live-2.5": GEMINI_2_5,
    # pipecat's list of families that accept a prefill: gemini-2., gemini-3-, gemini-3.1-, gemini-pro-latest.
    "gemini-3": GEMINI_3,
    "gemini-3.1": GEMINI_3_1,
    "gemini-3.5-flash": GEMINI_3,
    "gemini-pro-latest": GEMINI_3,
    # LibreChat agents#323: these "and all future releases" refuse it.
    "gemini-3.5-flash-lite": GEMINI_3_6,
    "gemini-3.6": GEMINI_3_6,
    "gemini-3.7": GEMINI_3_7,
    "gemini-3.8": GEMINI_3_7,
}

LISTED_MODELS = (
    "gemini-2.0-flash",
    "gemini-2.5-flash",
    "gemini-2.5-pro",
    "gemini-3-flash-preview",
    "gemini-3-pro-preview",
    "gemini-3.1-pro-preview",
    "gemini-3.5-flash",
    "gemini-3.5-flash-lite",
    "gemini-3.6-flash",
    "gemini-3.7-flash",
    "gemini-3.8-flash",
    "gemini-flash-latest",
    "gemini-embedding-001",
    "gemini-embedding-2-preview",
)
METHODS = ("generateContent", "streamGenerateContent", "countTokens")
EMBEDDING_METHODS = ("embedContent", "batchEmbedContents")
INPUT_TOKEN_LIMIT = 1_048_576
OUTPUT_TOKEN_LIMIT = 65_536


def model_id(name: str) -> str:
    """Return *name* without the ``models/`` prefix of a resource name."""
    return name.removeprefix("models/")


def generation_of(name: str) -> Generation | None:
    """Return the rules for the model *name*, or ``None`` if it is not a Gemini model's name.

    Source: the rows of ``FAMILIES``. Unknown names follow pipecat's prefill list and Google's "all future releases".
    """
    model = model_id(name)
    if not model.startswith("gemini-") or model == "gemini-" or is_embedding_model(model):
        return None
    rows = [prefix for prefix in FAMILIES if model == prefix or model.startswith(f"{prefix}-")]
    return FAMILIES[max(rows, key=len)] if rows else GEMINI_3_6


def is_embedding_model(name: str) -> bool:
    """Tell whether a model is an embedding model. Older embedding models no longer exist (docs-mcp-server#363)."""
    return model_id(name).startswith("gemini-embedding-")


def reports_embedding_usage(name: str) -> bool:
    """Tell whether a model reports the usage of embeddings.

    All embedding models except ``gemini-embedding-001`` report their usage, which litellm 1.105.3 reads.
    """
    return is_embedding_model(name) and not model_id(name).startswith("gemini-embedding-001")


def on_vertex(generation: Generation) -> Generation:
    """Return the rules for the same model at Vertex AI. Only the rules about schemas differ."""
    return replace(generation, typed_schemas=True)


def describe_model(name: str) -> dict[str, Any]:
    """Return the ``Model`` resource for *name* (ai.google.dev/api/models)."""
    model = model_id(name)
    return {
        "name": f"models/{model}",
        "baseModelId": model,
        "version": "001",
        "displayName": model.replace("-", " ").title(),
        "description": "A model of the turnright emulator: it judges requests as Gemini does.",
        "inputTokenLimit": INPUT_TOKEN_LIMIT,
        "outputTokenLimit": OUTPUT_TOKEN_LIMIT,
        "supportedGenerationMethods": list(EMBEDDING_METHODS if is_embedding_model(model) else METHODS),
    }
