"""A collector of OpenTelemetry spans, which takes OTLP over HTTP and keeps every request's body and headers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from typing_extensions import override

SERVER, CLIENT = Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CLIENT
ERROR = Status.STATUS_CODE_ERROR


@dataclass(frozen=True, slots=True)
class Collected:
    """One span that the collector received."""

    name: str
    kind: int
    trace_id: str
    span_id: str
    parent_id: str
    attributes: Mapping[str, Any]
    status: int
    began: int
    """The start in nanoseconds of the Unix epoch, the unit of *ended* too."""

    ended: int
    resource: Mapping[str, Any]


@dataclass
class Collector:
    """The address of a running collector, and the bodies and headers that it received so far."""

    origin: str = ""
    bodies: list[bytes] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    @property
    def raw(self) -> bytes:
        """The bytes of all bodies that the collector received, in which a test can look for a secret."""
        return b"".join(self.bodies)

    def spans(self) -> list[Collected]:
        """Return the spans, in the order in which they began."""
        return sorted(
            (span for body in tuple(self.bodies) for span in _read(body)), key=lambda span: span.began
        )

    def wait_for(self, count: int, seconds: float = 30.0) -> list[Collected]:
        """Return the spans as soon as there are *count* of them. Fails if there are fewer after *seconds*."""
        limit = time.monotonic() + seconds
        while len(found := self.spans()) < count:
            assert time.monotonic() < limit, [span.name for span in found]
            time.sleep(0.02)
        return found


@contextmanager
def collecting() -> Iterator[Collector]:
    """Serve a collector in a thread while the context lasts, and yield what it receives."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.path == "/v1/traces"
            collector.headers.append(dict(self.headers.items()))
            collector.bodies.append(body)
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        @override
        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        collector.origin = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, name="collector")
        thread.start()
        try:
            yield collector
        finally:
            server.shutdown()
            thread.join()


def _read(body: bytes) -> Iterator[Collected]:
    for found in ExportTraceServiceRequest.FromString(body).resource_spans:
        resource = _attributes(found.resource.attributes)
        for scope in found.scope_spans:
            assert scope.scope.name == "turnright"
            for span in scope.spans:
                assert not span.events
                assert not span.status.message
                yield Collected(
                    span.name,
                    span.kind,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    _attributes(span.attributes),
                    span.status.code,
                    span.start_time_unix_nano,
                    span.end_time_unix_nano,
                    resource,
                )


def _attributes(pairs: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for pair in pairs:
        assert isinstance(pair, KeyValue)
        found[pair.key] = _value(pair.value)
    return found


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    assert kind is not None
    return getattr(value, kind)
