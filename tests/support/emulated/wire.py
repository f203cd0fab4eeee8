"""The interface of an emulated provider."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.support.emulated.answering import Prompt, Said


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came; *path* tells the model where the wire has it there."""

    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    path: str = ""


class Refused(Protocol):
    """A provider's error for a request that it refuses."""

    @property
    def message(self) -> str:
        """Return the provider's words."""

    @property
    def status(self) -> int:
        """Return the HTTP status."""

    def envelope(self) -> Any:
        """Return the body of the answer."""

    def headers(self) -> Mapping[str, str]:
        """Return the headers that belong to it."""


class Wire(Protocol):
    """One provider's wire."""

    @property
    def base_path(self) -> str:
        """Return what `base_url` ends in: what a client is configured with."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the addresses that take a chat request, as routes."""

    @property
    def stream_type(self) -> str:
        """Return the content type of a stream."""

    def judge(self, asked: Asked) -> Refused | None:
        """Return the first fault that the provider would report."""

    def wants_stream(self, asked: Asked) -> bool:
        """Return whether the answer is to come in pieces."""

    def prompt(self, asked: Asked) -> Prompt:
        """Return what an accepted request asks for."""

    def whole(self, asked: Asked, said: Said, sequence: int) -> Any:
        """Return the answer to a request that does not stream, as JSON values."""

    def events(self, asked: Asked, said: Said, sequence: int) -> Iterator[bytes]:
        """Return the events of a stream as bytes, without what closes it."""

    def closing(self) -> bytes:
        """Return what closes a stream behind its last event."""

    def broken_event(self) -> bytes:
        """Return an event of a stream that no client can read."""

    def scripted(self, status: int, message: str, type: str | None, code: str | None) -> Refused:
        """Return an error that a test asks for."""

    def other(self, method: str, path: str) -> Refused | Any:
        """Return the answer to any other request: values for a good one."""
