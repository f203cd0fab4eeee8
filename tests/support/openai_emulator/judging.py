"""Judges the `messages` of a chat request by OpenAI's rules, with OpenAI's own error texts.

The proxy has its own invariant checker. This judge shares no code with that checker. So an error in either of them
shows up as a disagreement. The judge makes three passes over the whole list, in the live API's order: the schema, the
pairing of calls and results, and missing contents. So a bad role at a later index is reported before a missing content
at an earlier index. The `param` of a schema error reads `messages[1].content`. The `param` of a later pass reads
`messages.[1].content`.

Sources of the texts. Pairing: SemanticKernel#12708, agno#4345, dataline#172. Two results for one call: agno#5116,
opencode#1211. No `tool_call_id`: langchain#22600. Null content: langchainjs#4153. Empty `tool_calls`: openai-node#1341.
Long ids: vercel/ai#5171. Wrong content type: pydantic-ai#2653. The order of the passes, the developer role's own words
and the fields that replace `content` are from a public record of the live API (August 2026). Four texts are not quoted
anywhere and follow the pattern of similar texts. These four concern a repeated id within one message, an empty id, the
`custom` type of a call, and the legacy role without a name.

Known to be legal, and so accepted: successive messages of one role, results in any order within their block, and ids
used again after their results. So are arguments that are no JSON, empty texts, empty lists of parts, and unknown
fields. The live API refuses some unknown fields, depending on the model.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.openai_emulator import shapes
from tests.support.openai_emulator.images import image_faults
from tests.support.openai_emulator.parameters import parameter_faults

UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: {ids}"
)
ORPHAN = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
    "'tool_calls'."
)
NO_CALL_ID = "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."
NO_NAME = "Missing parameter 'name': messages with role 'function' must have a 'name'."
NULL_CONTENT = "Invalid value for 'content': expected a string, got null."
STANDS_IN_FOR_CONTENT = ("tool_calls", "function_call", "refusal", "audio")


@dataclass(frozen=True, slots=True)
class Refusal:
    """OpenAI's error for a request that it refuses."""

    message: str
    param: str | None = None
    code: str | None = None
    status: int = 400
    type: str = "invalid_request_error"

    def envelope(self) -> dict[str, Any]:
        """Return the body of the answer."""
        error = {"message": self.message, "type": self.type, "param": self.param, "code": self.code}
        return {"error": error}

    def headers(self) -> Mapping[str, str]:
        """Return the headers of the answer: none."""
        return {}


def judge_openai(messages: Any) -> Refusal | None:
    """Return the first fault that OpenAI would report, or None if OpenAI accepts the history."""
    return next(_faults(messages), None)


def judge_openai_body(body: Any) -> Refusal | None:
    """Return the first fault of a whole request: in some other fields, in `messages`, or in their images."""
    if not isinstance(body, dict):
        return Refusal(
            "We could not parse the JSON body of your request. (HINT: This likely means you aren't using "
            "your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was "
            "not valid JSON.)"
        )
    if not body.get("model"):
        return Refusal("you must provide a model parameter")
    if "messages" not in body:
        return Refusal("Missing required parameter: 'messages'.", "messages", "missing_required_parameter")
    if body.get("stream_options") is not None and not body.get("stream"):
        words = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        return Refusal(words, "stream_options")
    for fault in parameter_faults(body):
        return Refusal(fault.message, fault.param, fault.code)
    refusal = judge_openai(body["messages"])
    if refusal is not None:
        return refusal
    for image in image_faults(body["messages"]):
        return Refusal(image.message, image.param, image.code)
    return None


def _faults(messages: Any) -> Iterator[Refusal]:
    for fault in shapes.list_faults(messages):
        yield Refusal(fault.message, fault.param, fault.code)
    yield from _pairing_faults(messages)
    yield from _content_faults(messages)


def _pairing_faults(messages: list[dict[str, Any]]) -> Iterator[Refusal]:
    called: list[str] = []  # the ids of the assistant message whose block of results is open
    answered: dict[str, int] = {}
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            yield from _result_faults(index, message, called, answered)
            answered[message["tool_call_id"]] = index
            continue
        yield from _unanswered(called, answered, f"messages.[{index}].role")
        called, answered = [], {}
        if message["role"] == "assistant":
            called = [entry["id"] for entry in message.get("tool_calls") or ()]
            yield from _repeated_ids(index, called)
        elif message["role"] == "function" and not message.get("name"):
            yield Refusal(NO_NAME, f"messages.[{index}].name")
    yield from _unanswered(called, answered, "messages")


def _result_faults(
    index: int, message: dict[str, Any], called: list[str], answered: dict[str, int]
) -> Iterator[Refusal]:
    call_id = message.get("tool_call_id")
    if not call_id:
        yield Refusal(NO_CALL_ID, f"messages.[{index}].tool_call_id")
    if call_id not in called:
        yield Refusal(ORPHAN, f"messages.[{index}].role")
    if call_id in answered:
        words = (
            f"Invalid parameter: Duplicate value for 'tool_call_id' of '{call_id}', "
            f"in messages[{answered[call_id]}] and messages[{index}]."
        )
        yield Refusal(words, f"messages.[{index}].tool_call_id")


def _unanswered(called: list[str], answered: Iterable[str], param: str) -> Iterator[Refusal]:
    missing = [call_id for call_id in called if call_id not in answered]
    if missing:
        yield Refusal(UNANSWERED.format(ids=", ".join(missing)), param)


def _repeated_ids(index: int, called: list[str]) -> Iterator[Refusal]:
    for call_id, count in Counter(called).items():
        if count > 1:
            words = (
                f"Invalid parameter: Duplicate value for 'tool_call_id' of '{call_id}' in messages[{index}]."
            )
            yield Refusal(words, f"messages.[{index}].tool_calls")


def _content_faults(messages: list[dict[str, Any]]) -> Iterator[Refusal]:
    for index, message in enumerate(messages):
        if message.get("content") is not None:
            continue
        stand_ins = STANDS_IN_FOR_CONTENT if message["role"] == "assistant" else ()
        if all(message.get(key) is None for key in stand_ins):
            yield Refusal(NULL_CONTENT, f"messages.[{index}].content")
