"""Two deployments, and conversations that teach their repairs."""

from __future__ import annotations

from itertools import count

from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.state.repairs.learned_repairs import LearnedRepairs
from proxy.state.repairs.repair_key import RepairKey
from tests.support.proxied import settings_of

SETTINGS = settings_of({name: {"model": f"openai/{name}", "api_key": "k"} for name in ("gpt", "other")})
[GPT], [OTHER] = resolve(SETTINGS, "gpt"), resolve(SETTINGS, "other")
KEY = RepairKey("parameter", "temperature", "unsupported parameter: 'temperature'", loosens=False)
SEED = RepairKey("parameter", "seed", "unsupported parameter: 'seed'", loosens=False)

_NUMBERS = count()


def teach(
    known: LearnedRepairs, tenant: str = "a", times: int = 4, key: RepairKey = KEY, target: Deployment = GPT
) -> None:
    """Have that many new conversations of *tenant* confirm a repair."""
    for _ in range(times):
        known.confirm(target, tenant, [key], f"conversation {next(_NUMBERS)}")


def drop(known: LearnedRepairs, tenant: str = "a", key: RepairKey = KEY) -> None:
    """Contradict a repair as often as it takes to drop it."""
    for _ in range(2):
        known.contradict(GPT, tenant, key)


def found(
    known: LearnedRepairs, tenant: str = "a", conversation: str = "new", target: Deployment = GPT
) -> list[str]:
    """Return the features of the repairs that a request gets in advance."""
    return [repair.key.feature for repair in known.find(target, tenant, conversation)]
