"""The wire format of OpenAI and of servers with OpenAI's shapes, which differ in judge, ids and errors."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from typing_extensions import override

from tests.support.emulated import (
    Asked,
    Emulator,
    Prompt,
    Refused,
    Said,
    create_emulator,
    serving,
)
from tests.support.openai_emulator import answering, completions
from tests.support.openai_emulator.embeddings import embeddings, judge_embeddings
from tests.support.openai_emulator.judging import Refusal, judge_openai_body

MODELS = ("gpt-5.6-terra", "gpt-4.1", "gpt-4o-mini")

Fail = Callable[[int, str, str | None, str | None], Refused]
"""Makes an error from a status and a message, and from a type and a code if a test gives them."""


def openai_call_id(sequence: int, index: int) -> str:
    """Return a call id in OpenAI's form."""
    return f"call_{sequence:06d}_{index}"


def openai_failure(status: int, message: str, type: str | None = None, code: str | None = None) -> Refusal:
    """Return an error in OpenAI's envelope."""
    kinds = {401: "invalid_request_error", 403: "invalid_request_error", 429: "requests"}
    kind = kinds.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return Refusal(message, None, code, status, type or kind)


def never_thinks(body: dict[str, Any]) -> bool:
    """Return False, because no request makes the model return its reasoning."""
    return False


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


@dataclass(frozen=True, slots=True)
class ChatWire:
    """The wire format of a provider that copies OpenAI's: its judge, call ids, errors and models."""

    judge_body: Callable[[Any], Refused | None]
    call_id: answering.CallId = openai_call_id
    fail: Fail = openai_failure
    thinks: Callable[[dict[str, Any]], bool] = never_thinks
    models: tuple[str, ...] = MODELS
    base_path: str = "/v1"
    paths: tuple[str, ...] = ("/v1/chat/completions",)
    stream_type: str = "text/event-stream"
    unasked_usage: bool = False
    """True where each stream reports its usage, which no parameter asks for."""

    def judge(self, asked: Asked) -> Refused | None:
        """See `Wire`."""
        return self.judge_body(asked.body)

    def wants_stream(self, asked: Asked) -> bool:
        """See `Wire`."""
        return bool(asked.body.get("stream"))

    def prompt(self, asked: Asked) -> Prompt:
        """See `Wire`."""
        return answering.prompt_in(asked.body, thinks=self.thinks(asked.body))

    def whole(self, asked: Asked, said: Said, sequence: int) -> Any:
        """See `Wire`."""
        return answering.completion(asked.body, said, sequence, self.call_id)

    def events(self, asked: Asked, said: Said, sequence: int) -> Iterator[bytes]:
        """See `Wire`."""
        body, unasked = asked.body, self.unasked_usage
        for chunk in answering.chunks(body, said, sequence, self.call_id, unasked_usage=unasked):
            yield _event(chunk)

    def closing(self) -> bytes:
        """See `Wire`."""
        return b"data: [DONE]\n\n"

    def broken_event(self) -> bytes:
        """See `Wire`."""
        return b'data: {"choices": [{"delta": {"content": \n\n'

    def scripted(self, status: int, message: str, type: str | None, code: str | None) -> Refused:
        """See `Wire`."""
        return self.fail(status, message, type, code)

    def other(self, method: str, path: str) -> Refused | Any:
        """Return the list of models, and a 404 for any other path (see `Wire`)."""
        if (method, path) != ("GET", f"{self.base_path}/models"):
            return Refusal(f"Invalid URL ({method} {path})", status=404)
        rows = [
            {"id": name, "object": "model", "created": answering.CREATED, "owned_by": "system"}
            for name in self.models
        ]
        return {"object": "list", "data": rows}


CHAT, EMBEDDINGS, COMPLETIONS = "/v1/chat/completions", "/v1/embeddings", "/v1/completions"
_CONSTANT = Prompt(newest="", after_result=True, from_user=False)


@dataclass(frozen=True, slots=True)
class OpenAIWire(ChatWire):
    """OpenAI's own wire format, with endpoints for embeddings and text completions."""

    paths: tuple[str, ...] = (CHAT, EMBEDDINGS, COMPLETIONS)

    @override
    def judge(self, asked: Asked) -> Refused | None:
        """See `Wire`."""
        if asked.path == EMBEDDINGS:
            return judge_embeddings(asked.body)
        if asked.path == COMPLETIONS:
            return completions.judge_completion(asked.body)
        return ChatWire.judge(self, asked)

    @override
    def prompt(self, asked: Asked) -> Prompt:
        """See `Wire`. A text completion has the same text in a whole answer and in a stream."""
        return ChatWire.prompt(self, asked) if asked.path in ("", CHAT) else _CONSTANT

    @override
    def whole(self, asked: Asked, said: Said, sequence: int) -> Any:
        """See `Wire`."""
        if asked.path == EMBEDDINGS:
            return embeddings(asked.body)
        if asked.path == COMPLETIONS:
            return completions.completion(asked.body, sequence, said.text or "")
        return ChatWire.whole(self, asked, said, sequence)

    @override
    def events(self, asked: Asked, said: Said, sequence: int) -> Iterator[bytes]:
        """See `Wire`."""
        if asked.path != COMPLETIONS:
            yield from ChatWire.events(self, asked, said, sequence)
            return
        for chunk in completions.chunks(asked.body, sequence, said.text or ""):
            yield _event(chunk)


OPENAI = OpenAIWire(judge_openai_body)


def create_openai_emulator() -> web.Application:
    """Return the emulator's aiohttp application, whose state is `app[EMULATOR]`."""
    return create_emulator(OPENAI)


def serving_openai() -> AbstractAsyncContextManager[Emulator]:
    """Serve an emulator on a free loopback port. The emulator's `base_url` ends in `/v1`."""
    return serving(OPENAI)
