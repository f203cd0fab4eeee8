"""What only a provider can serve in a request of any format: objects it holds, what it sealed, tools it runs.

Such a need is no fault of the request. :mod:`proxy.planning.provider_needs` finds the deployments that can serve it.
"""

from __future__ import annotations

from proxy.core.errors import InvalidRequest
from sanitizers.record import record


@record
class ProviderNeed:
    """One place of a request that only the provider of the client's own format can serve.

    *error*, *message* and *param* are those of the refusal where no deployment can serve it.
    """

    message: str
    param: str
    error: type[InvalidRequest] = InvalidRequest
    names_object: bool = False
    """True for the id of an object in the provider's account."""

    holds_history: bool = False
    """True where the provider holds a part of the conversation, so that the request has only the rest of it."""

    wants_state: bool = False
    """True where only a deployment with ``provider_state`` can know that part."""

    can_be_left_out: bool = False
    """True for what is left out and reported where the provider is asked in another format."""
