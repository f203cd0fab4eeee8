"""The schemas that each provider accepts: one frozen table row for each dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """The facts about one provider's schemas that the rewrite reads. Rows are compared by identity."""

    name: str

    root_only: bool = False
    """Only the outermost schema is rewritten: the provider accepts any JSON Schema below it."""

    root_keywords: frozenset[str] = frozenset()
    """Keywords that the outermost schema may not have, in a dialect with :attr:`root_only`."""

    keywords: frozenset[str] = frozenset()
    """Keywords that the provider knows."""

    formats: Mapping[str, frozenset[str]] | None = None
    """The formats of each type, or None where any format is accepted."""

    null: Literal["nullable", "type", "words"] = "type"
    """The way to allow null in addition to another type."""

    typed: bool = False
    """Each schema must name one type, or be a choice without other keywords."""

    choices: bool = True
    """The dialect has ``anyOf``. Otherwise the first branch is kept, and the others are described."""

    enums: frozenset[str] = frozenset()
    """The types that may have an ``enum``."""

    empty_objects: bool = True
    """Objects without properties are accepted.

    The outermost object may be empty, since the writer of Gemini's requests then leaves ``parameters`` out.
    """

    root_properties: bool = False
    """The outermost schema must have ``properties``, even if that is empty."""

    plain_values: bool = False
    """``default`` and ``example`` may hold neither objects nor lists."""

    declared: frozenset[str] = frozenset()
    """Fields that each declaration has: ``description``, ``parameters``.

    A field that is missing or null is written with an empty value.
    """

    never_null: frozenset[str] = frozenset()
    """Fields of a declaration that may be missing, but may not be null. Null is replaced with an empty value."""

    known: frozenset[str] | None = None
    """The only fields that a declared function may have, or None where others are ignored."""

    levels: int | None = None
    """The most levels of objects and arrays that are written. Deeper levels are described."""

    @property
    def references(self) -> bool:
        """True where recursive references can be written. All other references are inlined."""
        return "$ref" in self.keywords


GEMINI = Dialect(
    name="gemini",
    # The proto `Schema`; anything else is "Unknown name … Cannot find field" (CLIProxyAPI#97, zed#44875, goai#108).
    keywords=frozenset(
        {
            "anyOf",
            "default",
            "description",
            "enum",
            "example",
            "format",
            "items",
            "maxItems",
            "maxLength",
            "maxProperties",
            "maximum",
            "minItems",
            "minLength",
            "minProperties",
            "minimum",
            "nullable",
            "pattern",
            "properties",
            "propertyOrdering",
            "required",
            "title",
            "type",
        }
    ),
    # "only 'enum' and 'date-time' are supported for STRING type" (langchain and others); the numbers' formats are
    # the ones of the proto's own documentation.
    formats=MappingProxyType(
        {
            "integer": frozenset({"int32", "int64"}),
            "number": frozenset({"double", "float"}),
            "string": frozenset({"date-time", "enum"}),
        }
    ),
    # "Proto field is not repeating, cannot start list." (google_workspace_mcp#1099).
    null="nullable",
    # "schema didn't specify the schema type field"; "When using any_of, it must be the only field set"
    # (Graphenium#37); Gemini 3 takes no TYPE_UNSPECIFIED (inspect_ai#3097).
    typed=True,
    # "enum: only allowed for STRING type" (9router#380), "(TYPE_STRING), 2" (azure-devops-mcp#145).
    enums=frozenset({"string"}),
)
"""``parameters`` of a function declaration for Gemini 2 and later."""

GEMINI_1 = replace(
    GEMINI,
    name="gemini-1",
    # "properties: should be non-empty for OBJECT type" (pydantic-ai#1998, livekit#2689).
    empty_objects=False,
)
"""``parameters`` of a function declaration for Gemini 1.0 and 1.5."""

GEMINI_ON_LITELLM = replace(
    GEMINI,
    name="gemini-on-litellm",
    # litellm leaves every other format out without a word (1.105.3, `filter_schema_fields`).
    formats=MappingProxyType({"string": frozenset({"date-time", "enum"})}),
    # It goes through values as if they were schemas (`unpack_defs`, `process_items`).
    plain_values=True,
)
"""``parameters`` of a function declaration for Gemini, as litellm passes them on."""

