"""The canonical chat message: OpenAI's chat message as a dict, with a list of known additional keys.

Messages stay plain dicts, since classes would lose identity, key order and unknown fields (:mod:`sanitizers.messages`).
These types list the keys that the proxy knows. ``docs/canonical-chat.md`` names the writers and readers of each key. An
unknown key is passed on unchanged, or left out where the model's profile accepts only known keys.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class GoogleExtra(TypedDict):
    """The fields that Google's OpenAI endpoint adds to a call, or to an answer without calls."""

    thought_signature: str


class ExtraContent(TypedDict):
    """The canonical place of a thought signature. The providers' wire formats have other places for the signature."""

    google: GoogleExtra


class CallFunction(TypedDict):
    """The called tool. *arguments* is JSON as a text."""

    name: str
    arguments: str
    thought_signature: NotRequired[str]
    provider_specific_fields: NotRequired[dict[str, Any]]


class CustomInput(TypedDict):
    """A called custom tool. Its input is free text."""

    name: str
    input: str


class ToolCall(TypedDict):
    """One call of an assistant's message. *type* names the key that holds the called tool."""

    id: str
    type: Literal["function", "custom"]
    function: NotRequired[CallFunction]
    custom: NotRequired[CustomInput]
    index: NotRequired[int]
    extra_content: NotRequired[ExtraContent]
    provider_specific_fields: NotRequired[dict[str, Any]]
    cache_control: NotRequired[dict[str, Any]]


class LegacyCall(TypedDict):
    """A call in OpenAI's older form, ``function_call``, before there were tool calls."""

    name: str
    arguments: str


class ImageUrl(TypedDict):
    """An image: an address, or a ``data:`` URL."""

    url: str
    detail: NotRequired[str]
    format: NotRequired[str]


class InputAudio(TypedDict):
    """A recording as base64."""

    data: str
    format: str


class File(TypedDict, total=False):
    """A document: its bytes as a ``data:`` URL, or the provider's id of a stored document."""

    file_data: str
    file_id: str
    filename: str
    format: str


class ContentPart(TypedDict):
    """One part of a message's content. *type* names the key that holds the part's value."""

    type: str
    text: NotRequired[str | None]
    refusal: NotRequired[str | None]
    image_url: NotRequired[ImageUrl | str]
    input_audio: NotRequired[InputAudio]
    file: NotRequired[File]
    audio_url: NotRequired[Any]
    video_url: NotRequired[Any]
    thinking: NotRequired[str]
    cache_control: NotRequired[dict[str, Any]]
    tool_use_id: NotRequired[str]


Content: TypeAlias = str | list[ContentPart]
"""The content of a message."""


class SystemMessage(TypedDict):
    """Instructions, from the operator or the developer."""

    role: Literal["system", "developer"]
    content: Content
    name: NotRequired[str]
    cache_control: NotRequired[dict[str, Any]]


class UserMessage(TypedDict):
    """A message of the user."""

    role: Literal["user"]
    content: Content
    name: NotRequired[str]
    cache_control: NotRequired[dict[str, Any]]


class AssistantMessage(TypedDict):
    """A message of the model: its text, its calls and its reasoning."""

    role: Literal["assistant"]
    content: NotRequired[Content | None]
    name: NotRequired[str]
    tool_calls: NotRequired[list[ToolCall]]
    function_call: NotRequired[LegacyCall | None]
    refusal: NotRequired[str | None]
    audio: NotRequired[dict[str, Any] | None]
    annotations: NotRequired[list[dict[str, Any]]]
    extra_content: NotRequired[ExtraContent]
    reasoning_content: NotRequired[str | None]
    reasoning: NotRequired[str | None]
    reasoning_details: NotRequired[list[dict[str, Any]]]
    thinking_blocks: NotRequired[list[dict[str, Any]]]
    provider_specific_fields: NotRequired[dict[str, Any]]
    cache_control: NotRequired[dict[str, Any]]
    images: NotRequired[list[dict[str, Any]]]
    prefix: NotRequired[bool]
    citations: NotRequired[list[Any]]
    tool_plan: NotRequired[str]


class ToolMessage(TypedDict):
    """The result of the call *tool_call_id*."""

    role: Literal["tool"]
    content: Content
    tool_call_id: str
    name: NotRequired[str]
    is_error: NotRequired[bool]
    cache_control: NotRequired[dict[str, Any]]


class FunctionMessage(TypedDict):
    """The result of a call in OpenAI's older form. *name* is the called function's, and identifies the call."""

    role: Literal["function"]
    content: Content
    name: str


ChatMessage: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolMessage | FunctionMessage
"""One message of a history."""

THINKING_LAYOUT = "thinking_layout"
"""The key of an answer's thoughts and their places, in a message or the last delta of a choice, as a wire returns them.

The value has the form of ``thinking_blocks``. The client gets the thoughts alone, and the store keeps the places.
"""

EXTENSION_KEYS = frozenset(
    {
        "cache_control",
        "citations",
        "extra_content",
        "images",
        "is_error",
        "prefix",
        "provider_specific_fields",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "thinking_blocks",
        "tool_plan",
    }
)
"""Keys of a message that OpenAI does not define and that the proxy writes, reads or removes."""
