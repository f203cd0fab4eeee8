"""The guarantees of a strict chunk (:mod:`proxy.core.strict_chunk`), and the value that reports a broken guarantee.

``docs/canonical-chat.md`` says why clients and writers of client formats need each guarantee.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

CHUNK_RULES = MappingProxyType(
    {
        "chunk_fields": "a chunk has an id, object, created, model and choices, may have usage, and nothing else",
        "head_types": "id and model are texts, created is a time, and object is chat.completion.chunk",
        "head_changed": "id, created and model are the same in all chunks",
        "chunk_empty": "a chunk has a choice or the usage",
        "usage_beside_choices": "the chunk with the usage has no choices",
        "usage_repeated": "one chunk at most has the usage",
        "usage_not_last": "no choice follows the usage",
        "usage_counts": "the usage holds counts alone, and its total is the sum of the other two",
        "choice_fields": "a choice has an index, delta and finish_reason, may have logprobs, and nothing else",
        "choice_twice_in_chunk": "a chunk has one entry for each choice",
        "choice_after_finish": "nothing of a choice follows its finish reason, and no second one does",
        "choice_unfinished": "each choice has a finish reason when the stream ends",
        "no_choice": "a stream that ends has a choice",
        "role_missing": "the first delta of a choice says the role",
        "role_repeated": "a later delta does not say it again",
        "delta_fields": "a delta has known fields, each of its type",
        "delta_empty": "a delta that is neither the first nor the last of its choice says something",
        "text_empty": "a text is empty or null in the first delta alone, and not beside calls",
        "text_half": "a text holds whole characters",
        "piece_fields": "a delta has one or more pieces of calls, or none of the field, and each has its types",
        "call_place": "the calls of a choice have the places 0, 1, 2 and so on, in the order in which they begin",
        "call_head_missing": "the first piece of a call has an id, type and name",
        "call_head_repeated": "a later piece has none of these",
        "call_twice_in_delta": "a delta has one piece of each call",
        "call_id_illegal": "an id has 40 characters at most, of [A-Za-z0-9_-]",
        "call_id_shared": "no two calls of an answer share an id",
        "arguments_of_two": "the arguments of a call do not go on with another object behind a whole one",
        "arguments_no_object": "the arguments of a call that is to be run are one JSON object",
        "signature_shape": "extra_content holds Google's thought_signature and nothing else",
        "signature_repeated": "a call, and the text of a choice, is signed once at most",
        "thoughts_shape": "thinking_blocks are whole blocks of thinking, in the last delta of a choice",
        "finish_unknown": "a finish reason is one of OpenAI's five",
        "finish_hides_calls": "a choice with calls does not end with stop or function_call",
        "finish_without_calls": "a choice that ends with tool_calls or function_call has such a call",
        "logprobs_shape": "logprobs are lists of tokens under content and refusal",
    }
)
"""Every rule, with what it guarantees."""


@dataclass(frozen=True, slots=True)
class ChunkViolation:
    """One broken rule. *rule* is a key of :data:`CHUNK_RULES`.

    *chunk* is the index of the chunk that breaks the rule. For a fault at the stream's end it is the number of chunks.
    *choice* is the choice's index, or None where the rule is not about a single choice.
    """

    rule: str
    chunk: int
    choice: int | None = None

    @property
    def words(self) -> str:
        """The text of the guarantee."""
        return CHUNK_RULES[self.rule]
