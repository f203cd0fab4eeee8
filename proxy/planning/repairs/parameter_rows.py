"""The repair table's rows for faults in parameters, and in the schemas of tools and answers."""

from __future__ import annotations

from proxy.planning.repairs import repair_parameters
from proxy.planning.repairs.repair_row import Learning, Row

_DECLARATIONS = ("function_declaration", "functiondeclaration", "tools[")
_ANSWERS = (
    "generation_config",
    "generationconfig",
    "response_schema",
    "responseschema",
    "response_json_schema",
)
_BAD_SCHEMA = (
    "unknown name",
    "cannot find field",
    "invalid value at",
    "any_of",
    "items: missing",
    "enum[",
    "enum:",
    "nesting depth",
    "should be non-empty",
)

PARAMETER_ROWS: tuple[Row, ...] = (
    Row(
        "schema",
        repair_parameters.simplify_tools,
        says=_BAD_SCHEMA,
        beside=_DECLARATIONS,
        learning=Learning.LOSSLESS,
        source="CLIProxyAPI#97, cline#7339, 9router#380, Graphenium#37, gemini-cli#5923, azure-devops-mcp#145",
    ),
    Row(
        "schema",
        repair_parameters.simplify_tools,
        says=("proto field is not repeating, cannot start list", "invalid_function_parameters"),
        learning=Learning.LOSSLESS,
        source="google_workspace_mcp#1099; sigoden/aichat#1049",
    ),
    Row(
        "states",
        repair_parameters.simplify_tools,
        says=("constraint that has too many states for serving",),
        learning=Learning.LOOSENS,
        source="python-genai#660, cline#7897",
    ),
    Row(
        "answer_schema",
        repair_parameters.simplify_response_format,
        says=_BAD_SCHEMA,
        beside=_ANSWERS,
        learning=Learning.LOOSENS,
        source="js-genai#882",
    ),
    Row(
        "answer_schema",
        repair_parameters.simplify_response_format,
        says=("constraint that has too many states for serving",),
        learning=Learning.LOOSENS,
        source="python-genai#660",
    ),
    Row(
        "json_with_tools",
        repair_parameters.drop_response_format,
        says=("function calling with a response mime type", "tool use with a response mime type"),
        learning=Learning.LOOSENS,
        source="python-genai#867, symfony/ai#1777",
    ),
    Row(
        "tool_settings",
        repair_parameters.drop_tool_settings,
        says=(
            "'parallel_tool_calls' is only allowed when 'tools' are specified",
            "'tool_choice' is only allowed when 'tools' are specified",
            "function calling config is set without function_declarations",
        ),
        learning=Learning.LOSSLESS,
        source="Upsonic#323, camel#3706; claude-code-router#1207",
    ),
    Row(
        "parameter",
        repair_parameters.drop_refused_parameters,
        says=(
            "unsupported parameter: '",
            "unsupported value: '",
            "unknown parameter: '",
            "unrecognized request argument",
            "'type': 'extra_forbidden', 'loc': ('body',",
        ),
        learning=Learning.LOSSLESS,
        source="gollm#33, qwen-code#921, budibase#17211; vLLM: MaxKB#2912",
    ),
)
"""The rows, in the order in which the repairs of one request are made."""
