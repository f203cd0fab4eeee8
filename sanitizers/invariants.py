"""The checker finds the rules that a history breaks, most of them in the providers' own words.

It has three uses. It proves that the steps' result is legal. It finds the histories that need no repair. The
property-based tests use the checker as their oracle. So the checker shares only accessors with the steps. The checker
reads a history front to back, as a provider does.

OpenAI's chat format carries the history. A rule of Gemini's wire format is therefore expressed for the messages that
the Gemini request is made from.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from sanitizers.message_violations import (
    ID_FORMS,
    find_message_violations,
    has_empty_name,
    has_known_fields,
    has_refused_name,
    is_misnamed,
)
from sanitizers.messages import Messages, are_objects, is_plain
from sanitizers.name_rules import NameRule
from sanitizers.outline import PLAIN_FIELDS, RESULT_FIELDS, TURN_FIELDS, Outline
from sanitizers.profiles import Profile
from sanitizers.turn_order import is_in_order, order_of
from sanitizers.turn_violations import find_turn_violations
from sanitizers.work_limit import metered

RULES = MappingProxyType(
    {
        "arguments_not_an_object": "Invalid value at 'function_call.args' (google.protobuf.Struct) [AstrBot#7134]",
        "arguments_not_a_string": "arguments must be a string [OpenAI chat completions reference]",
        "call_after_model_turn": "Please ensure that function call turn comes immediately after a user turn or "
        "after a function response turn. [gemini-cli#11814]",
        "call_id_illegal": "String should match pattern '^[a-zA-Z0-9_-]+$' [langchain#37756]; must be a-z, A-Z, 0-9, "
        "with a length of 9 [gptel#1203]",
        "call_id_missing": "tool_calls[].id is required [OpenAI chat completions reference]",
        "call_id_repeated": "tool_use ids must be unique [9router#4273]",
        "call_id_too_long": "string too long. Expected a string with maximum length 40 [vercel/ai#5171]",
        "call_type": "Missing required parameter: 'messages[1].tool_calls[0].type'. [OpenAI API]",
        "blank_result": "The text field in the ContentBlock object is blank. [from memory]",
        "blank_text": "text content blocks must contain non-whitespace text [from memory]",
        "call_unreadable": "tool_calls[].function.name is required [OpenAI chat completions reference]",
        "custom_call": "only function calls can be carried [Gemini: Part.functionCall]",
        "developer_role": "Input should be 'system', 'user', 'assistant' or 'tool' [litellm#9327]",
        "duplicate_result": "Please ensure that the number of function response parts is equal to the number of "
        "function call parts of the function call turn. [ag-ui#1334]",
        "empty_content": "contents.parts must not be empty. [vercel/ai#3775]",
        "empty_text": "it has an empty text parameter. Add a value to the parameter and try again. "
        "[zuisong/gemini-openai-proxy#83]",
        "empty_tool_calls": "[] is too short - 'tool_calls' [OpenAI chat completions]",
        "first_turn_not_user": "Please ensure that function call turn comes immediately after a user turn or "
        "after a function response turn. [gemini-cli#11814]",
        "identical_call": "Please ensure that the number of function response parts is equal to the number of "
        "function call parts of the function call turn. [litellm drops the second of two equal calls]",
        "legacy_function": "role 'function' and 'function_call' have no place on this wire",
        "media_in_result": "Image URLs are only allowed for messages with role 'user' [OpenAI API]",
        "media_mistyped": "The image was specified using the image/png media type, but the image appears to be a "
        "image/jpeg image [Anthropic API]",
        "media_type": "Unsupported MIME type: image/jpg [crush#995]",
        "media_unreadable": "Provided image is not valid [pollinations#4157]",
        "misplaced_calls": "only assistant messages make calls [OpenAI chat completions reference]",
        "many_systems": "After the optional system message, conversation roles must alternate user/assistant/"
        "user/assistant/... [llama_index#11731]",
        "missing_result": "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. [dataline#172]",
        "no_turn": "GenerateContentRequest.contents: contents is not specified [langchain-google#1393]",
        "orphaned_result": "messages with role 'tool' must be a response to a preceeding message with "
        "'tool_calls'. [autogen#3178]",
        "parallel_calls": "Multiple tool calls are not supported. [litellm#31633]",
        "reasoning_missing": "The `reasoning_content` in the thinking mode must be passed back to the API. "
        "[hermes#15353]",
        "refused_field": "Unknown name: Cannot find field. [ai.nvim#13]",
        "refused_part": "this part cannot be carried in this role",
        "remote_media": "media must come as data: URLs; nothing is fetched for this provider",
        "result_name_empty": "Function name was  but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a "
        "maximum length of 64. [mistral-common, instruct/validator.py]",
        "result_name_missing": "Missing parameter 'name': messages with role 'function' must have a 'name'. "
        "[OpenAI API]",
        "result_order": "results are matched by position where ids are absent [kimi-cli#1582]",
        "same_role_neighbours": "Please ensure that multiturn requests alternate between user and model. "
        "[one-api#836]",
        "signature_unreadable": "Base64 decoding failed for thought_signature [ruby_llm#521]",
        "system_misplaced": "role 'system' must follow a user message, and precede an assistant message or nothing "
        "[paraphrase of Anthropic's documents]",
        "system_after_start": "Please use a valid role: user, model. [one-api#1385]",
        "system_unsupported": "System role not supported [from memory]",
        "text_beside_calls": "Conversation blocks and tool use blocks cannot be provided in the same turn. "
        "[quarkus-langchain4j#1983]",
        "thought_unsigned": "messages.1.content.0: Invalid `signature` in `thinking` block [from memory]",
        "trailing_space": "messages: final assistant content cannot end with trailing whitespace [from memory]",
        "tool_name_illegal": "Invalid function name. Must start with a letter or an underscore. [gemini-cli#2966]",
        "trailing_model_turn": "Requests ending with a model turn are not supported. [LibreChat agents#323]",
        "unknown_field": "Extra inputs are not permitted [Mistral, 422]",
        "user_after_result": "Unexpected role 'user' after role 'tool' [datapizza#98]",
    }
)
"""Every rule, with a provider's words and their source, or with our own words where no report is known."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule: *rule* is a key of :data:`RULES`, *index* the message that breaks it."""

    rule: str
    index: int

    @property
    def words(self) -> str:
        """The text of this rule in :data:`RULES`, with its source."""
        return RULES[self.rule]

    def as_dict(self) -> dict[str, Any]:
        """Return the violation as JSON-ready values."""
        return {"rule": self.rule, "index": self.index, "words": self.words}