GEMINI_JSON = Dialect(
    name="gemini-json",
    # "only the following properties are supported" (Google, `GenerationConfig.responseJsonSchema`, 2026); others may
    # be sent, and mean nothing. A cyclic reference may "only be used within non-required properties", and beside
    # `$ref` stands nothing.
    keywords=frozenset(
        {
            "$defs",
            "$ref",
            "additionalProperties",
            "anyOf",
            "description",
            "enum",
            "format",
            "items",
            "maxItems",
            "maximum",
            "minItems",
            "minimum",
            "oneOf",
            "prefixItems",
            "properties",
            "propertyOrdering",
            "required",
            "title",
            "type",
        }
    ),
    enums=frozenset({"integer", "number", "string"}),
)
"""``parametersJsonSchema``: Gemini 2.5 and later, on generativelanguage (gemini-cli#4196, goose#6555)."""

OPENAI = Dialect(
    name="openai",
    root_only=True,
    # "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"
    # (google-calendar-mcp#39, langchainjs#9804).
    root_keywords=frozenset({"allOf", "anyOf", "enum", "not", "oneOf"}),
    # "object schema missing properties" (spring-ai#4776).
    root_properties=True,
)
"""OpenAI's functions."""

ANTHROPIC = Dialect(
    name="anthropic",
    root_only=True,
    # "input_schema does not support oneOf, allOf, or anyOf at the top level" (claude-code#5319).
    root_keywords=frozenset({"allOf", "anyOf", "oneOf"}),
    # `input_schema` and Converse's `inputSchema` are required. litellm writes them where `parameters` is missing, and
    # not where it is null (1.105.3).
    never_null=frozenset({"parameters"}),
)
"""``input_schema`` of a tool in Anthropic's API.

Property names that Anthropic refuses ("^[a-zA-Z0-9_.-]{1,64}$") stay, since calls hold them too.
"""

COHERE = replace(
    OPENAI,
    name="cohere",
    declared=frozenset({"parameters"}),  # required by the type `ToolV2Function` (cohere 7.3.1)
)
"""Cohere's functions, version 2."""

TEMPLATE = replace(
    OPENAI,
    name="template",
    # Templates read `tool.function.description` and `.parameters.properties` without a test (LM Studio
    # bug-tracker#2012: Gemma 4).
    declared=frozenset({"description", "parameters"}),
)
"""Functions that a chat template writes into the prompt."""

MISTRAL = replace(
    TEMPLATE,
    name="mistral",
    # `parameters`: "Field required", null: "Input should be a valid dictionary"; `description` null: "Input should be a
    # valid string" (mistral-common 1.5.6 and 1.8.8).
)
"""Mistral's functions."""

TEMPLATE_MISTRAL = replace(
    MISTRAL,
    name="template-mistral",
    # `strict`: "Extra inputs are not permitted" (mistral-common before 1.9)
    known=frozenset({"description", "name", "parameters"}),
)
"""Functions for a Mistral model on a server of one's own."""

PLAIN = Dialect(
    name="plain",
    keywords=frozenset({"description", "enum", "items", "properties", "required", "type"}),
    formats=MappingProxyType({}),
    null="words",
    typed=True,
    choices=False,
    enums=frozenset({"string"}),
    root_properties=True,
)
"""The keywords that every provider knows. This dialect is for a schema that the provider refused."""

PLAIN_FLAT = replace(
    PLAIN,
    name="plain-flat",
    # "exceeds the maximum allowed nesting depth" (gemini-cli#5923); Portkey#1546 uses four.
    levels=3,
)
"""The plain dialect with few levels."""

PLAIN_FEW_STATES = replace(
    PLAIN_FLAT,
    name="plain-few-states",
    # "too many states for serving" names long enumerations among its causes (python-genai#660).
    enums=frozenset(),
)
"""The plain dialect with few levels and without enumerations."""

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        dialect.name: dialect
        for dialect in (
            GEMINI,
            GEMINI_1,
            GEMINI_ON_LITELLM,
            GEMINI_JSON,
            OPENAI,
            ANTHROPIC,
            COHERE,
            TEMPLATE,
            MISTRAL,
            TEMPLATE_MISTRAL,
            PLAIN,
            PLAIN_FLAT,
            PLAIN_FEW_STATES,
        )
    }
)
"""Every dialect by its name."""
