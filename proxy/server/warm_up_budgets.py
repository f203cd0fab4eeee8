"""What is read and derived once for the budget, before the process says that it is ready.

The table of windows is a file of 1.5 MB, and a family's bound is found by trying texts: together they would hold up the
first requests, and everything beside them, for 20 to 30 ms.
"""

from __future__ import annotations

from proxy.config import Settings
from proxy.planning.windows import window_of
from sanitizers.budget.families import family_of
from sanitizers.budget.upper_bound import text_bound


def warm_up_budgets(settings: Settings) -> None:
    """Make ready what the budgets of the deployments of *settings* go by; nothing where no budget is kept."""
    if settings.sanitize.mode == "off":
        return
    routes = settings.routes
    for pool in (*routes.exact.values(), *routes.wildcards.values()):
        for deployment in pool:
            window_of(deployment)
            text_bound(family_of(deployment.model))
