"""Send one request as bytes over its own socket, and read the answer, in bounded time."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

_PIECE = 2**18


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer. *status* is 0 if the connection closed before the answer's head ended, or if the time ran out."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    timed_out: bool = False


def request(
    path: str,
    body: bytes = b"",
    *,
    method: str = "POST",
    key: str = "",
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Return the bytes of a request. *headers* replace the usual headers, and an empty value removes a header."""
    usual = {"Host": "127.0.0.1", "Content-Type": "application/json", "Content-Length": str(len(body))}
    if method == "GET":
        usual = {"Host": "127.0.0.1"}
    if key:
        usual["Authorization"] = f"Bearer {key}"
    whole = {**usual, **(headers or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in whole.items() if value)
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body


def connect(port: int, seconds: float = 5.0, source: str = "127.0.0.1") -> socket.socket:
    """Return a connection to *port* on loopback, from the address *source*."""
    made = socket.create_connection(("127.0.0.1", port), timeout=seconds, source_address=(source, 0))
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def exchange(port: int, sent: bytes, seconds: float) -> Answer:
    """Send a request and return its answer, at the latest after *seconds*.

    A server may answer before it has read the whole request. So the answer is read even if sending fails.
    """
    began = time.monotonic()
    try:
        with connect(port, seconds) as made:
            try:
                send(made, sent, began + seconds)
            except TimeoutError:
                pass
            except OSError:
                pass  # closed by the server, which may have answered
            return receive(made, began, seconds)
    except TimeoutError:
        return Answer(0, seconds=time.monotonic() - began, timed_out=True)
    except OSError:
        return Answer(0, seconds=time.monotonic() - began)


def send(made: socket.socket, sent: bytes, until: float) -> None:
    """Send all bytes. Raises TimeoutError at *until*, by the monotonic clock, and OSError where the peer closed."""
    view = memoryview(sent)
    while view:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        made.settimeout(left)
        view = view[made.send(view[:_PIECE]) :]


def receive(made: socket.socket, began: float, seconds: float) -> Answer:
    """Read one answer. Raises TimeoutError when the answer is incomplete *seconds* after *began*."""
    raw = bytearray()
    while not _is_whole(raw):
        left = began + seconds - time.monotonic()
        if left <= 0:
            raise TimeoutError
        made.settimeout(left)
        try:
            piece = made.recv(_PIECE)
        except TimeoutError:
            raise
        except OSError:
            piece = b""
        if not piece:
            break
        raw += piece
    return _read(bytes(raw), time.monotonic() - began)


def _head_of(raw: bytes) -> tuple[int, dict[str, str], int]:
    head, _, _ = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return int(first.split()[1]), headers, len(head) + 4


def _is_whole(raw: bytearray) -> bool:
    at = raw.find(b"\r\n\r\n")
    if at < 0:
        return False
    status, headers, begins = _head_of(bytes(raw[: at + 4]))
    if status in (204, 304):
        return True
    if "content-length" in headers:
        return len(raw) - begins >= int(headers["content-length"])
    if headers.get("transfer-encoding") == "chunked":
        return raw.endswith(b"\r\n0\r\n\r\n")
    return False


def _read(raw: bytes, seconds: float) -> Answer:
    if b"\r\n\r\n" not in raw:
        return Answer(0, raw, seconds=seconds)
    status, headers, begins = _head_of(raw)
    return Answer(status, raw[begins:], headers, seconds)
