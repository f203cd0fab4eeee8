"""The objects that every handler may need, as one value, and the keys under which a request holds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import random
from secrets import token_hex

from aiohttp import web

from proxy.config import Settings
from proxy.core.connection_table import Connections
from proxy.core.lifecycle import Lifecycle
from proxy.forwarding.summary_jobs import SummaryJobs
from proxy.observability.key_refusals import KeyRefusals
from proxy.observability.metrics import Metrics
from proxy.observability.recent_requests import RecentRequests
from proxy.observability.refusal_log import RefusalLog
from proxy.observability.request_record import RequestRecord
from proxy.observability.tracing import Tracing
from proxy.planning.compact.policies import CompactionPolicies
from proxy.planning.instruction_policies import InstructionPolicies
from proxy.planning.turn_policies import TurnPolicies
from proxy.resilience.balancer import Balancer
from proxy.resilience.fairness import Admission
from proxy.resilience.memory_need import DIRECT_TIMES
from proxy.state import MemoryStore
from proxy.state.external.external_store import ExternalStore
from proxy.state.learned_windows import LearnedWindows
from proxy.state.limits.limiter import Limiter
from proxy.state.output_lengths import OutputLengths
from proxy.state.refused_requests import RefusedRequests
from proxy.state.repairs.learned_repairs import LearnedRepairs
from proxy.state.sessions.sessions import Sessions
from proxy.state.sharing.sources import Sharing
from proxy.upstream import Upstream
from proxy.upstream.known_secrets import KnownSecrets
from proxy.upstream.media.fetching import MediaFetcher


@dataclass(frozen=True, slots=True)
class Gateway:
    """The objects that every handler may need, as one frozen value.

    :func:`proxy.server.app.create_gateway` builds a gateway. A reload builds a new one (:mod:`proxy.server.reload`).
    All gateways of a process share some objects: metrics, lifecycle, admission, store, transports. The other objects
    belong to the settings of one gateway.
    """

    settings: Settings
    upstream: Upstream
    metrics: Metrics
    lifecycle: Lifecycle
    balancer: Balancer
    refused_requests: RefusedRequests
    admission: Admission
    memory: Admission
    """The memory that all requests may take together, in bytes (:mod:`proxy.resilience.memory_need`)."""

    store: MemoryStore | ExternalStore
    sessions: Sessions | None
    """Stored responses and conversations, or None where nothing is stored (``sessions.enabled``)."""

    limiter: Limiter
    """The limits of client keys and their spend. All gateways of a process share it."""

    learned_windows: LearnedWindows
    learned_repairs: LearnedRepairs
    turns: TurnPolicies
    compaction: CompactionPolicies
    instructions: InstructionPolicies
    started: int
    """Unix time of the start, in seconds. The model list shows it as ``created``."""

    secrets: KnownSecrets = field(init=False)
    """The keys of deployments and clients in the settings, which are masked in providers' error messages."""

    key_refusals: KeyRefusals = field(init=False)
    """Logs that a provider refuses a key, without the key itself."""

    memory_factor: int = DIRECT_TIMES
    """The memory that a request may take, in multiples of its body.

    The factor is larger where a request may go through litellm.
    """

    refusals: RefusalLog = field(default_factory=RefusalLog)
    """Logs requests that were refused before their client was known."""

    output_lengths: OutputLengths = field(default_factory=OutputLengths)
    """The usual lengths of answers, which requests of limited keys claim in advance."""

    connections: Connections = field(default_factory=lambda: Connections(2**16))
    """The connections of clients, on all listeners."""

    sharing: Sharing | None = None
    """The exchange with other processes, or None where the store is this process's memory."""

    summaries: SummaryJobs = field(default_factory=lambda: SummaryJobs(token_hex(16).encode()))
    """The summaries of conversations that this process writes in the background."""

    media: MediaFetcher | None = None
    """Fetches images that are given as a URL, or None where the configuration does not ask for it."""

    tracing: Tracing | None = None
    """Makes spans, or None where the configuration does not ask for them."""

    recent_requests: RecentRequests | None = None
    """Keeps the last requests for the inspector, or None where the inspector is off."""

    random: Callable[[], float] = random
    """Returns random numbers from [0, 1), for the jitter of retry delays."""

    token: Callable[[], str] = token_hex
    """Returns random texts of 64 hexadecimal digits, for the ids of calls and of traces."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "secrets", KnownSecrets(self.settings))
        object.__setattr__(self, "key_refusals", KeyRefusals(self.secrets))


class Current:
    """Holds the gateway for new requests. A reload of the configuration replaces the gateway."""

    __slots__ = ("gateway",)

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway


CURRENT = web.AppKey("current", Current)
"""The key of the current gateway, for new requests and for code that needs only the shared objects."""

GATEWAY = web.RequestKey("gateway", Gateway)
"""The key of a request's gateway, which stays the same even after a reload."""

RECORD = web.RequestKey("record", RequestRecord)
