"""What every test shares: hypothesis profiles and the environment that keeps litellm off the network."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from proxy.upstream.litellm.environment import quiet_litellm

quiet_litellm()

# `ci` is the one that counts: derandomized, so that a failure is everybody's failure. `quick` is for the inner
# loop: TURNRIGHT_HYPOTHESIS=quick make test.
settings.register_profile(
    "ci",
    max_examples=300,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("quick", parent=settings.get_profile("ci"), max_examples=50)
settings.register_profile("soak", parent=settings.get_profile("ci"), max_examples=20_000, derandomize=False)
settings.load_profile(os.environ.get("TURNRIGHT_HYPOTHESIS", "ci"))
