"""``general_settings``: access to the API, limits on load, and the shutdown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field
from typing_extensions import override

from proxy.config.allowed_models import AllowedModels
from proxy.config.instruction_text import Instruction
from proxy.config.references import from_environment
from proxy.config.schema.keys import ClientKey, FoundKey, Team, digest_of
from proxy.config.schema.observability import Inspector, Logs, Tracing
from proxy.config.schema.section import Section
from proxy.config.values import (
    Count,
    Flag,
    HostName,
    OptionalGatewayKey,
    Port,
    Seconds,
    SecondsOrZero,
    Text,
    WebOrigin,
    empty_section,
)


class Admin(Section):
    """The second listener: health and metrics only, no API."""

    where: ClassVar[str] = "general_settings.admin"

    host: Text = "0.0.0.0"
    """The address to listen on.

    Default all addresses, so that probes and Prometheus reach the listener where the API is on loopback.
    """

    port: Port = 9464
    """The port. Default 9464, a usual port of Prometheus exporters. With 0 the kernel picks one."""


class Media(Section):
    """Images that clients give as an http or https URL, for providers that take only bytes."""

    where: ClassVar[str] = "general_settings.media"

    fetch: Flag = False
    """Fetch the images, from public addresses only, and send the bytes.

    Default false: a request with such an image gets a 400.
    """

    max_mib: Count = 20
    """The most MiB of images that are fetched for one request. Default 20, which is Gemini's limit for inline data."""

    timeout: Seconds = 10.0
    """Seconds for each fetch, from its start. A client may run six fetches at once, and all clients together eight.

    Default 10.
    """


