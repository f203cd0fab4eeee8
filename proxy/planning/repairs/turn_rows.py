"""The repair table's rows for faults in the order of turns: parallel calls, pairing, alternation, the last turn."""

from __future__ import annotations

from proxy.planning.repairs import repair_rounds, repair_systems, repair_turns
from proxy.planning.repairs.repair_row import Learning, Row

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

TURN_ROWS: tuple[Row, ...] = (
    Row(
        "parallel_calls",
        repair_rounds.split_parallel_calls,
        says=("this model only supports single tool-calls at once",),
        learning=Learning.LOSSLESS,
        source="Llama 3's templates: vllm#25108, vllm#12938",
    ),
    Row(
        "text_beside_calls",
        repair_rounds.separate_texts_from_calls,
        says=("assistant message must have either content or tool_calls, but not both",),
        learning=Learning.LOSSLESS,
        source="langchain#21196; mistral-common's validator",
    ),
    Row(
        "pairing",
        repair_turns.pair_for_gemini,
        says=_GEMINI_PAIRING,
        learning=Learning.NEVER,
        source="gemini-cli#11814, #4217; langchain#27799",
    ),
    Row(
        "pairing",
        repair_turns.pair_for_openai,
        says=_OPENAI_PAIRING,
        learning=Learning.NEVER,
        source="dataline#172; autogen#3178; claude-code#8612",
    ),
    Row(
        "pairing",
        repair_turns.flatten_exchanges,
        says=_GEMINI_PAIRING + _OPENAI_PAIRING,
        learning=Learning.NEVER,
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
        learning=Learning.LOSSLESS,
        source="autogen#1037, llama_index#11731; langchain-aws#130; one-api#836",
    ),
    Row(
        "alternation",
        repair_systems.fold_counted_systems,
        says=("conversation roles must alternate user/assistant",),
        reads=("optional system message",),
        learning=Learning.LOSSLESS,
        source="the template of Mistral 7B counts a system message as a turn: vllm#2080, mistral.rs#45",
    ),
    Row(
        "result_then_user",
        repair_turns.separate_results,
        says=(
            "unexpected role 'user' after role 'tool'",
            "cannot specify message if the last entry in chat history contains tool results",
            "conversation blocks and tool result blocks cannot be provided in the same turn",
        ),
        learning=Learning.LOSSLESS,
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
            "expected last role user or tool",
            "to true when the last message is from the assistant",
            "the last message must have role=user",
        ),
        learning=Learning.LOSSLESS,
        source="LibreChat agents#323, pipecat#5821; one-api#836; copilot-api#273; litellm#6323; "
        "langchain#23703, smolagents#757; vLLM: mistral-vibe#114",
    ),
)
"""The rows, in the order in which the repairs of one request are made."""
