"""What holds for every pod of ``deploy/kubernetes``: hardened, probed, bounded, and of one image."""

from __future__ import annotations

import re

import pytest

from proxy import __version__
from proxy.ingress.routes.paths import LIVE, READY
from tests.ops.deploy.manifests import KUSTOMIZATIONS, Manifests, ports_of, render

NOBODY = 65532
MIB_AT_REST = 260
"""docs/performance.md, Memory: a process with litellm, and what it keeps, each at its bound."""

MIB_A_REQUEST = 1.5
"""docs/performance.md, Memory: a request of 100k tokens while it is worked on."""


@pytest.fixture(params=KUSTOMIZATIONS)
def manifests(request: pytest.FixtureRequest) -> Manifests:
    """Return each kustomization in turn."""
    return render(request.param)


def test_containers_are_restricted(manifests: Manifests) -> None:
    """Every container meets the Pod Security Standard `restricted`, and cannot write to its root."""
    expected = {
        "runAsNonRoot": True,
        "runAsUser": NOBODY,
        "runAsGroup": NOBODY,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }

    assert [expected] * len(list(manifests.containers())) == [
        container["securityContext"] for container in manifests.containers()
    ]


def test_pods_have_no_rights(manifests: Manifests) -> None:
    """No token, no host, no other services' addresses; the account that is named exists and has no token either."""
    pod, account = manifests.pod, manifests.one("ServiceAccount")

    assert {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}} == pod["securityContext"]
    assert (False, False) == (pod["automountServiceAccountToken"], pod["enableServiceLinks"])
    assert (pod["serviceAccountName"], False) == (
        account["metadata"]["name"],
        account["automountServiceAccountToken"],
    )
    assert not {"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"} & set(pod)
    assert {"configMap", "emptyDir"} >= {
        kind for volume in pod["volumes"] for kind in volume if kind != "name"
    }


def test_probes_ask_what_is_there(manifests: Manifests) -> None:
    """Start, life and readiness are asked for on the admin listener's port, at paths that are served."""
    turnright = manifests.turnright
    probes = {name: turnright[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")}
    ports = ports_of(turnright)

    assert {"startup": READY[0], "liveness": LIVE[0], "readiness": READY[0]} == {
        name: probe["path"] for name, probe in probes.items()
    }
    admin = manifests.general["admin"]
    assert {admin["port"]} == {ports[probe["port"]] for probe in probes.values()}
    assert admin["host"] == "0.0.0.0"


def test_memory_is_bounded_and_the_cpu_is_not(manifests: Manifests) -> None:
    """Requests are there, and the memory limit is enough for as many requests as are let in."""
    for container in manifests.containers():
        resources = container["resources"]
        assert {"cpu", "memory"} == set(resources["requests"])
        assert {"memory"} == set(resources["limits"])

    limit = re.fullmatch(r"(\d+)Mi", manifests.turnright["resources"]["limits"]["memory"])
    assert limit is not None
    assert int(limit[1]) >= MIB_AT_REST + MIB_A_REQUEST * manifests.general["max_in_flight"]


def test_configuration_is_mounted_as_a_directory(manifests: Manifests) -> None:
    """The configuration is mounted as a directory: a file by subPath is never updated. /tmp alone is written to."""
    volumes = {volume["name"]: volume for volume in manifests.pod["volumes"]}
    used = set()
    for container in manifests.containers():
        for mount in container["volumeMounts"]:
            used.add(mount["name"])
            assert not {"subPath", "subPathExpr"} & set(mount)
            if "emptyDir" in volumes[mount["name"]]:
                assert mount["mountPath"] == "/tmp"
                assert "sizeLimit" in volumes[mount["name"]]["emptyDir"]
    [configuration] = (
        mount for mount in manifests.turnright["volumeMounts"] if "configMap" in volumes[mount["name"]]
    )

    assert used == set(volumes)
    assert (configuration["mountPath"], configuration["readOnly"]) == ("/etc/turnright", True)
    assert volumes[configuration["name"]]["configMap"] == {
        "name": manifests.one("ConfigMap")["metadata"]["name"]
    }


def test_image_has_one_name_and_this_trees_version(manifests: Manifests) -> None:
    """One name, and the version of this tree; no tag is left open."""
    assert manifests.turnright["image"] == f"registry.example/turnright:{__version__}"
    assert all(
        re.search(r":[0-9][^:/]*$", container["image"]) and not container["image"].endswith(":latest")
        for container in manifests.containers()
    )


def test_keys_are_in_no_file(manifests: Manifests) -> None:
    """Keys come from one Secret, which is not among the documents, and only turnright is given it."""
    assert "Secret" not in {document["kind"] for document in manifests.documents}
    assert {"turnright": [{"secretRef": {"name": "turnright-keys"}}]} == {
        container["name"]: container["envFrom"]
        for container in manifests.containers()
        if "envFrom" in container
    }
