"""Tests that the schemas of Kubernetes and of the monitors know every field that kustomize writes."""

from __future__ import annotations

import copy
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.ops.deploy.manifests import KUSTOMIZATIONS, Document, render
from tests.ops.deploy.monitor_schemas import MONITOR_SCHEMAS
from tests.ops.deploy.tools import run_tool


def judge(directory: Path, *documents: Document) -> tuple[int, str]:
    """Return the exit status and the output of the strict validator."""
    path = directory / "documents.yaml"
    path.write_text(yaml.safe_dump_all(documents))
    done = run_tool("kubernetes-validate", "--strict", path)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("kustomization", KUSTOMIZATIONS)
def test_every_document_is_known(kustomization: str, tmp_path: Path) -> None:
    """Kubernetes' own kinds pass its strict schemas, and the monitors pass :data:`MONITOR_SCHEMAS`."""
    known: list[Document] = []
    for document in render(kustomization).documents:
        schema = MONITOR_SCHEMAS.get(document["kind"])
        if schema is None:
            known.append(document)
        else:
            jsonschema.validate(document, schema)

    status, said = judge(tmp_path, *known)

    assert status == 0, said
    assert len(known) == said.count(" passed for resource "), said
    assert {"ConfigMap", "Deployment", "ServiceAccount"} <= {document["kind"] for document in known}


def test_the_validator_is_strict(tmp_path: Path) -> None:
    """The validator finds a misspelt field in a native sidecar, even after a good document."""
    good = render("overlays/sidecar").one("Deployment")
    bad = copy.deepcopy(good)
    [sidecar] = bad["spec"]["template"]["spec"]["initContainers"]
    sidecar["restartPolicies"] = sidecar.pop("restartPolicy")

    status, said = judge(tmp_path, good, bad)

    assert status != 0
    assert "restartPolicies" in said
