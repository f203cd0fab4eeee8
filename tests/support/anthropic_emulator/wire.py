"""Anthropic's wire format: its URL paths, whole answers and server-sent events."""

import json
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from tests.support.anthropic_emulator import answering
from tests.support.anthropic_emulator.errors import Refusal
from tests.support.anthropic_emulator.judging import judge_anthropic
from tests.support.anthropic_emulator.models_page import models_answer
from tests.support.anthropic_emulator.terms import judge_headers, terms_of
from tests.support.anthropic_emulator.usage import asked_tokens
from tests.support.emulated import Asked, Emulator, Prompt, Refused, Said, serving


@dataclass(frozen=True, slots=True)
class AnthropicWire:
    """See `Wire`."""

    base_path: str = ""
    paths: tuple[str, ...] = ("/v1/messages", "/v1/messages/count_tokens")
    stream_type: str = "text/event-stream"

    def judge(self, asked: Asked) -> Refused | None:
        """See `Wire`."""
        return judge_headers(asked.headers) or judge_anthropic(
            asked.body, terms_of(asked.headers), is_counted=_is_counted(asked)
        )

    def wants_stream(self, asked: Asked) -> bool:
        """See `Wire`."""
        return bool(asked.body.get("stream"))

    def prompt(self, asked: Asked) -> Prompt:
        """See `Wire`."""
        return answering.prompt_in(asked.body)

    def whole(self, asked: Asked, said: Said, sequence: int) -> Any:
        """See `Wire`."""
        if _is_counted(asked):
            return {"input_tokens": asked_tokens(asked.body)}
        return answering.message(asked.body, said, sequence)

    def events(self, asked: Asked, said: Said, sequence: int) -> Iterator[bytes]:
        """See `Wire`."""
        for event in answering.events(asked.body, said, sequence):
            data = json.dumps(event, ensure_ascii=False)
            yield f"event: {event['type']}\ndata: {data}\n\n".encode()

    def closing(self) -> bytes:
        """Return no bytes, since `message_stop` is the last event and nothing follows (see `Wire`)."""
        return b""

    def broken_event(self) -> bytes:
        """See `Wire`."""
        return b'event: message_start\ndata: {"type": "message_start", "message": \n\n'

    def scripted(self, status: int, message: str, type: str | None, code: str | None) -> Refused:
        """See `Wire`."""
        return Refusal(message, status, type)

    def other(self, method: str, path: str) -> Refused | Any:
        """See `Wire`. A HEAD is the question of a client whether there is a server."""
        if method == "HEAD":
            return {}
        if method == "GET" and path.startswith("/v1/models"):
            return models_answer(path)
        return Refusal("Not Found", 404)


def _is_counted(asked: Asked) -> bool:
    return asked.path.endswith("/count_tokens")


ANTHROPIC = AnthropicWire()


def serving_anthropic() -> AbstractAsyncContextManager[Emulator]:
    """Serve an emulator on a free loopback port. The emulator's `base_url` has no path."""
    return serving(ANTHROPIC)
