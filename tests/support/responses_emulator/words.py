"""OpenAI's words for the refusals of a request for a response, and the refusals in its envelope.

The quoted texts and their reports: an unanswered call (CLIProxyAPI#2368, Roo-Code#12248), an output without its call
(vscode#320060, continue#10092, vellum#39919), a thought that stands alone (codex#1227, continue#8933, vercel/ai#7099),
an item without its thought (continue#11994), a repeated id (continue#10723, vscode#321977), an unknown item
(oh-my-pi#41, opencode#7724), an unreadable content (codex#8119, litellm#18094, opencodex#2269), the prefix of an id
(codex#33176, openai-agents-python#2293), an empty id (langchainjs#11044), a long id (hermes-agent#73492,
litellm#41534), an item without content (chatgpt-codex-proxy#9), an unknown search (codex#7073), a trigger that is not
the last (sub2api#6366), an unknown response (bifrost#2441), and a chat (tmuxai#82, docker-agent#313). The texts of
custom tools, of shells and of moved parameters follow the pattern of these.
"""

from __future__ import annotations

from tests.support.openai_emulator.judging import Refusal

UNANSWERED = "No tool output found for {kind} {call_id}."
ORPHAN = "No tool call found for {kind} with call_id {call_id}."
LONELY_THOUGHT = "Item '{id}' of type 'reasoning' was provided without its required following item."
WITHOUT_THOUGHT = "Item '{id}' was provided without its required 'reasoning' item: '{thought}'."
DUPLICATE = "Duplicate item found with id {id}. Remove duplicate items from your input and try again."
NOT_STORED = (
    "Item with id '{id}' not found. Items are not persisted when `store` is set to false. "
    "Try again with `store` set to true, or remove this item from your input."
)
UNREADABLE = "The encrypted content {content} could not be verified."
UNREADABLE_COMPACTION = (
    "The encrypted content for item {id} could not be verified. "
    "Reason: Encrypted content could not be decrypted or parsed."
)
WRONG_PREFIX = "Invalid '{path}': '{id}'. Expected an ID that begins with '{prefix}'."
ILLEGAL_ID = (
    "Invalid '{path}': '{id}'. Expected an ID that contains letters, numbers, underscores, or dashes, "
    "but this value contained additional characters."
)
TOO_LONG = (
    "Invalid '{path}': string too long. Expected a string with maximum length 64, "
    "but got a string with length {length} instead."
)
EMPTY = "Invalid '{path}': empty string. Expected a string with minimum length 1, but got an empty string instead."
MISSING = "Missing required parameter: '{path}'."
UNSUPPORTED_VALUE = "Invalid value: '{value}'. Supported values are: {supported}."
TRIGGER_NOT_LAST = "The 'compaction_trigger' item must be the final input item."
NO_RESPONSE = "Previous response with id '{id}' not found."
NO_CHATS = "This model is only supported in v1/responses and not in v1/chat/completions."
UNKNOWN = "Unknown parameter: '{path}'."
MOVED = (
    "Unsupported parameter: '{name}'. In the Responses API, this parameter has moved to '{place}'. Try again with "
    "the new parameter. See the API documentation for more information: "
    "https://platform.openai.com/docs/api-reference/responses/create."
)
NOT_WITH_MODEL = "Unsupported parameter: '{path}' is not supported with this model."
NO_ENCRYPTED = "Encrypted content is not supported with this model."
NO_TOOL = "Tool choice '{name}' not found in 'tools' parameter."
NO_STREAM = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
BELOW_MINIMUM = (
    "Invalid '{path}': integer below minimum value. Expected a value >= {least}, but got {value} instead."
)


def of_input(message: str, code: str | None = None, status: int = 400) -> Refusal:
    """Return a refusal of the list of items."""
    return Refusal(message, "input", code, status)


def missing(path: str) -> Refusal:
    """Return the refusal of a request without the parameter *path*."""
    return Refusal(MISSING.format(path=path), path, "missing_required_parameter")


def wrong_type(path: str, expected: str, value: object) -> Refusal:
    """Return the refusal of a *value* that is of another type than *expected*."""
    words = f"Invalid type for '{path}': expected {expected}, but got {_kind(value)} instead."
    return Refusal(words, path, "invalid_type")


def unsupported(path: str, value: object, supported: tuple[str, ...]) -> Refusal:
    """Return the refusal of a *value* that is none of those *supported*."""
    quoted = [f"'{name}'" for name in supported]
    listed = " and ".join(quoted) if len(quoted) < 3 else ", ".join(quoted[:-1]) + f", and {quoted[-1]}"
    return Refusal(UNSUPPORTED_VALUE.format(value=value, supported=listed), path, "invalid_value")


def _kind(value: object) -> str:
    kinds = {type(None): "null", bool: "a boolean", int: "an integer", float: "a decimal number"}
    kinds |= {str: "a string", list: "an array"}
    return kinds.get(type(value), "an object")
