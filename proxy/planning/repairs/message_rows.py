"""The repair table's rows for faults within messages: roles, texts, media, names, ids and fields."""

from __future__ import annotations

from proxy.planning.repairs import repair_calls, repair_contents, repair_signatures, repair_systems
from proxy.planning.repairs.repair_row import Learning, Row

_CALLS = ("function_call", "functioncall", "function_response", "functionresponse")

MESSAGE_ROWS: tuple[Row, ...] = (
    Row(
        "signature_unknown",
        repair_signatures.leave_out_call_ids,
        says=('unknown name "thought_signature"', 'unknown name "thoughtsignature"'),
        learning=Learning.NEVER,
        source="surfaces without the field know no ids either: kimi-cli#1582",
    ),
    Row(
        "signature",
        repair_signatures.replace_signatures,
        says=("thought_signature", "thought signature", "thoughtsignature", "invalid signature"),
        learning=Learning.NEVER,
        source="gemini-cli#13467, Antigravity-Manager#970 and #3342, 9router#301, ruby_llm#521, crush#1698",
    ),
    Row(
        "thoughts",
        repair_signatures.drop_thoughts,
        says=(
            "blocks in the latest assistant message cannot be modified",
            "invalid `signature` in `thinking` block",
            "invalid `data` in `redacted_thinking` block",
            "expected `thinking` or `redacted_thinking`",
            "the first block must be 'thinking' or 'redacted_thinking'",
            "thinking.signature: field required",
        ),
        learning=Learning.NEVER,
        source="claude-code#19539, #63203 and #20692, openai-agents#1704, opencode#3077",
    ),
    Row(
        "system_role",
        repair_systems.system_as_user,
        says=(".role' does not support 'system' with this model",),
        learning=Learning.LOSSLESS,
        source="litellm#5671, forgecode#1177",
    ),
    Row(
        "system_role",
        repair_systems.fold_systems,
        says=("system role not supported",),
        learning=Learning.LOSSLESS,
        source="Gemma's template: chat-ui#1386, vllm#2964, sglang#892 and #1342",
    ),
    Row(
        "system_with_images",
        repair_systems.fold_systems,
        says=("prompting with images is incompatible with system messages",),
        learning=Learning.NEVER,
        source="Llama 3.2's template: vllm#8854, llama-cookbook#774; groq: litellm#6569",
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
        learning=Learning.NEVER,
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
        learning=Learning.NEVER,
        source="crush#995, pollinations#4157, Open-Interface#64, gemini-ai#3",
    ),
    Row(
        "media_alone",
        repair_contents.add_text_to_media,
        says=("must have a text parameter",),
        learning=Learning.NEVER,
        source="openai-gemini#31, litellm#5515",
    ),
    Row(
        "name",
        repair_calls.fill_names,
        says=("name cannot be empty",),
        learning=Learning.NEVER,
        source="langflow#9437, CLIProxyAPI#1903",
    ),
    Row(
        "call_type",
        repair_calls.add_call_types,
        says=("missing required parameter: 'messages[",),
        beside=("].tool_calls[",),
        learning=Learning.LOSSLESS,
        source="langchain-azure#35",
    ),
    Row(
        "call_field",
        repair_calls.drop_call_fields,
        says=(
            "unknown field: parameter '",
            "unknown parameter: 'messages[",
            "extra inputs are not permitted",
        ),
        learning=Learning.LOSSLESS,
        source="Cohere: litellm#24031, #41290; one-api#1319; mistral-common: mistral-vibe#70",
    ),
    Row(
        "call_ids",
        repair_signatures.leave_out_call_ids,
        says=('unknown name "id"', "functionresponse.id does not match functioncall.id"),
        beside=_CALLS,
        learning=Learning.LOSSLESS,
        source="kimi-cli#1582, AstrBot#7386; CLIProxyAPI#5199",
    ),
    Row(
        "call_ids",
        repair_calls.make_call_ids_fit,
        says=("string too long. expected a string with maximum length 40", "string_above_max_length"),
        beside=("tool_calls", "tool_call_id"),
        learning=Learning.LOSSLESS,
        source="vercel/ai#5171",
    ),
    Row(
        "call_ids",
        repair_calls.make_call_ids_fit,
        says=("tool_use.id: string should match pattern",),
        learning=Learning.LOSSLESS,
        source="langchain#37756",
    ),
    Row(
        "call_ids",
        repair_calls.make_call_ids_fit,
        says=("tool call id was",),
        beside=("with a length of 9",),
        learning=Learning.LOSSLESS,
        source="gptel#1203",
    ),
    Row(
        "reasoning",
        repair_contents.add_reasoning,
        says=(
            "`reasoning_content` in the thinking mode must be passed back",
            "missing `reasoning_content` field",
        ),
        learning=Learning.LOSSLESS,
        source="kimi-cli#2141, hermes-agent#15353",
    ),
)
"""The rows, in the order in which the repairs of one request are made."""
