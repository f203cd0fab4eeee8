"""Loads the tables that token budgets use, before the process is ready.

The table of context windows is a file of 1.5 MB, and a model family's upper bound is measured on sample texts. Loading
and measuring would together block the event loop for 20 to 30 ms during the first requests.
"""

from __future__ import annotations

from proxy.config import Settings
from proxy.planning.windows import window_of
from sanitizers.budget.find_family import family_of
from sanitizers.budget.upper_bound import text_bound


def warm_up_budgets(settings: Settings) -> None:
    """Load the windows and bounds for all deployments of *settings*. Does nothing if the sanitizer is off."""
    if settings.sanitize.mode == "off":
        return
    routes = settings.routes
    for pool in (*routes.exact.values(), *routes.wildcards.values()):
        for deployment in pool:
            window_of(deployment)
            text_bound(family_of(deployment.model))
