"""The table from a provider's words to a repair.

A row fits an error whose text contains one of ``says``, and one of ``beside`` where the row has any. Texts are compared
in lower case, with the error's words and its codes. The texts are the most specific ones that the reports share, since
a provider may quote the request. Each text was seen word for word in a report.

Rows of one ``fault`` are alternatives. The first that changes something counts. Rows of different faults are all
applied where an error names them. Repairs within messages come before repairs of turns, since the former may change
turns.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxy.planning.repairs import (
    repair_calls,
    repair_contents,
    repair_parameters,
    repair_signatures,
    repair_turns,
)
from proxy.planning.repairs.draft import Repair
from proxy.resilience.read_error import ProviderError


@dataclass(frozen=True, slots=True)
class Row:
    """The texts with which providers report one fault, and the repair for it."""

    fault: str
    repair: Repair
    source: str
    says: tuple[str, ...]
    beside: tuple[str, ...] = ()

    def fits(self, error: ProviderError) -> bool:
        """Return True where *error* reports this fault."""
        return error.says(*self.says) and (not self.beside or error.says(*self.beside))


_CALLS = ("function_call", "functioncall", "function_response", "functionresponse")
_DECLARATIONS = ("function_declaration", "functiondeclaration", "tools[")
_ANSWERS = (
    "generation_config",
    "generationconfig",
    "response_schema",
    "responseschema",
    "response_json_schema",
)
_GEMINI_PAIRING = (
    "function call turn comes immediately after",
    "function response turn comes immediately after",
    "number of function response parts",
)
_OPENAI_PAIRING = (
    "must be followed by tool messages responding to each",
    "tool_call_ids did not have response messages",
    "messages with role 'tool' must be a response to",
    "no previous assistant message with a tool call",
    "ids were found without `tool_result` blocks",
    "unexpected `tool_use_id` found in `tool_result`",
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

TABLE: tuple[Row, ...] = (
    Row(
        "signature_unknown",
        repair_signatures.leave_out_call_ids,
        says=('unknown name "thought_signature"', 'unknown name "thoughtsignature"'),
        source="surfaces without the field know no ids either: kimi-cli#1582",
    ),
    Row(
        "signature",
        repair_signatures.replace_signatures,
        says=("thought_signature", "thought signature", "thoughtsignature", "invalid signature"),
        source="gemini-cli#13467, Antigravity-Manager#970 and #3342, 9router#301, ruby_llm#521, crush#1698",
    ),
    Row(
        "system_role",
        repair_contents.system_as_user,
        says=(".role' does not support 'system' with this model",),
        source="litellm#5671, forgecode#1177",
    ),
    Row(
        "empty",
        repair_contents.fill_empty_contents,
        says=(
            "empty text parameter",
            "parts must not be empty",
            "required oneof field 'data'",
            "at least one parts field",
            "contents is not specified",
            "model input cannot be empty",
            "text content blocks must be non-empty",
            "all messages must have non-empty content",
        ),
        source="zuisong/gemini-openai-proxy#83, vercel/ai#3775, CLIProxyAPI#1292; claude-code#59812, litellm#2549",
    ),
    Row(
        "media",
        repair_contents.leave_out_media,
        says=(
            "unsupported mime type",
            "unable to process input image",
            "provided image is not valid",
            "mime type must be image/",
        ),
        source="crush#995, pollinations#4157, Open-Interface#64, gemini-ai#3",
    ),
    Row(
        "media_alone",
        repair_contents.add_text_to_media,
        says=("must have a text parameter",),
        source="openai-gemini#31, litellm#5515",
    ),
    Row(
        "name",
        repair_calls.fill_names,
        says=("name cannot be empty",),
        source="langflow#9437, CLIProxyAPI#1903",
    ),
    Row(
        "call_ids",
        repair_signatures.leave_out_call_ids,
        says=('unknown name "id"', "functionresponse.id does not match functioncall.id"),
        beside=_CALLS,
        source="kimi-cli#1582, AstrBot#7386; CLIProxyAPI#5199",
    ),
    Row(
        "call_ids",
        repair_calls.make_call_ids_fit,
        says=("string too long. expected a string with maximum length 40", "string_above_max_length"),
        beside=("tool_calls", "tool_call_id"),
        source="vercel/ai#5171",
    ),
    Row(
        "call_ids",
        repair_calls.make_call_ids_fit,
        says=("tool_use.id: string should match pattern",),
        source="langchain#37756",
    ),
    Row(
        "call_ids",
        repair_calls.make_call_ids_fit,
        says=("tool call id was",),
        beside=("with a length of 9",),
        source="gptel#1203",
    ),
    Row(
        "reasoning",
        repair_contents.add_reasoning,
        says=(
            "`reasoning_content` in the thinking mode must be passed back",
            "missing `reasoning_content` field",
        ),
        source="kimi-cli#2141, hermes-agent#15353",
    ),
    Row(
        "schema",
        repair_parameters.simplify_tools,
        says=_BAD_SCHEMA,
        beside=_DECLARATIONS,
        source="CLIProxyAPI#97, cline#7339, 9router#380, Graphenium#37, gemini-cli#5923, azure-devops-mcp#145",
    ),
    Row(
        "schema",
        repair_parameters.simplify_tools,
        says=("proto field is not repeating, cannot start list", "invalid_function_parameters"),
        source="google_workspace_mcp#1099; sigoden/aichat#1049",
    ),
    Row(
        "states",
        repair_parameters.simplify_tools,
        says=("constraint that has too many states for serving",),
        source="python-genai#660, cline#7897",
    ),
    Row(
        "answer_schema",
        repair_parameters.simplify_response_format,
        says=_BAD_SCHEMA,
        beside=_ANSWERS,
        source="js-genai#882",
    ),
    Row(
        "answer_schema",
        repair_parameters.simplify_response_format,
        says=("constraint that has too many states for serving",),
        source="python-genai#660",
    ),
    Row(
        "json_with_tools",
        repair_parameters.drop_response_format,
        says=("function calling with a response mime type", "tool use with a response mime type"),
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
        source="gollm#33, qwen-code#921, budibase#17211; vLLM: MaxKB#2912",
    ),
    Row(
        "pairing",
        repair_turns.pair_for_gemini,
        says=_GEMINI_PAIRING,
        source="gemini-cli#11814, #4217; langchain#27799",
    ),
    Row(
        "pairing",
        repair_turns.pair_for_openai,
        says=_OPENAI_PAIRING,
        source="dataline#172; autogen#3178; claude-code#8612",
    ),
    Row(
        "pairing",
        repair_turns.flatten_exchanges,
        says=_GEMINI_PAIRING + _OPENAI_PAIRING,
        source="the last resort: gemini-cli#23068, vscode#299295",
    ),
    Row(
        "alternation",
        repair_turns.alternate_turns,
        says=(
            "roles must alternate",
            "a conversation must alternate between user and assistant",
            "multiturn requests ends with a user role",
        ),
        source="autogen#1037, llama_index#11731; langchain-aws#130; one-api#836",
    ),
    Row(
        "result_then_user",
        repair_turns.separate_results,
        says=(
            "unexpected role 'user' after role 'tool'",
            "cannot specify message if the last entry in chat history contains tool results",
            "conversation blocks and tool result blocks cannot be provided in the same turn",
        ),
        source="datapizza#98, litellm#6323; langchain-oracle#9; agents-js#1998",
    ),
    Row(
        "tail",
        repair_turns.close_tail,
        says=(
            "ending with a model turn",
            "multiturn requests ends with a user role",
            "last message in a gemini request must not be from the assistant",
            "expected last role to be one of",
            "the last message must have role=user",
        ),
        source="LibreChat agents#323, pipecat#5821; one-api#836; copilot-api#273; litellm#6323",
    ),
)
