"""The interface that each emulated provider implements."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.support.emulated.answering import Prompt, Said


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as received. Where a provider's URL names the model, *path* names it."""

    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    query: Mapping[str, str] = field(default_factory=dict)


class Refused(Protocol):
    """A provider's error for a request that it refuses."""

    @property
    def message(self) -> str:
        """Return the provider's error text."""

    @property
    def status(self) -> int:
        """Return the HTTP status."""

    def envelope(self) -> Any:
        """Return the body of the answer."""

    def headers(self) -> Mapping[str, str]:
        """Return the headers of the answer."""


class Wire(Protocol):
    """One provider's wire format: its URL paths, its judge, and its shapes of answers and errors."""

    @property
    def base_path(self) -> str:
        """Return the path at the end of the `base_url` that a client is configured with."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the URL paths that accept a POST request, as routes."""

    @property
    def stream_type(self) -> str:
        """Return the content type of a stream."""

    def judge(self, asked: Asked) -> Refused | None:
        """Return the first fault that the provider would report."""

    def wants_stream(self, asked: Asked) -> bool:
        """Return whether the request asks for a stream."""

    def prompt(self, asked: Asked) -> Prompt:
        """Return the parts of an accepted request that decide its answer."""

    def whole(self, asked: Asked, said: Said, sequence: int) -> Any:
        """Return the answer to a request that does not stream, as JSON values."""

    def events(self, asked: Asked, said: Said, sequence: int) -> Iterator[bytes]:
        """Return the events of a stream as bytes, without the bytes of `closing`."""

    def closing(self) -> bytes:
        """Return the bytes that close a stream after its last event."""

    def broken_event(self) -> bytes:
        """Return an event of a stream that no client can read."""

    def scripted(self, status: int, message: str, type: str | None, code: str | None) -> Refused:
        """Return an error that a test asks for."""

    def other(self, method: str, path: str) -> Refused | Any:
        """Return the answer to a request on any other path: a dict on success, else a refusal."""