class GeneralSettings(Section):
    """The server's own settings."""

    where: ClassVar[str] = "general_settings"

    never_nothing: ClassVar[frozenset[str]] = frozenset({"master_key"})

    master_key: OptionalGatewayKey = None
    """The key that clients send as ``Authorization: Bearer``.

    Default none. Without it, ``keys`` and ``allow_unauthenticated_access``, the API may be served on loopback only.
    """

    keys: tuple[ClientKey, ...] = ()
    """More keys, each with a name of its own. Default none. With any of them, clients need a key."""

    teams: tuple[Team, ...] = ()
    """Names that several keys share, each with limits and instructions. Default none."""

    on_unpriced: Annotated[Literal["count", "refuse"], BeforeValidator(from_environment)] = "count"
    """The treatment of a model without a price, for a key with a spend limit.

    ``count`` (default) serves such a request, counts its tokens, and charges nothing. ``refuse`` answers 400.
    """

    instructions: Instruction | None = None
    """The operator's instructions for every chat request: a text, or ``{file: PATH}``. Default none."""

    instructions_overflow: Annotated[Literal["refuse", "truncate"], BeforeValidator(from_environment)] = (
        "refuse"
    )
    """The treatment of instructions that come to more than 32,768 bytes for a model and a key.

    ``refuse`` (default) refuses the configuration. ``truncate`` cuts the end of the most general text, with a warning.
    """

    allow_unauthenticated_access: Flag = False
    """Serve the API without a key on an address that is not loopback.

    Default false: anyone who reaches the port could spend the provider's keys.
    """

    allowed_hosts: tuple[HostName, ...] = ()
    """More names that clients may use as ``Host``, where no keys are configured. Written without a port.

    Default none. Addresses, ``localhost``, ``host.docker.internal``, ``gateway.docker.internal`` and
    ``host.containers.internal`` are always allowed. With keys, or with ``allow_unauthenticated_access``, every name is
    allowed.
    """

    allowed_origins: tuple[WebOrigin, ...] = ()
    """Origins of web pages that may call the API from a browser, such as ``https://app.example``.

    Default none. Where no keys are configured and ``allow_unauthenticated_access`` is off, other pages get a 403.
    Allowed pages get the CORS headers that a browser needs, with a key as well.
    """

    admin: Admin | None = None
    """A second listener for health and metrics. Default none: the API's listener serves them."""

    max_body_mib: Count = 32
    """The largest request body in MiB. Default 32: a million tokens of history and some images."""

    logs: Annotated[Logs, BeforeValidator(empty_section)] = Field(default_factory=Logs)
    """Format and level of the log."""

    media: Annotated[Media, BeforeValidator(empty_section)] = Field(default_factory=Media)
    """The fetching of images for providers that take only bytes."""

    max_nesting: Annotated[Count, Field(le=250)] = 100
    """The deepest nesting of a body's JSON. Default 100, at most 250, since orjson writes 254 levels at most."""

    max_in_flight: Count = 512
    """The most requests at once. Further requests get 503 and Retry-After. Default 512 for one process."""

    max_in_flight_mib: Count | None = None
    """MiB of memory that requests may take together, estimated from their bodies.

    More requests are answered with 503 and Retry-After. Default: a quarter of the memory limit of the process's
    cgroup, or of the machine's memory.
    """

    drain_delay: SecondsOrZero = 5.0
    """Seconds after SIGTERM in which new requests are still accepted. Load balancers need time to notice the end.

    Meanwhile each answer closes its connection. Default 5: OpenAI's SDK keeps an idle connection for 5 seconds. With a
    shorter delay a request may be sent into a connection that is being closed.
    """

    drain_grace: SecondsOrZero = 30.0
    """Seconds for requests in flight after ``drain_delay``.

    Default 30. Keep the sum of ``drain_delay`` and ``drain_grace`` below the pod's grace period.
    """

    tracing: Annotated[Tracing, BeforeValidator(empty_section)] = Field(default_factory=Tracing)
    """OpenTelemetry's spans, and the trace headers for providers."""

    ui: Flag = True
    """The inspector at ``/ui``. Its data need the API's key, where a key is configured. Default true."""

    inspector: Annotated[Inspector, BeforeValidator(empty_section)] = Field(default_factory=Inspector)
    """The inspector's memory of recent requests."""

    gen_ai_metrics: Flag = False
    """Expose OpenTelemetry's ``gen_ai_client_*`` metrics in addition to turnright's own. Default false."""

    @cached_property
    def asks_for_keys(self) -> bool:
        """True where clients need a key."""
        return self.master_key is not None or bool(self.keys)

    @cached_property
    def has_several_keys(self) -> bool:
        """True where clients with different keys share the providers' accounts."""
        return len(self.keys) + (self.master_key is not None) > 1

    @cached_property
    def keys_by_digest(self) -> Mapping[str, FoundKey]:
        """The keys by their SHA-256 as hexadecimal digits. The master key has precedence over an equal key."""
        found = {
            key.digest: FoundKey(key.name, key.expires_at, self.allowed_models(key.name))
            for key in reversed(self.keys)
            if key.digest
        }
        if self.master_key is not None:
            found[digest_of(self.master_key.get_secret_value().encode())] = FoundKey("")
        return found

    def index_keys(self) -> None:
        """Make the indexes of keys now. Those of thousands of keys take longer than a request may wait."""
        _ = self.keys_by_digest

    def find_key(self, digest: str) -> FoundKey | None:
        """Return the key whose SHA-256 is *digest*, as 64 hexadecimal digits in lower case, or None.

        The time of the look-up tells a guesser nothing of use: nobody can choose the digits of a digest.
        """
        return self.keys_by_digest.get(digest)

    @cached_property
    def keys_by_name(self) -> Mapping[str, ClientKey]:
        """The client keys by their names. The master key is not among them."""
        return {key.name: key for key in self.keys}

    @cached_property
    def teams_by_name(self) -> Mapping[str, Team]:
        """The teams by their names."""
        return {team.name: team for team in self.teams}

    def team_of(self, key: str) -> Team | None:
        """Return the team of the client key with the name *key*, or None."""
        found = self.keys_by_name.get(key)
        return None if found is None or found.team is None else self.teams_by_name.get(found.team)

    def allowed_models(self, key: str) -> AllowedModels | None:
        """Return the models that the client key with the name *key* may ask for, or None where it may ask for all.

        The empty name is that of the master key, which may ask for every model.
        """
        found, team = self.keys_by_name.get(key), self.team_of(key)
        return (
            None if found is None else AllowedModels.of(found.models, None if team is None else team.models)
        )

    def is_operator(self, key: str) -> bool:
        """Return True where the caller whose key is named *key* is the operator.

        *key* is empty for the master key, and for every caller where no key is configured.
        """
        return not key and (self.master_key is not None or not self.keys)

    @override
    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> GeneralSettings:
        """Copy as pydantic does, without the cached indexes of keys."""
        copy = super().model_copy(update=update, deep=deep)
        for cached in (
            "keys_by_digest",
            "keys_by_name",
            "teams_by_name",
            "asks_for_keys",
            "has_several_keys",
        ):
            copy.__dict__.pop(cached, None)
        return copy
