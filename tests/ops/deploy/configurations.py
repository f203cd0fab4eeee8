"""The configurations in ``deploy/``, each with its process's arguments, stop time and memory limit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from proxy.config import Settings, load_settings
from tests.ops.deploy.manifests import KUSTOMIZATIONS, Document, render
from tests.ops.deploy.tools import DEPLOY

KEYS = {
    "GEMINI_API_KEY": "a",
    "TURNRIGHT_MASTER_KEY": "b",
    "TURNRIGHT_SESSIONS": "false",
    "TURNRIGHT_STORE_URL": "memory://",
}
PLACES = (*KUSTOMIZATIONS, "compose")


def read_compose() -> Document:
    """Return the compose file."""
    compose: Document = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    return compose


@dataclass(frozen=True)
class Configured:
    """A configuration, the arguments of the process that reads it, and how long that process has to end."""

    text: str
    arguments: list[str]
    seconds_to_stop: int
    memory_limit: str
    """The container's memory limit: ``512Mi`` in Kubernetes, ``512m`` in compose."""

    @property
    def memory_bytes(self) -> int:
        """The limit of memory, in bytes."""
        size = re.fullmatch(r"(\d+)(?:Mi|m)", self.memory_limit)
        assert size is not None
        return int(size[1]) * 2**20

    @property
    def keys(self) -> dict[str, str]:
        """The environment variables: an invented value for each key that the configuration names.

        The address of the store is the one that the gateway and compose have by default.
        """
        return {name: value for name, value in KEYS.items() if f"os.environ/{name}" in self.text}

    @property
    def settings(self) -> Settings:
        """The settings that the process reads from the configuration."""
        return load_settings(self.text.encode(), self.keys).settings


def configured(place: str) -> Configured:
    """Return the configuration of the kustomization *place*, or that of compose."""
    if place != "compose":
        manifests = render(place)
        seconds: int = manifests.pod["terminationGracePeriodSeconds"]
        limit: str = manifests.turnright["resources"]["limits"]["memory"]
        return Configured(manifests.configuration, list(manifests.turnright["args"]), seconds, limit)
    service: dict[str, Any] = read_compose()["services"]["turnright"]
    grace = re.fullmatch(r"(\d+)s", service["stop_grace_period"])
    assert grace is not None
    text = (DEPLOY / "compose" / "turnright.yaml").read_text("utf-8")
    return Configured(text, list(service["command"]), int(grace[1]), service["mem_limit"])
