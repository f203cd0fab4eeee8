"""Says in one plain sentence what a change did, for readers who do not know the sanitizers' steps.

The sentences are looked up by the change's reason. A reason without a sentence here gets the inspector's text. If there
is none, only the kind of the change is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from proxy.inspector.rule_texts import why
from sanitizers import Change

SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        # media
        "fetched": "An image was fetched, and its bytes were sent.",
        "left_out": "A part that the model cannot read was replaced by a note.",
        "media_encoding": "The bytes of a file were written as the provider reads them.",
        "media_type": "The type of a file was put right.",
        # shape
        "arguments": "The arguments of a call were written as a JSON object.",
        "blank_result": "An empty tool result got a text.",
        "call_id_illegal": "The id of a call was replaced by one that the provider takes.",
        "call_id_missing": "A call without an id got one.",
        "call_id_repeated": "Two calls of one id got ids of their own.",
        "call_id_too_long": "The id of a call was shortened.",
        "call_type": "A call without its type got it.",
        "developer_role": "A developer message became a system message.",
        "empty_content": "A message without content got a text.",
        "empty_message": "An empty message was dropped.",
        "empty_name": "The empty name of a tool result was dropped.",
        "empty_text": "An empty text was dropped.",
        "empty_tool_calls": "An empty list of calls was dropped.",
        "half_character": "A text that was cut within a character was mended.",
        "legacy_function": "A call in OpenAI's old form was written in the new one.",
        "refused_field": "A field that the provider refuses was dropped.",
        "refused_part": "A part that the provider refuses was dropped.",
        "result_content": "A tool result was written as text.",
        "result_id": "A tool result got the id of its call.",
        "system_after_start": "A system message behind the start became a user message.",
        "system_misplaced": "A system message was moved behind the user's turn.",
        "thought_unsigned": "A thought without its signature was dropped.",
        # results and their calls
        "orphaned_result": "A result without a call was dropped.",
        "superseded_result": "An older result of the same call was dropped.",
        "missing_result": "A call without a result got one that says so.",
        "trailing_call": "The last call had no result yet, and got one that says so.",
        "late_result": "A result was moved directly behind its call.",
        "result_order": "A result was moved to the place of its call.",
        "identical_call": "Two identical calls of one turn became one.",
        "parallel_calls": "Several calls of one turn got turns of their own.",
        "media_in_result": "An image was moved out of a tool result.",
        "assistant_run": "Two model turns in a row became one.",
        "user_run": "Two user turns in a row became one.",
        "system_run": "Several system messages became one.",
        "system_unsupported": "A system message became a part of the user's first turn.",
        # the first turn and the last one
        "model_first": "A user turn was put before the model's first turn.",
        "system_only": "A user turn was added, since there were instructions alone.",
        "user_after_result": "A word of the model was put between a result and the user's turn.",
        "text_beside_calls": "Text and calls of one turn got turns of their own.",
        "trailing_model_turn": "A user turn was added, since the model's own turn was the last one.",
        "trailing_space": "White space at the end of the last turn was dropped.",
        # tools
        "call_name": "A call got the legal name of its tool.",
        "tool_name": "A tool got a name that the provider takes.",
        "declaration_form": "A declaration got the fields that the provider reads.",
        "undeclared_calls": "The tools that the history calls were declared, and no further call is allowed.",
        "system_form": "The system instruction got the form that the provider reads.",
        "duplicate_declaration": "A tool that was declared twice is declared once.",
    }
)
"""The sentence for each change, by the change's reason."""


def change_sentences(changes: Iterable[Change]) -> Iterator[str]:
    """Yield each different sentence about *changes*, with the step that made the change, and how often."""
    for (sentence, step), times in Counter((_sentence(change), change.step) for change in changes).items():
        yield f"{sentence} ({step})" if times == 1 else f"{sentence} ({step}, {times} times)"


def _sentence(change: Change) -> str:
    return SENTENCES.get(change.reason) or why(change) or f"Something was {change.kind}."
