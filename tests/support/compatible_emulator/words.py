"""The words, the status and the envelope with which each provider refuses a request.

Sources. Groq: freellmapi#1070, Roo-Code#673. Cerebras: openclaw#11490, free-claude-code#1136. NVIDIA: CLIProxyAPI#4149.
Databricks: databricks-sdk-py#1263, litellm#31633. Fireworks: FlowiseAI#2866, midscene#1322. Perplexity: litellm#3918,
litellm#2373. Moonshot: picoclaw#588. xAI: litellm#9720, crush#386, continue#10778. Azure: openai-python#1724,
chatbox#861. MiniMax: openclaw#19386. DeepSeek: DeepSeek-R1#21. vLLM: vllm#12886. LM Studio: lmstudio-bug-tracker#670.
Ollama: QAnything#555. Hugging Face: huggingface.js#2225. Roles: pi#5117. Few words for a missing key were recorded, so
they are OpenAI's.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.compatible_emulator.faults import Fault, Kind

ROLES = "['system', 'assistant', 'user', 'tool', 'function']"
Envelope = Callable[[str, int], Any]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A provider's error."""

    message: str
    status: int
    body: Any

    def envelope(self) -> Any:
        """Return the body of the answer."""
        return self.body

    def headers(self) -> Mapping[str, str]:
        """Return the headers of the answer: none."""
        return {}


def openai_error(message: str, status: int) -> Any:
    """Return OpenAI's envelope, which most providers copy."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


def flat_error(message: str, status: int) -> Any:
    """Return Cerebras' envelope, which has no ``error``."""
    return {
        "message": message,
        "type": "invalid_request_error",
        "param": "validation_error",
        "code": "wrong_api_format",
    }


def nvidia_error(message: str, status: int) -> Any:
    """Return the envelope of NVIDIA's gateway."""
    return {"error": {"message": message, "type": "Bad Request", "code": status}}


def databricks_error(message: str, status: int) -> Any:
    """Return the envelope of Databricks."""
    return {"error_code": "BAD_REQUEST", "message": message}


def perplexity_error(message: str, status: int) -> Any:
    """Return the envelope of Perplexity."""
    return {"error": {"message": message, "type": "invalid_message", "code": status}}


def xai_error(message: str, status: int) -> Any:
    """Return the envelope of xAI: the code is a sentence, and the error a text."""
    return {"code": "Client specified an invalid argument", "error": message}


def minimax_error(message: str, status: int) -> Any:
    """Return the envelope of MiniMax."""
    fields = {
        "type": "bad_request_error",
        "message": f"invalid params, {message} (2013)",
        "http_code": str(status),
    }
    return {"type": "error", "error": fields, "request_id": "0"}


def deepseek_error(message: str, status: int) -> Any:
    """Return the envelope of DeepSeek, where type and code are one text."""
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": kind}}


def vllm_error(message: str, status: int) -> Any:
    """Return the envelope of vLLM before 0.10.1."""
    return {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": status}


def text_error(message: str, status: int) -> Any:
    """Return the envelope of LM Studio and of Hugging Face's router, where the error is a text."""
    return {"error": message}


_GENERAL: Mapping[Kind, str] = {
    "field": "Extra inputs are not permitted, field: '{name}'",
    "message_field": "Extra inputs are not permitted, field: 'messages[{index}].{name}'",
    "role": f"'{{name}}' is not one of {ROLES} - 'messages.{{index}}.role'",
    "value": "Invalid value for '{name}'.",
    "words": "{name}",
    "key": "Incorrect API key provided.",
    "model": "The model '{name}' does not exist.",
}
_STATUSES: Mapping[Kind, int] = {"key": 401, "model": 404}


@dataclass(frozen=True, slots=True)
class Words:
    """A provider's envelope, and its words where they differ from the general ones."""

    envelope: Envelope = openai_error
    own: Mapping[Kind, str] = field(default_factory=dict)
    status: int = 400

    def refuse(self, fault: Fault) -> Refusal:
        """Return the provider's error for a fault."""
        pattern = self.own.get(fault.kind, _GENERAL[fault.kind])
        message = pattern.format(name=fault.name, index=fault.index, role=fault.role)
        return self.fail(_STATUSES.get(fault.kind, self.status), message)

    def fail(self, status: int, message: str) -> Refusal:
        """Return an error with this status."""
        return Refusal(message, status, self.envelope(message, status))


GENERAL = Words()
GROQ = Words(
    own={
        "field": "property '{name}' is unsupported",
        "message_field": (
            "'messages.{index}' : for 'role:{role}' the following must be satisfied"
            "[('messages.{index}' : property '{name}' is unsupported)]"
        ),
    }
)
CEREBRAS = Words(
    flat_error,
    {
        "field": "body.{name}: property 'body.{name}' is unsupported",
        "message_field": (
            "messages.{index}.{role}.{name}: property 'messages.{index}.{role}.{name}' is unsupported"
        ),
    },
)
NVIDIA = Words(nvidia_error, {"field": "Validation: Unsupported parameter(s): `{name}`"})
DATABRICKS = Words(
    databricks_error,
    {
        "field": 'Bad request: json: unknown field "{name}"',
        "message_field": 'Bad request: json: unknown field "{name}"',
    },
)
PERPLEXITY = Words(
    perplexity_error,
    {
        "message_field": (
            '["At body -> messages -> {index}: '
            "ChatMessage.__init__() got an unexpected keyword argument '{name}'\"]"
        )
    },
)
XAI = Words(
    xai_error,
    {
        "field": "Argument not supported on this model: {name}",
        "message_field": "Only messages of role 'user' can have a name.",
    },
)
AZURE = Words(
    own={
        "field": "Unrecognized request argument supplied: {name}",
        "model": "The API deployment for this resource does not exist.",
    }
)
MINIMAX = Words(minimax_error)
DEEPSEEK = Words(deepseek_error)
VLLM = Words(vllm_error)
TEXT = Words(text_error)
