"""Reads the documents that ``kubectl kustomize`` renders from ``deploy/kubernetes``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml

from tests.ops.deploy.tools import DEPLOY, run_tool

KUBERNETES = DEPLOY / "kubernetes"
KUSTOMIZATIONS = ("base", "overlays/sidecar", "overlays/gateway", "overlays/gateway-valkey")

Document = dict[str, Any]


@dataclass(frozen=True)
class Manifests:
    """The documents of one kustomization, and the text that kustomize printed."""

    text: str
    documents: tuple[Document, ...]

    def one(self, kind: str) -> Document:
        """Return the only document of a kind."""
        [found] = (document for document in self.documents if document["kind"] == kind)
        return found

    def named(self, kind: str, name: str) -> Document:
        """Return the document of a kind with a name."""
        [found] = (
            document
            for document in self.documents
            if (document["kind"], document["metadata"]["name"]) == (kind, name)
        )
        return found

    @property
    def pod(self) -> Document:
        """The specification of the only workload's pods."""
        spec: Document = self.one("Deployment")["spec"]["template"]["spec"]
        return spec

    @property
    def pod_labels(self) -> dict[str, str]:
        """The labels of the only workload's pods."""
        labels: dict[str, str] = self.one("Deployment")["spec"]["template"]["metadata"]["labels"]
        return labels

    @property
    def configuration(self) -> str:
        """The text of turnright's configuration."""
        [text] = (
            document["data"]["turnright.yaml"]
            for document in self.documents
            if document["kind"] == "ConfigMap" and "turnright.yaml" in document["data"]
        )
        assert isinstance(text, str)
        return text

    @property
    def general(self) -> Document:
        """The configuration's ``general_settings``."""
        section: Document = yaml.safe_load(self.configuration)["general_settings"]
        return section

    def containers(self) -> Iterator[Document]:
        """Yield every container of the pods, init containers first."""
        yield from self.pod.get("initContainers", [])
        yield from self.pod["containers"]

    @property
    def turnright(self) -> Document:
        """The container that runs turnright."""
        [found] = (container for container in self.containers() if container["name"] == "turnright")
        return found


@cache
def render(kustomization: str) -> Manifests:
    """Return the manifests of a directory of ``deploy/kubernetes``. Fails if kubectl prints a warning."""
    done = run_tool("kubectl", "kustomize", KUBERNETES / kustomization)
    assert (0, "") == (done.returncode, done.stderr)
    return Manifests(done.stdout, tuple(yaml.safe_load_all(done.stdout)))


def ports_of(container: Document) -> dict[str, int]:
    """Return a container's declared ports by their names."""
    return {port["name"]: port["containerPort"] for port in container.get("ports", [])}


def option(container: Document, name: str, default: str) -> str:
    """Return the value of an option of ``turnright serve`` in a container's arguments, or *default*."""
    arguments = container["args"]
    return str(arguments[arguments.index(name) + 1]) if name in arguments else default
