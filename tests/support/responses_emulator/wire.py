"""The wire format of OpenAI's Responses API: its paths, its judge, its answers and errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from tests.support.emulated import Asked, Emulator, Prompt, Said, serving
from tests.support.openai_emulator.judging import Refusal
from tests.support.openai_emulator.wire import openai_failure
from tests.support.responses_emulator import words
from tests.support.responses_emulator.answering import output_of, prompt_in, response_of
from tests.support.responses_emulator.events import events_of
from tests.support.responses_emulator.judging import judge_response_request
from tests.support.responses_emulator.sealing import owner_of

_CHATS = "/chat/completions"


@dataclass(frozen=True, slots=True)
class ResponsesWire:
    """Implements `Wire`. A chat is refused, as by models that answer in this API alone."""

    base_path: str = "/v1"
    paths: tuple[str, ...] = (
        "/v1/responses",
        "/v1/chat/completions",
        "/openai/responses",
        "/openai/v1/responses",
        "/openai/deployments/{deployment}/chat/completions",
        "/openai/v1/chat/completions",
    )
    stream_type: str = "text/event-stream"

    def judge(self, asked: Asked) -> Refusal | None:
        """See `Wire`."""
        if asked.path.endswith(_CHATS):
            return Refusal(words.NO_CHATS, "model", None, 404)
        body = asked.body if isinstance(asked.body, dict) else {}
        return judge_response_request(asked.body, owner_of(asked.headers, body))

    def wants_stream(self, asked: Asked) -> bool:
        """See `Wire`."""
        return bool(asked.body.get("stream"))

    def prompt(self, asked: Asked) -> Prompt:
        """See `Wire`."""
        return prompt_in(asked.body)

    def whole(self, asked: Asked, said: Said, sequence: int) -> Any:
        """See `Wire`."""
        output = output_of(asked.body, said, sequence, owner_of(asked.headers, asked.body))
        return response_of(asked.body, sequence, output, said)

    def events(self, asked: Asked, said: Said, sequence: int) -> Iterator[bytes]:
        """See `Wire`. A failure is the last event."""
        begun = response_of(asked.body, sequence, (), None)
        for event in events_of(begun, self.whole(asked, said, sequence)):
            data = json.dumps(event, ensure_ascii=False).encode()
            yield b"event: %s\ndata: %s\n\n" % (event["type"].encode(), data)

    def closing(self) -> bytes:
        """See `Wire`. There is no `[DONE]`."""
        return b""

    def broken_event(self) -> bytes:
        """See `Wire`."""
        return b'event: response.created\ndata: {"type": "response.cre\n\n'

    def scripted(self, status: int, message: str, type: str | None, code: str | None) -> Refusal:
        """See `Wire`."""
        return openai_failure(status, message, type, code)

    def other(self, method: str, path: str) -> Refusal | Any:
        """See `Wire`."""
        return Refusal(f"Invalid URL ({method} {path})", status=404)


RESPONSES = ResponsesWire()


def serving_responses() -> AbstractAsyncContextManager[Emulator]:
    """Serve an emulator on a free loopback port. The emulator's `base_url` ends in `/v1`."""
    return serving(RESPONSES)