def find_violations(
    messages: Messages,
    profile: Profile,
    *,
    places: Iterable[int] | None = None,
    outline: Outline | None = None,
) -> tuple[Violation, ...]:
    """Return every rule of *profile* that *messages* break, in reading order. The result is empty when they are legal.

    *messages* must have passed :func:`sanitizers.validation.validate_messages`. *places* are the indexes of the
    messages to check one by one, where the caller knows that all others pass. The order of the turns is always checked
    for all messages. With the *outline* of *messages*, all plain messages (:mod:`sanitizers.outline`) and their order
    are checked at once.
    """
    if outline is not None and not outline.describes(messages):
        outline = None
    if outline is None or "?" in outline.order:
        ordered = is_in_order(*order_of(messages), profile)
    else:
        ordered = is_in_order(outline.order, outline.call_ids, outline.result_ids, profile)
    found: list[tuple[int, str]] = []  # the index first, so that sorting gives the reading order
    if not ordered:
        found = [(index, rule) for rule, index in find_turn_violations(messages, profile)]
    if outline is not None and _plain_ones_pass(outline, profile):
        signed_ones = () if not outline.signed or _takes_signatures(profile) else outline.signed
        places = sorted({*outline.odd, *outline.blank, *outline.twins, *signed_ones})
    elif places is None:
        places = range(len(messages))
    signed = profile.signed_thoughts
    for index in places and metered(places):  # most histories have none
        message = messages[index]
        if (
            has_known_fields(message, profile)
            and is_plain(message, profile.refused_fields)
            and not (signed and "thinking_blocks" in message)
        ):
            if "name" not in message:
                continue
            if has_refused_name(message, profile):
                found.append((index, "refused_field"))
            if message["role"] == "tool":
                if is_misnamed(message, profile):
                    found.append((index, "tool_name_illegal"))
                elif not profile.empty_names and has_empty_name(message, profile):
                    found.append((index, "result_name_empty"))
        else:
            found += [(index, rule) for rule in find_message_violations(message, profile)]
    return tuple(Violation(rule, index) for index, rule in sorted(set(found))) if found else ()


def _plain_ones_pass(outline: Outline, profile: Profile) -> bool:
    """Tell whether no plain message breaks a rule by itself.

    Messages in ``outline.blank`` and ``outline.twins`` are not checked here, nor the fields of signatures.

    The ids, names and arguments of all calls are checked together, not message by message.
    """
    if outline.marked or not _takes_plain_fields(profile):
        return False
    if outline.named and profile.named_roles is not None and "tool" not in profile.named_roles:
        return False
    ids, longest = outline.call_ids, profile.max_call_id_length
    return not outline.names or (
        (longest is None or len(max(ids, key=len, default="")) <= longest)
        and _have_form(ids, profile.call_id_form)
        and _are_legal(outline.names, profile.tool_names)
        and (not profile.object_arguments or are_objects(outline.arguments))
    )


@lru_cache(maxsize=64)
def _takes_plain_fields(profile: Profile) -> bool:
    only = profile.only_fields
    return profile.refused_fields.isdisjoint(PLAIN_FIELDS) and (
        only is None or (only >= TURN_FIELDS and only | profile.result_fields >= RESULT_FIELDS)
    )


@lru_cache(maxsize=64)
def _takes_signatures(profile: Profile) -> bool:
    """Tell whether a call may have a signature in its usual field."""
    return not profile.bare_calls and "extra_content" not in profile.refused_fields


def _have_form(ids: Sequence[str], form: str) -> bool:
    if form == "token":
        return not ids or ID_FORMS[form].fullmatch("".join(ids)) is not None
    return form == "any" or all(map(ID_FORMS[form].fullmatch, ids))


def _are_legal(names: Collection[str], rule: NameRule) -> bool:
    listed = "\n".join(names)
    return (
        len(max(names, key=len)) <= rule.max_length
        and listed.count("\n") == len(names) - 1
        and _list_of(rule.pattern).fullmatch(listed) is not None
    )


@lru_cache(maxsize=16)
def _list_of(pattern: str) -> re.Pattern[str]:
    """Return a pattern for a list of names, one on each line. *pattern* matches one name and contains no line break."""
    return re.compile(rf"(?:{pattern})(?:\n(?:{pattern}))*")
