"""``general_settings``: who may call, how much at once, and how the process stops."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from proxy.config.schema.section import Section
from proxy.config.schema.tracing import Tracing
from proxy.config.values import (
    Count,
    Flag,
    HostName,
    KeySecret,
    OptionalKey,
    Port,
    Seconds,
    SecondsOrZero,
    Text,
    WebOrigin,
    empty_section,
    from_environment,
)


class Admin(Section):
    """The second listener: health and metrics only, no API."""

    where: ClassVar[str] = "general_settings.admin"

    host: Text = "0.0.0.0"
    """The address to listen on. Default all: a loopback sidecar has it to be probed and scraped from outside."""

    port: Port = 9464
    """The port. Default 9464, the usual one of Prometheus exporters; 0 lets the kernel pick."""


class Media(Section):
    """Images that clients name by http or https address, where the target takes bytes only."""

    where: ClassVar[str] = "general_settings.media"

    fetch: Flag = False
    """Fetch them, from public addresses alone, and send the bytes. Default false: such a request gets a 400."""

    max_mib: Count = 20
    """MiB that are fetched for one request, at most. Default 20, which is what Gemini takes inline."""

    timeout: Seconds = 10.0
    """Seconds for each fetch, from the moment at which its turn comes: a client has six at one time, all have eight.
    Default 10."""


class Logs(Section):
    """The log on standard output: a line for each request, without a word of what was said."""

    where: ClassVar[str] = "general_settings.logs"

    format: Annotated[Literal["json", "readable"], BeforeValidator(from_environment)] = "json"
    """``json`` (default) for whatever collects it; ``readable``, aligned columns for somebody at a terminal, in colours
    there unless ``NO_COLOR`` is set. Read at start."""

    level: Annotated[Literal["info", "warning"], BeforeValidator(from_environment)] = "info"
    """``info`` (default) has every request; ``warning`` only what somebody should look at, and no line of a request.
    Read at start."""


class Inspector(Section):
    """What the inspector remembers of recent requests, in this process's memory alone."""

    where: ClassVar[str] = "general_settings.inspector"

    requests: Annotated[Count, Field(le=10_000)] = 200
    """How many of them: when, which model, how it ended, how long it took, never a word of it. Default 200."""

    bodies: Flag = False
    """Whether the bodies of chat requests are kept as well, for whoever has the key to look at. Default false."""

    mib: Count = 16
    """MiB that these bodies may have together; the oldest go first. Default 16."""


class ClientKey(Section):
    """A key of one client, or one team."""

    where: ClassVar[str] = "general_settings.keys[]"

    name: Text
    """What it is called in logs, and in ``turns.per_key``. Required."""

    key: KeySecret
    """The key, sent as ``Authorization: Bearer``. Required; best as ``os.environ/NAME``."""


class GeneralSettings(Section):
    """The server's own settings."""

    where: ClassVar[str] = "general_settings"

    master_key: OptionalKey = None
    """The key that clients send as ``Authorization: Bearer``. Default none: without it and ``keys`` only loopback may
    be served."""

    keys: tuple[ClientKey, ...] = ()
    """Further keys, each with a name of its own. Default none. Where there are any, a key is asked for, master key or
    not."""

    allow_unauthenticated_access: Flag = False
    """Serve the API with no key on an address that is not loopback. Default false: whoever reaches the port
    would spend the provider's keys."""

    allowed_hosts: tuple[HostName, ...] = ()
    """Where no key is asked for and ``allow_unauthenticated_access`` is off: further names that clients may call this
    host by. Default none: addresses, ``localhost``, ``host.docker.internal``, ``gateway.docker.internal`` and
    ``host.containers.internal`` are served anyway. Written without a port."""

    allowed_origins: tuple[WebOrigin, ...] = ()
    """Web pages that may call from a browser, such as ``https://app.example`` or ``http://localhost:3000``. Default
    none: where no key is asked for and ``allow_unauthenticated_access`` is off, every other page gets a 403. With a key
    they get the CORS headers that a browser asks for as well."""

    admin: Admin | None = None
    """A second listener for health and metrics. Default none: they are on the API's listener alone."""

    max_body_mib: Count = 32
    """The largest request body in MiB. Default 32: a million tokens of history and some images."""

    logs: Annotated[Logs, BeforeValidator(empty_section)] = Field(default_factory=Logs)
    """How the log is written."""

    media: Annotated[Media, BeforeValidator(empty_section)] = Field(default_factory=Media)
    """What is done about images at addresses that a target cannot fetch."""

    max_nesting: Annotated[Count, Field(le=250)] = 100
    """How deep a body's JSON may nest. Default 100; at most 250, since orjson writes no deeper than 254."""

    max_in_flight: Count = 512
    """Requests at once; more are answered with 503 and Retry-After. Default 512 for one process."""

    max_in_flight_mib: Count | None = None
    """MiB of memory that requests may take together, by an estimate from their bodies; more are answered with 503 and
    Retry-After. Default: a quarter of the memory limit of the process's cgroup, else of the machine's memory."""

    drain_delay: SecondsOrZero = 5.0
    """Seconds after SIGTERM in which new requests are still taken, until the endpoints have been updated, and in which
    answers close their connections. Default 5, for which OpenAI's SDK keeps an idle connection: shorter, and a request
    may be sent into one that is just being closed."""

    drain_grace: SecondsOrZero = 30.0
    """Seconds after that for what is in flight. Default 30; keep both below the pod's grace period."""

    tracing: Annotated[Tracing, BeforeValidator(empty_section)] = Field(default_factory=Tracing)
    """Traces: OpenTelemetry's spans, and what providers are told of them."""

    ui: Flag = True
    """The inspector at ``/ui``; with a master key set it asks for it. Default true."""

    inspector: Annotated[Inspector, BeforeValidator(empty_section)] = Field(default_factory=Inspector)
    """What the inspector remembers of recent requests."""

    gen_ai_metrics: Flag = False
    """Expose OpenTelemetry's ``gen_ai_client_*`` metrics beside turnright's own, for dashboards that know those.
    Default false."""

    @cached_property
    def asks_for_keys(self) -> bool:
        """Whether clients need a key."""
        return self.master_key is not None or bool(self.keys)
