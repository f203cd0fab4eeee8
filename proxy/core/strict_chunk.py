"""The strict chunk: the form of every chunk of a streamed chat answer, before it is written for the client.

:mod:`proxy.answers.normalize` yields strict chunks, and :mod:`proxy.answers.chunk_violations` checks them. Further
guarantees are in ``docs/canonical-chat.md``. At run time strict chunks are ordinary dicts. The types here list their
keys.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from proxy.core.canonical_chat import ExtraContent

FinishReason: TypeAlias = Literal["stop", "length", "tool_calls", "content_filter", "function_call"]
"""OpenAI's five finish reasons (chat completions reference, 2026-11)."""


class PieceFunction(TypedDict):
    """The function of a piece.

    The first piece of a call has the name. Every piece has arguments, which may be empty.
    """

    name: NotRequired[str]
    arguments: str


class CallPiece(TypedDict):
    """A piece of one tool call. *index* is the call's position among the calls of its choice."""

    index: int
    id: NotRequired[str]
    type: NotRequired[Literal["function"]]
    function: PieceFunction
    extra_content: NotRequired[ExtraContent]


class LegacyPiece(TypedDict, total=False):
    """A piece of a call in OpenAI's older form, before tool calls."""

    name: str
    arguments: str


class Delta(TypedDict, total=False):
    """The addition of one chunk to one choice. Clients append each text to the texts that came before."""

    role: Literal["assistant"]
    content: str | None
    reasoning_content: str | None
    refusal: str | None
    tool_calls: list[CallPiece]
    function_call: LegacyPiece | None
    audio: dict[str, Any] | None
    annotations: list[dict[str, Any]] | None
    extra_content: ExtraContent
    thinking_blocks: list[dict[str, Any]]


class Logprobs(TypedDict, total=False):
    """The log probabilities of a delta's tokens."""

    content: list[dict[str, Any]] | None
    refusal: list[dict[str, Any]] | None


class ChunkChoice(TypedDict):
    """One choice's part of a chunk. *finish_reason* is null until the choice's last part."""

    index: int
    delta: Delta
    finish_reason: FinishReason | None
    logprobs: NotRequired[Logprobs]


class PromptTokensDetails(TypedDict, total=False):
    """Tokens that ``prompt_tokens`` includes."""

    audio_tokens: int
    cache_write_1h_tokens: int
    cache_write_tokens: int
    cached_tokens: int


class CompletionTokensDetails(TypedDict, total=False):
    """Tokens that ``completion_tokens`` includes."""

    accepted_prediction_tokens: int
    audio_tokens: int
    image_tokens: int
    reasoning_tokens: int
    rejected_prediction_tokens: int


class Usage(TypedDict):
    """The tokens of the whole answer."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: NotRequired[PromptTokensDetails]
    completion_tokens_details: NotRequired[CompletionTokensDetails]


class StrictChunk(TypedDict):
    """One chunk. The chunk with *usage* has no choices and is the last one."""

    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: NotRequired[Usage]
