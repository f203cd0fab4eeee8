"""The original bytes of a request and the original events of an answer, each with the name of its format.

Only a wire (:mod:`proxy.upstream.wires`) of that format may send a request's bytes to a provider. Only the writer of a
client with that format may send an answer's events. Without the name, the bytes of one format could be sent as those of
another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from sanitizers import Change, Messages
from sanitizers.native import Items
from sanitizers.native.gemini.project import GeminiProjection
from sanitizers.native.messages.project import MessagesProjection
from sanitizers.native.responses.project import ResponsesProjection
from sanitizers.native.responses.tool_table import ToolTable
from sanitizers.record import record

OPENAI_CHAT = "openai_chat"
"""The format of OpenAI's chat completions, which is the internal form too.

Answers in this format need no source of their own.
"""

OPENAI_RESPONSES = "openai_responses"
"""The format of OpenAI's Responses API."""

ANTHROPIC_MESSAGES = "anthropic_messages"
"""The format of Anthropic's Messages API."""

GEMINI_NATIVE = "gemini_native"
"""The format of Gemini's own API, with ``contents``."""

GEMINI_EMBEDDINGS = "gemini_embeddings"
"""The format of embeddings in Gemini's own API."""

SOURCE = "source"
"""The key of an :class:`AnswerSource` in an answer or a chunk, as a wire returns them."""


@record
class ResponsesRequest:
    """A request of the Responses API as its client meant it, for a provider that speaks that API."""

    items: Items
    """The whole conversation: stored items first, and stored items in the place of references.

    A plan puts in their place the items that are sent (:mod:`proxy.planning.native_requests`).
    """

    are_own: bool
    """True where *items* are exactly those of the body's ``input``."""

    projection: ResponsesProjection
    """The messages that were read from *items*, and their places."""

    table: ToolTable
    """The tools, by which an answer's calls find their flat names."""

    fields: Mapping[str, Any]
    """The decoded fields of the body without ``input``.

    ``previous_response_id`` and ``conversation`` are left out too, unless the provider knows what they name.
    """

    parameters: Mapping[str, Any]
    """The chat parameters that were read from *fields*. A plan that changed none of them has equal ones."""

    conversion: tuple[Change, ...]
    """The changes that a chat needs: items and tools that it cannot have. They are not made for the format itself.

    They are the last ones of :attr:`proxy.core.chat_request.ChatRequest.mended`, where their indexes may be others.
    """

    is_left_to_provider: bool = False
    """True where the client's model lets its provider store responses (``provider_state``)."""

    read_from: Items | None = None
    """The items that *projection* was read from, where a plan has put others into *items*."""

    origins: tuple[int, ...] | None = None
    """The index in *read_from* for each of *items*, or that of a neighbour. None where they are the same items."""

    are_mended: bool = False
    """True where *items* have been checked, and hold nothing that the provider would refuse."""

    holds_instructions: bool = False
    """True where the request's ``instructions`` stand among *items*, so that the field must go."""


@record
class MessagesRequest:
    """A request of the Messages API as its client meant it, for a provider that speaks that API."""

    items: Items
    """The ``messages`` of the body. A plan puts in their place those that are sent."""

    are_own: bool
    """True where *items* are exactly those of the body."""

    projection: MessagesProjection
    """The chat messages that were read from *items* and from ``system``, and their places."""

    fields: Mapping[str, Any]
    """The decoded fields of the body without ``messages``."""

    parameters: Mapping[str, Any]
    """The chat parameters that were read from *fields*. A plan that changed none of them has equal ones."""

    conversion: tuple[Change, ...]
    """The changes that only a chat needs, as in :attr:`ResponsesRequest.conversion`."""

    headers: Mapping[str, str]
    """The client's headers that may go to Anthropic, with names in lower case. They are checked and bounded."""

    query: str = ""
    """The query of the client's address, ``beta=true`` or nothing."""

    read_from: Items | None = None
    """The items that *projection* was read from, where a plan has put others into *items*."""

    origins: tuple[int, ...] | None = None
    """The index in *read_from* for each of *items*, or that of a neighbour. None where they are the same items."""

    are_mended: bool = False
    """True where *items* have been checked, and hold nothing that Anthropic would refuse."""

    takes_systems: bool = True
    """False where the model has refused system messages between the others."""

    drops_thinking: bool = False
    """True where the provider has refused the thinking in *items*, so that none is sent."""

    repaired: Mapping[str, Any] = field(default_factory=dict)
    """The fields that were changed since the provider has refused them. None removes one."""

    changed: Mapping[str, Any] = field(default_factory=dict)
    """The fields that a plan has changed, such as ``system`` with the operator's instructions. None removes one."""


@record
class GeminiRequest:
    """A request of Gemini's own API as its client meant it, for a provider that speaks that API."""

    items: Items
    """The ``contents`` of the body. A plan puts in their place those that are sent."""

    are_own: bool
    """True where *items* are exactly those of the body."""

    projection: GeminiProjection
    """The chat messages that were read from *items* and from the system instruction, and their places."""

    fields: Mapping[str, Any]
    """The decoded fields of the body without ``contents``, with the names as the client spells them."""

    parameters: Mapping[str, Any]
    """The chat parameters that were read from *fields*. A plan that changed none of them has equal ones."""

    conversion: tuple[Change, ...]
    """The changes that only a chat needs, as in :attr:`ResponsesRequest.conversion`."""

    read_from: Items | None = None
    """The items that *projection* was read from, where a plan has put others into *items*."""

    origins: tuple[int, ...] | None = None
    """The index in *read_from* for each of *items*, or that of a neighbour. None where they are the same items."""

    are_mended: bool = False
    """True where *items* have been checked, and hold nothing that Gemini would refuse."""

    drops_signatures: bool = False
    """True where the provider has refused the signatures of texts in *items*, so that none is sent."""

    repaired: Mapping[str, Any] = field(default_factory=dict)
    """The fields that were changed since the provider has refused them, by the client's names. None removes one."""

    changed: Mapping[str, Any] = field(default_factory=dict)
    """The fields that a plan has changed, by the client's names. None removes one."""


@record
class Source:
    """The body of one request, and the history that was read from it."""

    format: str
    """The name of the client's format (:class:`proxy.forwarding.answer_format.ClientFormat`)."""

    body: bytes
    """The request's bytes as they were parsed, after any repair that made them readable."""

    messages: Messages
    """The history in *body*. A call's history is unchanged as long as it is this same object.

    With the items of a plan in *native*, it is the plan's history.
    """

    native: ResponsesRequest | MessagesRequest | GeminiRequest | None = None
    """The request in the format's own form, or None for a format that chat messages express."""


@record
class AnswerSource:
    """The provider's own event or body that one chunk or one whole answer was converted from."""

    format: str
    """The name of the format that *event* is in."""

    event: Any
    """The native event of a stream, or the native body of a whole answer.

    It is decoded JSON and must not be changed.
    """
