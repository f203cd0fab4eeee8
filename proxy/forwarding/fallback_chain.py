"""The pools and fallback models that a request may use, and the tries it has used up.

The chain of fallbacks belongs to the model that the client asked for. The fallbacks of a fallback are not followed, so
the configured chain names every model that may be called. Each model has its own tries, and no model is used a second
time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import TypeAlias

from proxy.config import Settings
from proxy.config.allowed_models import AllowedModels
from proxy.config.pools import chain_of, choose_pool, is_allowed, resolve
from proxy.core.deployment import Deployment
from proxy.planning.windows import window_of
from proxy.resilience.failure_table import Fallback, Kind, Row
from proxy.resilience.read_error import ProviderError

FindAble: TypeAlias = Callable[[Sequence[Deployment]], tuple[Deployment, ...]]
"""Returns the deployments of a pool that can serve a request, or all of them where none can."""


class FallbackChain:
    """The pool of deployments that is asked now, and the fallbacks of *model* that are left.

    Where the request needs something of its provider, *find_able* chooses among the deployments of each pool.
    Where the client's key has a list of models (*allowed*), other models are no fallbacks.
    Raises :class:`proxy.core.errors.ModelNotFound` for a model that is not configured, and
    :class:`proxy.core.key_errors.ModelNotAllowed` for one that the key may not use.
    """

    def __init__(
        self,
        model: str,
        settings: Settings,
        find_able: FindAble | None = None,
        allowed: AllowedModels | None = None,
    ) -> None:
        self._settings = settings
        self._model = model
        self._find_able = find_able
        self._allowed = allowed
        self._alias_of = settings.routes.canonical(model)
        self._asked = {self._alias_of}
        self.pool = self._first_pool = choose_pool(model, settings, allowed)
        if find_able is not None:
            self.pool = self._first_pool = find_able(self.pool)
        self._begin()

    def _begin(self) -> None:
        self.tried: set[int] = set()
        """Indexes (``position``) of the deployments that failed."""

        self.tries = 0
        self.kinds: dict[Kind, int] = {}
        self.repair_cause: ProviderError | None = None
        """The provider's error that every further plan for this model must avoid, or None."""

    def count(self, deployment: Deployment, row: Row) -> None:
        """Count a failed attempt."""
        self.tried.add(deployment.position)
        self.tries += 1
        self.kinds[row.kind] = self.kinds.get(row.kind, 0) + 1

    def higher_orders(self) -> list[Deployment]:
        """Return the deployments of the pool whose ``order`` is higher than that of every failed one."""
        tried = max((_order(member) for member in self.pool if member.position in self.tried), default=inf)
        return [member for member in self.pool if _order(member) > tried]

    def has_larger(self, deployment: Deployment) -> bool:
        """Return True where a deployment of the pool that has not failed may have a larger window than *deployment*.

        An unknown window may be larger.
        """
        window = window_of(deployment).max_input_tokens or 0
        return any(
            member.position not in self.tried
            and ((larger := window_of(member).max_input_tokens) is None or larger > window)
            for member in self.pool
        )

    def can_fall_back(self, row: Row) -> bool:
        """Return True where another model is left for a failure of this kind."""
        return bool(self._remaining(row.fallback))

    def fall_back(self, row: Row) -> None:
        """Go on to the next model for a failure of this kind.

        The caller has checked with :meth:`can_fall_back` that a model is left.
        """
        model = self._remaining(row.fallback)[0]
        self._asked.add(self._settings.routes.canonical(model))
        self.pool = choose_pool(model, self._settings)
        if self._find_able is not None:
            self.pool = self._find_able(self.pool)
        self._begin()

    def _remaining(self, fallback: Fallback) -> list[str]:
        router = self._settings.router_settings
        if fallback is Fallback.LARGER:
            chains = router.context_window_fallbacks
        elif fallback is Fallback.OTHER_FILTER:
            chains = router.content_policy_fallbacks
        elif fallback in (Fallback.AFTER, Fallback.AT_ONCE):
            chains = router.failure_chains
        else:
            return []
        chain = chain_of(chains, self._model, self._first_pool, self._alias_of)
        return [name for name in chain if self._can_ask(name)]

    def _can_ask(self, name: str) -> bool:
        """Return True for a model that was not asked yet, whose credentials are set, and that the key may use."""
        if self._settings.routes.canonical(name) in self._asked:
            return False
        pool = resolve(self._settings, name)
        return bool(pool) and is_allowed(name, self._settings, self._allowed, pool)


def _order(deployment: Deployment) -> float:
    """Return the deployment's ``order``. A deployment without one comes last."""
    return inf if deployment.order is None else deployment.order
