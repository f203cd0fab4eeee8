"""The proto messages that the emulator reads, as a table: field name, kind, and repetition.

Source: the public reference (ai.google.dev/api/generate-content, /caching#Schema, /caching#Tool), and further names
that the service is known to accept. Any other field name in a request gives the error "Cannot find field". Scalar kinds
have the names that Google's parser prints.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Shape = Literal["one", "repeated", "map"]


@dataclass(frozen=True)
class Field:
    """A field of a message: its name in JSON and in the proto, its kind and its shape."""

    name: str
    proto_name: str
    kind: str
    shape: Shape


SCHEMA_TYPES = ("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
ENUMS: dict[str, tuple[str, ...]] = {
    "Type": SCHEMA_TYPES,
    "FunctionCallingConfig.Mode": ("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"),
    "TaskType": (
        "TASK_TYPE_UNSPECIFIED",
        "RETRIEVAL_QUERY",
        "RETRIEVAL_DOCUMENT",
        "SEMANTIC_SIMILARITY",
        "CLASSIFICATION",
        "CLUSTERING",
        "QUESTION_ANSWERING",
        "FACT_VERIFICATION",
        "CODE_RETRIEVAL_QUERY",
    ),
    "ThinkingLevel": ("THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"),
}
"""Enums whose values are checked. Google accepts them in any case."""

ONEOF: dict[str, tuple[str, ...]] = {
    "Part": (
        "text",
        "inlineData",
        "fileData",
        "functionCall",
        "functionResponse",
        "executableCode",
        "codeExecutionResult",
        "toolCall",
        "toolResponse",
    )
}
"""The ``data`` oneof of a part. A part has exactly one of these fields."""

# "X" is a single X, "X*" a list of X, "{X}" a map from names to X. Scalars are spelled as in Google's errors.
_SPEC: dict[str, dict[str, str]] = {
    "GenerateContentRequest": {
        "model": "TYPE_STRING",
        "contents": "Content*",
        "systemInstruction": "Content",
        "tools": "Tool*",
        "toolConfig": "ToolConfig",
        "safetySettings": "SafetySetting*",
        "generationConfig": "GenerationConfig",
        "cachedContent": "TYPE_STRING",
        "serviceTier": "TYPE_STRING",
        "store": "TYPE_BOOL",
    },
    "CountTokensRequest": {
        "model": "TYPE_STRING",
        "contents": "Content*",
        "generateContentRequest": "GenerateContentRequest",
    },
    "EmbedContentRequest": {
        "model": "TYPE_STRING",
        "content": "Content",
        "taskType": "TaskType",
        "title": "TYPE_STRING",
        "outputDimensionality": "TYPE_INT32",
        "embedContentConfig": "Struct",
    },
    "BatchEmbedContentsRequest": {"model": "TYPE_STRING", "requests": "EmbedContentRequest*"},
    "Content": {"role": "TYPE_STRING", "parts": "Part*"},
    "Part": {
        "text": "TYPE_STRING",
        "inlineData": "Blob",
        "fileData": "FileData",
        "functionCall": "FunctionCall",
        "functionResponse": "FunctionResponse",
        "executableCode": "Struct",
        "codeExecutionResult": "Struct",
        "toolCall": "Struct",
        "toolResponse": "Struct",
        "thought": "TYPE_BOOL",
        "thoughtSignature": "TYPE_BYTES",
        "videoMetadata": "Struct",
        "mediaResolution": "Value",
        "partMetadata": "Struct",
    },
    "Blob": {"mimeType": "TYPE_STRING", "data": "TYPE_BYTES", "displayName": "TYPE_STRING"},
    "FileData": {"mimeType": "TYPE_STRING", "fileUri": "TYPE_STRING", "displayName": "TYPE_STRING"},
    "FunctionCall": {"id": "TYPE_STRING", "name": "TYPE_STRING", "args": "Struct"},
    "FunctionResponse": {
        "id": "TYPE_STRING",
        "name": "TYPE_STRING",
        "response": "Struct",
        "parts": "FunctionResponsePart*",
        "willContinue": "TYPE_BOOL",
        "scheduling": "TYPE_STRING",
    },
    "FunctionResponsePart": {"inlineData": "Blob", "fileData": "FileData"},
    "Tool": {
        "functionDeclarations": "FunctionDeclaration*",
        "googleSearch": "Struct",
        "googleSearchRetrieval": "Struct",
        "codeExecution": "Struct",
        "urlContext": "Struct",
        "googleMaps": "Struct",
        "computerUse": "Struct",
        "fileSearch": "Struct",
        "mcpServers": "Struct*",
    },
    "FunctionDeclaration": {
        "name": "TYPE_STRING",
        "description": "TYPE_STRING",
        "behavior": "TYPE_STRING",
        "parameters": "Schema",
        "parametersJsonSchema": "Value",
        "response": "Schema",
        "responseJsonSchema": "Value",
    },
    "Schema": {
        "type": "Type",
        "format": "TYPE_STRING",
        "title": "TYPE_STRING",
        "description": "TYPE_STRING",
        "nullable": "TYPE_BOOL",
        "enum": "TYPE_STRING*",
        "items": "Schema",
        "minItems": "TYPE_INT64",
        "maxItems": "TYPE_INT64",
        "properties": "{Schema}",
        "propertyOrdering": "TYPE_STRING*",
        "required": "TYPE_STRING*",
        "minProperties": "TYPE_INT64",
        "maxProperties": "TYPE_INT64",
        "minimum": "TYPE_DOUBLE",
        "maximum": "TYPE_DOUBLE",
        "minLength": "TYPE_INT64",
        "maxLength": "TYPE_INT64",
        "pattern": "TYPE_STRING",
        "example": "Value",
        "anyOf": "Schema*",
        "default": "Value",
    },
    "ToolConfig": {
        "functionCallingConfig": "FunctionCallingConfig",
        "retrievalConfig": "Struct",
        "includeServerSideToolInvocations": "TYPE_BOOL",
    },
    "FunctionCallingConfig": {
        "mode": "FunctionCallingConfig.Mode",
        "allowedFunctionNames": "TYPE_STRING*",
    },
    "SafetySetting": {"category": "TYPE_STRING", "threshold": "TYPE_STRING"},
    "GenerationConfig": {
        "candidateCount": "TYPE_INT32",
        "stopSequences": "TYPE_STRING*",
        "maxOutputTokens": "TYPE_INT32",
        "temperature": "TYPE_FLOAT",
        "topP": "TYPE_FLOAT",
        "topK": "TYPE_FLOAT",
        "seed": "TYPE_INT32",
        "presencePenalty": "TYPE_FLOAT",
        "frequencyPenalty": "TYPE_FLOAT",
        "responseMimeType": "TYPE_STRING",
        "responseSchema": "Schema",
        "responseJsonSchema": "Value",
        "_responseJsonSchema": "Value",
        "responseFormat": "Value",
        "responseModalities": "TYPE_STRING*",
        "responseLogprobs": "TYPE_BOOL",
        "logprobs": "TYPE_INT32",
        "enableEnhancedCivicAnswers": "TYPE_BOOL",
        "speechConfig": "Struct",
        "imageConfig": "Struct",
        "thinkingConfig": "ThinkingConfig",
        "mediaResolution": "TYPE_STRING",
    },
    "ThinkingConfig": {
        "includeThoughts": "TYPE_BOOL",
        "thinkingBudget": "TYPE_INT32",
        "thinkingLevel": "ThinkingLevel",
    },
}


def snake_case(name: str) -> str:
    """Return the proto spelling of a JSON name: ``functionCall`` becomes ``function_call``."""
    return re.sub(r"(?<!^)(?<!_)([A-Z])", r"_\1", name).lower()


def _field(name: str, spec: str) -> Field:
    if spec.startswith("{"):
        return Field(name, snake_case(name), spec.strip("{}"), "map")
    return Field(name, snake_case(name), spec.rstrip("*"), "repeated" if spec.endswith("*") else "one")


MESSAGES: dict[str, dict[str, Field]] = {
    message: {
        spelling: _field(name, spec) for name, spec in fields.items() for spelling in (snake_case(name), name)
    }
    for message, fields in _SPEC.items()
}
"""Every message with its fields, under both spellings that proto JSON accepts."""
