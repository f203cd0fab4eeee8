"""One sentence about each step and about each reason for a change, with the rule that belongs to the reason.

A step or a reason without a text is shown by its name alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from sanitizers import Change
from sanitizers.invariants import RULES
from sanitizers.schemas.notes import REASONS as SCHEMA_REASONS

STEPS: Mapping[str, str] = MappingProxyType(
    {
        "instructions": "The operator's texts stand before everything that the client has sent.",
        "session": "A stored conversation is sent with its newest turns.",
        "items": "Every item, block and tool of the client's own format is one that the provider can get.",
        "compaction": "A memory stands in place of the older messages of a long history.",
        "turns": "An agent that does not stop is warned, and brought to an end.",
        "tools": "Every tool has a name and a schema that the provider takes, the same in all places.",
        "media": "Inline media is readable and of a type that the model takes, or a note stands in its place.",
        "shape": "Ids are present and unambiguous, arguments readable, nothing is empty, system messages lead.",
        "orphan_drop": "There is no tool result without its call; of several results the last one counts.",
        "role_merge": "There are no two model turns in a row; split parallel calls are one turn.",
        "user_prepend": "The first turn is a user's.",
        "pairing": "Every call has one result, directly behind it, in the order of the calls.",
        "result_media": "Media stands in tool results only where the model takes it there.",
        "final_merge": "There are still no two model turns in a row.",
        "dialect": "The history meets the further demands of its provider.",
        "tail": "A trailing model turn is closed where the model refuses one.",
        "signatures": "Signatures of thoughts go back to the provider that made them, and to no other.",
        "parameters": "Parameters have the names and the values that the provider knows.",
        "budget": "The request fits the model's window, with room for the answer.",
        "item_repair": "Every item and block of the client's own format is one that its provider takes.",
        "repair": "What the provider has refused before is put right before the request is sent.",
    }
)
"""The guarantee that holds after each step."""


class Reason(NamedTuple):
    """The sentence about a reason, and its rule of :data:`sanitizers.invariants.RULES`, if there is one."""

    why: str
    rule: str = ""


REASONS: Mapping[str, Reason] = MappingProxyType(
    {
        "operator": Reason("The operator's configuration has these texts for the request."),
        "summary": Reason("A summary of these messages was written for an earlier request."),
        # media
        "fetched": Reason("The provider fetches nothing: the image's bytes are sent.", "remote_media"),
        "file_id": Reason("The provider does not have the file; what it holds is sent.", "remote_media"),
        "left_out": Reason("The model cannot be given this, so a note stands in its place.", "media_type"),
        "media_encoding": Reason(
            "The bytes are the same, written as the provider reads them.", "media_unreadable"
        ),
        "media_type": Reason(
            "The type is the one that the bytes have, spelled as the provider does.", "media_type"
        ),
        # shape
        "arguments": Reason("Arguments are the text of a JSON object.", "arguments_not_an_object"),
        "blank_result": Reason("The provider refuses a result that says nothing.", "blank_result"),
        "call_id_illegal": Reason("The id has characters that the provider refuses.", "call_id_illegal"),
        "call_id_missing": Reason("A call without an id cannot be answered.", "call_id_missing"),
        "call_id_repeated": Reason("Two calls of one id cannot be told apart.", "call_id_repeated"),
        "call_id_too_long": Reason("The id is longer than the provider takes.", "call_id_too_long"),
        "call_type": Reason("Each call names its type.", "call_type"),
        "call_unreadable": Reason("A call that names no function calls nothing.", "call_unreadable"),
        "custom_call": Reason("The provider knows calls of functions alone.", "custom_call"),
        "developer_role": Reason("The provider calls this role system.", "developer_role"),
        "empty_content": Reason("The provider refuses a message without content.", "empty_content"),
        "empty_message": Reason("The provider refuses an empty message, so it is left out.", "empty_content"),
        "empty_name": Reason("The provider refuses an empty name.", "result_name_empty"),
        "empty_text": Reason("The provider refuses an empty text.", "empty_text"),
        "empty_tool_calls": Reason("A list of calls is there only with calls in it.", "empty_tool_calls"),
        "half_character": Reason(
            "The message was cut within a character, and half of one is not valid text."
        ),
        "legacy_function": Reason("Calls have another form on this wire.", "legacy_function"),
        "misplaced_calls": Reason("Only the model calls tools.", "misplaced_calls"),
        "refusal_as_text": Reason("The provider knows no refusals: the words stay, as text.", "refused_part"),
        "refused_field": Reason("The provider refuses the whole request for this field.", "refused_field"),
        "refused_part": Reason("The provider cannot be given this part in this role.", "refused_part"),
        "result_content": Reason("A result is a text: the value is written as JSON.", "refused_part"),
        "result_id": Reason("The result names its call.", "orphaned_result"),
        "signature_unreadable": Reason("The signature in the id does not decode.", "signature_unreadable"),
        "system_after_start": Reason(
            "The provider takes system messages at the start alone.", "system_after_start"
        ),
        "system_misplaced": Reason(
            "The provider takes later system messages behind a user's turn alone.", "system_misplaced"
        ),
        "thought_unsigned": Reason(
            "A thought without its signature is refused by the model that is to read it.", "thought_unsigned"
        ),
        "unknown_field": Reason("The provider refuses fields that it does not know.", "unknown_field"),
        # orphan_drop, pairing and what they join
        "null_beside_calls": Reason("No text is an empty text: some templates cannot read null."),
        "orphaned_result": Reason("No call has asked for this result.", "orphaned_result"),
        "superseded_result": Reason("The call has a later result, which counts.", "duplicate_result"),
        "missing_result": Reason("The call has no result: a placeholder says so.", "missing_result"),
        "trailing_call": Reason("The history ends with a call that has no result yet.", "missing_result"),
        "late_result": Reason("The result belongs directly behind its call.", "missing_result"),
        "result_order": Reason("Results stand in the order of their calls.", "result_order"),
        "identical_call": Reason("The provider takes the same call once in a turn.", "identical_call"),
        "media_in_result": Reason(
            "The media stands in a user message behind the results.", "media_in_result"
        ),
        "assistant_run": Reason("Consecutive model turns are merged into one.", "call_after_model_turn"),
        "user_run": Reason("Consecutive user turns are merged into one.", "same_role_neighbours"),
        "system_run": Reason("The provider takes one system message.", "many_systems"),
        "system_unsupported": Reason("The model has no system role: a user says it.", "system_unsupported"),
        # first and last turns, and between
        "model_first": Reason("A conversation begins with the user.", "first_turn_not_user"),
        "system_only": Reason("There is nothing but instructions: a turn is needed.", "no_turn"),
        "user_after_result": Reason(
            "A word of the model stands between result and user.", "user_after_result"
        ),
        "reasoning_content": Reason("Thoughts have to come back with their turn.", "reasoning_missing"),
        "text_beside_calls": Reason("Text and calls stand in turns of their own.", "text_beside_calls"),
        "trailing_model_turn": Reason("The last turn has to be the user's.", "trailing_model_turn"),
        "trailing_space": Reason("The model's last turn cannot end in white space.", "trailing_space"),
        "signature_settled": Reason("The provider's own signatures are in their places, and no others."),
        "signature_stand_in": Reason(
            "The signature was lost: the stand-in that the provider documents is sent."
        ),
        # tools
        "call_name": Reason("The call has the tool's legal name.", "tool_name_illegal"),
        "tool_name": Reason("The provider refuses the tool's own name.", "tool_name_illegal"),
        "tool_choice": Reason("The choice has the tool's legal name.", "tool_name_illegal"),
        "function_call": Reason("The choice has the tool's legal name.", "tool_name_illegal"),
        "declaration_form": Reason("A declaration has the fields that the provider reads, and no others."),
        "duplicate_declaration": Reason("A tool is declared once."),
        "system_form": Reason(
            "The provider reads a system instruction with texts in its parts, and no other."
        ),
        # parameters
        "always_reasons": Reason("This model always thinks."),
        "as_list": Reason("The provider takes a list."),
        "blank": Reason("The provider refuses a blank value."),
        "closed_schema": Reason("The provider enforces the schema, and refuses what it cannot enforce."),
        "default": Reason("The value is the model's default."),
        "empty": Reason("The provider refuses an empty value."),
        "forced_tool": Reason("A tool that is forced, and thinking, do not go together."),
        "in_words": Reason("The provider has no such parameter: a text asks the model instead."),
        "legacy_form": Reason("The provider knows the newer form alone."),
        "nearest_effort": Reason("The model takes the nearest of its own efforts."),
        "no_room_to_think": Reason("The answer's limit leaves no room for that much thinking."),
        "no_tools": Reason("The parameter is about tools, and the request has none."),
        "not_available": Reason("The model does not have this parameter or value."),
        "other_name": Reason("The provider has another name for it."),
        "out_of_range": Reason("The value is the nearest one that the provider takes."),
        "personal": Reason("The value names a person, and the provider refuses that."),
        "temperature_given": Reason("The model takes either temperature or top_p."),
        "thinking": Reason("The model does not take this parameter while it thinks."),
        "thinking_blocks_missing": Reason("The history lacks the thoughts that the model wants back."),
        "too_many": Reason("The provider takes fewer of them."),
        "tool_choice_none": Reason("No tool may be called, so none is declared."),
        "undeclared_calls": Reason("The provider refuses a history with calls that declares no tools."),
        "cache_mark": Reason("The provider refuses a tool with a cache mark."),
        "two_choices": Reason("The same is asked twice: the newer form counts."),
        "two_limits": Reason("The same limit is given twice: one is sent."),
        # budget
        "last_turns": Reason("Only the last turns are kept, as configured."),
        "middle_cut": Reason("The middle of the conversation is left out, so that the rest fits."),
        "output_reduced": Reason("The answer can be no longer than the room that is left."),
        "round_dropped": Reason("An old round of calls is left out, so that the rest fits."),
        "tool_result_capped": Reason("A long result keeps its beginning and its end."),
        "tool_result_cleared": Reason("An old result is replaced by a note that it was there."),
        # requests of other APIs than that of chats
        "billing_header": Reason("The line names a client to Anthropic, and differs in every request."),
        "no_tool_left": Reason("The tools that the choice is about were left out."),
        "thinking_places": Reason(
            "Thoughts cannot be sent in their places here, and Claude refuses moved ones."
        ),
        "effort_unknown": Reason("Other models do not know this effort: they choose their own."),
        "output_minimum": Reason("The provider writes one token at least."),
        "server_tool": Reason("The model lacks this tool, which another provider runs."),
        "gemini_field": Reason("Only Gemini has this field."),
        "not_allowed": Reason("The client lets the model call other tools alone."),
        "tool_field": Reason("Only Claude has this field of a tool."),
        "unknown_tool": Reason("The tool's type is not known."),
        # items of the Responses API
        "encrypted_content": Reason(
            "The provider cannot read this thought, which another one has encrypted."
        ),
        "compaction_trigger": Reason("The provider takes this item at the end alone."),
        "computer_call": Reason("The screen is missing: the call is written as one of a function."),
        "field_missing": Reason("The provider requires a field that this item lacks."),
        "item_id_illegal": Reason("The provider refuses the form of this item's id, and needs none."),
        "item_id_repeated": Reason("Two items have the same id, and the provider needs none."),
        "item_of_reasoning": Reason("The item's id would require a thought that is left out."),
        "item_repeated": Reason("The same item is there twice, and the provider takes it once."),
        "item_unknown": Reason("The provider has not stored an item with this id."),
        "output_type": Reason("An output has the type that belongs to its call."),
        "own_envelope": Reason("The thought was sealed by turnright, and the provider cannot read it."),
        "own_summary": Reason("The summary was sealed by turnright: its text is sent."),
        "reasoning_alone": Reason("The provider refuses a thought without the item that followed it."),
        "reasoning_unsealed": Reason(
            "The provider stores no thoughts, and this one has no encrypted content."
        ),
        "reference_to_reasoning": Reason("The provider has not stored the thought that is named."),
        "search_action": Reason("The provider does not know this kind of search."),
        "summarized": Reason("A summary stands for this item."),
        # messages of Anthropic's API
        "envelope_damaged": Reason("The signature was sealed for another client, or it is damaged."),
        "citations": Reason("A chat has no citations."),
        "claude_field": Reason("Only Claude reads these fields, and other providers refuse them."),
        "media_many": Reason("The provider takes fewer images and pages: the newest ones stay."),
        "media_refused": Reason("The provider cannot read this image or document."),
        "results_first": Reason("The provider wants all results of a turn first, in one message."),
        "system_as_reminder": Reason("The model takes no system message there: a user's reminder says it."),
        "thinking_alone": Reason("A chat has no turn of thinking alone."),
        "thinking_budget": Reason("The budget for thinking must be below the limit of the answer."),
        "thinking_dropped": Reason("The thinking of the open turn is not as it was, so that none is sent."),
        "thinking_kind": Reason("The model has another kind of thinking: a budget, or its own choice."),
        "thinking_last": Reason("The provider refuses a turn that ends with thinking."),
        "thinking_refused": Reason("The provider has refused the thinking in the history."),
        # contents of Gemini's API
        "args_not_an_object": Reason("The arguments of a call are no object: they are kept in one."),
        "data_missing": Reason("A part without data is refused."),
        "data_repeated": Reason("A part holds one kind of data: the first one counts."),
        "file_address": Reason("A chat cannot be given a file by such an address: a text names it."),
        "media_of_model": Reason("A chat has no media of the model's: a text stands for it."),
        "misplaced_call": Reason("A call is the model's, and stood in a content of the user's."),
        "misplaced_response": Reason("A response is the user's, and stood in a content of the model's."),
        "mixed_responses": Reason("Responses stand in a content of their own."),
        "name_missing": Reason("A call or a response needs the name of its function."),
        "nested_media": Reason("The model takes no media in a response."),
        "nothing_said": Reason("Thoughts alone are no turn."),
        "part_field": Reason("A chat has no such field of a part."),
        "parts_missing": Reason("A content without parts is refused."),
        "response_count": Reason("All responses of a turn stand in one content."),
        "response_mismatch": Reason("A response has the id and the name of its call."),
        "response_not_an_object": Reason("The response is no object: it is kept in one."),
        "sealed_signature": Reason("The thought was sealed by turnright, and Gemini cannot read it."),
        "signature": Reason("The provider has refused a signature of another model's."),
        "thought": Reason("A chat has no place for this thought."),
        "unknown_role": Reason("The role of a content is the user's or the model's."),
        # repairs
        "call_id": Reason("The id has a form that the provider takes."),
        "call_ids": Reason("The provider has refused ids of calls."),
        "no_chats": Reason("The model has no chats: it is asked through the Responses API."),
        "parallel_calls": Reason("The provider takes one call in a turn.", "parallel_calls"),
        "answer_room": Reason("The prompt fits the window with a shorter answer alone."),
        "refused_parameter": Reason("The provider has refused this parameter or its value."),
        "result_media": Reason("The media stands behind the result."),
        "schema": Reason("The provider has refused the schema: a simpler one is sent."),
        "system_as_user": Reason("The provider has refused the system role: a user says it."),
        "system_role": Reason("The provider has refused system messages between turns."),
        "turn_between": Reason("A word of the model stands between a result and the user's turn."),
        # turns
        "delegation_guidance": Reason("The tool's description says how often the task may be handed on."),
        "delegation_note": Reason("The model is told that it has handed on the task for the last time."),
        "delegation_withheld": Reason("The task was handed on too often: those tools are left out."),
        "loop_note": Reason("The model is told that it repeats itself."),
        "tool_error_hint": Reason("The model is told that the tool has failed over and over."),
        "tools_withheld": Reason("The turn is ended: the model may call no more tools."),
        "warning_note": Reason("The model is told that few rounds are left."),
        "wrap_up": Reason("The turn is ended: the model is asked for its answer."),
    }
)


_GEMINI, _OPENAI, _ANTHROPIC, _MISTRAL = "Gemini", "OpenAI", "Anthropic", "Mistral"
_TEMPLATE = "A server's chat template"

PROVIDERS: Mapping[str, str] = MappingProxyType(
    {
        "arguments_not_a_string": _OPENAI,
        "arguments_not_an_object": _GEMINI,
        "blank_result": "Bedrock",
        "blank_text": _ANTHROPIC,
        "call_after_model_turn": _GEMINI,
        "call_id_illegal": f"{_ANTHROPIC} and {_MISTRAL}",
        "call_id_missing": _OPENAI,
        "call_id_repeated": _ANTHROPIC,
        "call_id_too_long": _OPENAI,
        "call_type": _OPENAI,
        "call_unreadable": _OPENAI,
        "developer_role": "An OpenAI-compatible server",
        "duplicate_result": _GEMINI,
        "empty_content": _GEMINI,
        "empty_text": _GEMINI,
        "empty_tool_calls": _OPENAI,
        "first_turn_not_user": _GEMINI,
        "identical_call": _GEMINI,
        "many_systems": _TEMPLATE,
        "media_in_result": _OPENAI,
        "media_mistyped": _ANTHROPIC,
        "media_type": _GEMINI,
        "media_unreadable": _GEMINI,
        "misplaced_calls": _OPENAI,
        "missing_result": _OPENAI,
        "no_turn": _GEMINI,
        "orphaned_result": _OPENAI,
        "parallel_calls": "Databricks",
        "reasoning_missing": "DeepSeek",
        "refused_field": _GEMINI,
        "result_name_empty": _MISTRAL,
        "result_name_missing": _OPENAI,
        "same_role_neighbours": _GEMINI,
        "signature_unreadable": _GEMINI,
        "system_after_start": _GEMINI,
        "system_misplaced": _ANTHROPIC,
        "system_unsupported": _TEMPLATE,
        "text_beside_calls": "Bedrock",
        "thought_unsigned": _ANTHROPIC,
        "tool_name_illegal": _GEMINI,
        "trailing_model_turn": _GEMINI,
        "trailing_space": _ANTHROPIC,
        "unknown_field": _MISTRAL,
        "user_after_result": _MISTRAL,
    }
)
"""The provider whose error message is shown for a rule in :data:`sanitizers.invariants.RULES`.

The request may be for another provider, which refuses the same fault with another message. A rule without an entry is
explained in turnright's own words.
"""


def why(change: Change) -> str:
    """Return the reason of *change* as one sentence, or an empty string for an unknown reason."""
    known = REASONS.get(change.reason)
    if known is not None:
        return known.why
    told = SCHEMA_REASONS.get(change.reason, "")
    return f"{told[0].upper()}{told[1:]}." if told else ""


def rule_of(change: Change) -> str | None:
    """Return the name of the rule for which *change* is made, or None for a change without a rule."""
    if change.reason == "left_out":
        named = change.detail.rpartition(":")[2]
        if named in RULES:
            return named
    known = REASONS.get(change.reason)
    return known.rule or None if known is not None else None


def provider_words(change: Change) -> str | None:
    """Return the provider's error for a request without *change*, with its source, or None if unknown."""
    rule = rule_of(change)
    return RULES.get(rule) if rule is not None else None
