"""The errors of Mistral, DeepSeek, vLLM, llama.cpp and Ollama, which differ from OpenAI's error format in detail.

Sources: Mistral, datapizza-ai#98 (a code in digits, as a string) and eca#231 (422 with pydantic's list); DeepSeek,
deepseek-ai/DeepSeek-R1#21 (type and code are one text); vLLM, vllm#2964 (flat; the code is the status); llama.cpp,
ggml-org/llama.cpp#19851 and picoclaw#207; Ollama's compatible endpoint, ollama#7247.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from typing_extensions import override


@dataclass(frozen=True, slots=True)
class PlainRefusal(ABC):
    """A server's error for a request that it refuses. Each subclass defines the envelope of its provider."""

    message: str
    status: int = 400
    type: str = "invalid_request_error"
    code: str | None = None

    @abstractmethod
    def envelope(self) -> dict[str, Any]:
        """Return the body of the answer."""

    def headers(self) -> Mapping[str, str]:
        """Return the headers of the answer: none."""
        return {}


@dataclass(frozen=True, slots=True)
class MistralRefusal(PlainRefusal):
    """A refusal by Mistral. *detail* is pydantic's list of errors, if the request's types or fields are wrong."""

    detail: tuple[Mapping[str, Any], ...] = ()

    @override
    def envelope(self) -> dict[str, Any]:
        """Return the body of the answer."""
        message: Any = {"detail": [dict(entry) for entry in self.detail]} if self.detail else self.message
        return {"object": "error", "message": message, "type": self.type, "param": None, "code": self.code}


@dataclass(frozen=True, slots=True)
class DeepSeekRefusal(PlainRefusal):
    """A refusal by DeepSeek."""

    @override
    def envelope(self) -> dict[str, Any]:
        """Return the body of the answer."""
        code = self.code or self.type
        return {"error": {"message": self.message, "type": self.type, "param": None, "code": code}}


@dataclass(frozen=True, slots=True)
class VllmRefusal(PlainRefusal):
    """A refusal by vLLM."""

    @override
    def envelope(self) -> dict[str, Any]:
        """Return the body of the answer."""
        head = {"object": "error", "message": self.message, "type": "BadRequestError"}
        return {**head, "param": None, "code": self.status}


@dataclass(frozen=True, slots=True)
class LlamaCppRefusal(PlainRefusal):
    """A refusal by llama.cpp, which reports an exception in a template as a server error, with its place."""

    @override
    def envelope(self) -> dict[str, Any]:
        """Return the body of the answer."""
        place = "\n------------\nWhile executing CallExpression at line 47, column 32 in source:\n...\n   ^\n"
        message = f"{place}Error: Jinja Exception: {self.message}"
        return {"error": {"code": self.status, "message": message, "type": "server_error"}}


@dataclass(frozen=True, slots=True)
class OllamaRefusal(PlainRefusal):
    """A refusal by Ollama's OpenAI-compatible endpoint."""

    @override
    def envelope(self) -> dict[str, Any]:
        """Return the body of the answer."""
        kind = "api_error" if self.status >= 500 else self.type
        return {"error": {"message": self.message, "type": kind, "param": None, "code": None}}
