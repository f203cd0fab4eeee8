"""Loads the tables that token budgets and prices use, before the process is ready.

litellm's table of models is a file of 3 MB, and a model family's upper bound is measured on sample texts. Loading and
measuring would together block the event loop for 20 to 30 ms during the first requests.
"""

from __future__ import annotations

from proxy.config import Settings
from proxy.planning.prices import find_prices
from proxy.planning.windows import window_of
from sanitizers.budget.find_family import family_of
from sanitizers.budget.upper_bound import text_bound


def warm_up_budgets(settings: Settings) -> None:
    """Load the prices of all deployments of *settings*, and their windows and bounds unless the sanitizer is off."""
    counts = settings.sanitize.mode != "off"
    routes = settings.routes
    for pool in (*routes.exact.values(), *routes.wildcards.values()):
        for deployment in pool:
            find_prices(deployment)
            if counts:
                window_of(deployment)
                text_bound(family_of(deployment.model))
