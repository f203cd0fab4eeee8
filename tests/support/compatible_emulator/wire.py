"""One provider as a wire of the emulators: addresses, keys, rules, words and answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.support.compatible_emulator import styles
from tests.support.compatible_emulator.faults import Fault
from tests.support.compatible_emulator.judging import faults_of
from tests.support.compatible_emulator.rules import ALIKE, Rules
from tests.support.compatible_emulator.styles import CallId, Style
from tests.support.compatible_emulator.words import GENERAL, Words
from tests.support.emulated import Asked, Prompt, Refused, Said
from tests.support.openai_emulator import judge_openai_body
from tests.support.openai_emulator.answering import prompt_in
from tests.support.openai_emulator.wire import openai_call_id

CHAT = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider, or one of its forms. *prefix* is the name that a configuration has before the model."""

    prefix: str
    model: str = "some-model"
    base_path: str = "/v1"
    """The path of the configured address."""

    chat_path: str | None = None
    """The path of chats, where it is not below the configured one."""

    query: Mapping[str, str] = field(default_factory=dict)
    """The parameters that the address must have."""

    key: Literal["bearer", "api-key", "token"] = "bearer"
    """The header of the key. ``token`` is a token of Entra ID, which goes as a bearer."""

    sent_model: str | None = None
    """The model of the body, where it is not that of the configuration."""

    told_model: str | None = None
    """The model that answers name, where it is not that of the body."""

    settings: Mapping[str, str] = field(default_factory=dict)
    """Further settings of the deployment (``litellm_params``)."""

    rules: Rules = ALIKE
    words: Words = GENERAL
    style: Style = styles.OPENAI
    call_id: CallId = openai_call_id
    thinks: bool = False
    takes_tools: bool = True
    echoes: bool = False
    """True where the model's thoughts must come back with its calls."""

    stream_type: str = "text/event-stream"

    @property
    def secret(self) -> str:
        """The key or token that the provider takes. Each provider has its own."""
        return f"secret-of-{self.prefix}-{self.model.replace('/', '-')}"

    @property
    def paths(self) -> tuple[str, ...]:
        """See `Wire`. Another path is refused with a 404."""
        return (self.chat_path or f"{self.base_path}{CHAT}",)

    @property
    def answers_as(self) -> str:
        """The model that answers name."""
        return self.told_model or self.sent_model or self.model

    def judge(self, asked: Asked) -> Refused | None:
        """See `Wire`."""
        body = asked.body
        if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
            return self.words.refuse(Fault("words", "The body is no request."))
        for fault in self._address_faults(asked):
            return self.words.refuse(fault)
        if self.rules.judge is not None:
            refusal = self.rules.judge(body)
            if refusal is not None:
                return refusal
        else:
            wrong = judge_openai_body(body)
            if wrong is not None:
                return self.words.fail(wrong.status, wrong.message)
        for fault in faults_of(body, self.rules):
            return self.words.refuse(fault)
        return None

    def _address_faults(self, asked: Asked) -> Iterator[Fault]:
        sent = {name.lower(): value for name, value in asked.headers.items()}
        keys = {name: sent[name] for name in ("authorization", "api-key", "x-api-key") if name in sent}
        wanted = (
            {"api-key": self.secret} if self.key == "api-key" else {"authorization": f"Bearer {self.secret}"}
        )
        if keys != wanted:
            yield Fault("key", ", ".join(keys))
        if dict(asked.query) != dict(self.query):
            yield Fault("words", "Resource not found")
        model = asked.body.get("model")
        if model != (self.sent_model or self.model):
            yield Fault("model", str(model))

    def wants_stream(self, asked: Asked) -> bool:
        """See `Wire`."""
        return bool(asked.body.get("stream"))

    def prompt(self, asked: Asked) -> Prompt:
        """See `Wire`."""
        return prompt_in(asked.body, thinks=self.thinks)

    def whole(self, asked: Asked, said: Said, sequence: int) -> Any:
        """See `Wire`."""
        return styles.whole(self.answers_as, said, sequence, self._ids(said, sequence), self.style)

    def events(self, asked: Asked, said: Said, sequence: int) -> Iterator[bytes]:
        """See `Wire`."""
        asked_usage = bool((asked.body.get("stream_options") or {}).get("include_usage"))
        ids = self._ids(said, sequence)
        for event in styles.events(self.answers_as, said, sequence, ids, self.style, asked=asked_usage):
            yield event.encode()

    def closing(self) -> bytes:
        """See `Wire`."""
        return b"data: [DONE]\n\n" if self.style.done else b""

    def broken_event(self) -> bytes:
        """See `Wire`."""
        return b'data: {"choices": [{"delta": {"content": \n\n'

    def scripted(self, status: int, message: str, type: str | None, code: str | None) -> Refused:
        """See `Wire`."""
        return self.words.fail(status, message)

    def other(self, method: str, path: str) -> Refused | Any:
        """See `Wire`."""
        return self.words.fail(404, f"Not Found: {method} {path}")

    def _ids(self, said: Said, sequence: int) -> list[str]:
        return [self.call_id(sequence, index) for index in range(len(said.calls))]
