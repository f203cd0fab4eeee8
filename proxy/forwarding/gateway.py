"""What every handler may need, as one value, and the keys under which a request holds it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import random
from secrets import token_hex

from aiohttp import web

from proxy.config import Settings
from proxy.core.connection_table import Connections
from proxy.core.lifecycle import Lifecycle
from proxy.observability.metrics import Metrics
from proxy.observability.recent_requests import RecentRequests
from proxy.observability.refusal_log import RefusalLog
from proxy.observability.request_record import RequestRecord
from proxy.observability.tracing import Tracing
from proxy.planning.turn_policies import TurnPolicies
from proxy.resilience.balancer import Balancer
from proxy.resilience.fairness import Admission
from proxy.resilience.memory_need import DIRECT_TIMES
from proxy.state import Store
from proxy.state.learned_windows import LearnedWindows
from proxy.state.refused_requests import RefusedRequests
from proxy.upstream import Upstream
from proxy.upstream.known_secrets import KnownSecrets
from proxy.upstream.media.fetching import MediaFetcher


@dataclass(frozen=True, slots=True)
class Gateway:
    """What every handler may need: one immutable whole.

    Assembled in :func:`proxy.server.app.create_gateway`, and anew by a reload (:mod:`proxy.server.reload`). What a
    process has once (metrics, lifecycle, admission, store, transports) is the same object in each; the rest belongs to
    its settings.
    """

    settings: Settings
    upstream: Upstream
    metrics: Metrics
    lifecycle: Lifecycle
    balancer: Balancer
    refused_requests: RefusedRequests
    admission: Admission
    memory: Admission
    """The bytes of memory that requests may take together (:mod:`proxy.resilience.memory_need`)."""

    store: Store
    learned_windows: LearnedWindows
    turns: TurnPolicies
    started: int
    """Unix time of the start, in seconds: the ``created`` of the model list."""

    secrets: KnownSecrets = field(init=False)
    """The keys of the settings, which no error shows."""

    memory_times: int = DIRECT_TIMES
    """What a request may take, in multiples of its body: more where one may go through litellm."""

    refusals: RefusalLog = field(default_factory=RefusalLog)
    """Tells the log of requests that were refused before their client was known."""

    connections: Connections = field(default_factory=lambda: Connections(2**16))
    """The connections of clients, on all listeners."""

    media: MediaFetcher | None = None
    """Fetches images that are named by address; None where the operator has not asked for it."""

    tracing: Tracing | None = None
    """Makes spans; None where the operator has not asked for them."""

    recent_requests: RecentRequests | None = None
    """Remembers the last requests for the inspector; None where the operator wants no inspector."""

    random: Callable[[], float] = random
    """Numbers from [0, 1), for the spread of waits."""

    token: Callable[[], str] = token_hex
    """Texts that nobody can guess, 64 hexadecimal digits each, for the ids of calls and of traces."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "secrets", KnownSecrets(self.settings))


class Current:
    """Where new requests find their gateway: the one thing that a reload of the configuration exchanges."""

    __slots__ = ("gateway",)

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway


CURRENT = web.AppKey("current", Current)
"""For the start of a request alone, where it takes its gateway, and for what all gateways share."""

GATEWAY = web.RequestKey("gateway", Gateway)
"""The gateway that a request has from its start to its end, whatever is reloaded meanwhile."""

RECORD = web.RequestKey("record", RequestRecord)
