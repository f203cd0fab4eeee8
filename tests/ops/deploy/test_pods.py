"""Tests every pod of ``deploy/kubernetes``: it is hardened, has probes and limits, and uses one image."""

from __future__ import annotations

import re

import pytest

from proxy import __version__
from proxy.ingress.routes.paths import LIVE, READY
from tests.ops.deploy.manifests import KUSTOMIZATIONS, Manifests, ports_of, render

NOBODY = 65532
MIB_AT_REST = 260
"""MiB of a process with litellm after its first call (docs/performance.md, Memory)."""

MIB_A_REQUEST = 1.5
"""MiB of a request of 100k tokens while the proxy handles it (docs/performance.md, Memory)."""


@pytest.fixture(params=KUSTOMIZATIONS)
def manifests(request: pytest.FixtureRequest) -> Manifests:
    """Return each kustomization in turn."""
    return render(request.param)


def test_containers_are_restricted(manifests: Manifests) -> None:
    """Every container meets the Pod Security Standard `restricted`, and cannot write to its root file system."""
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
    """Pods get no token, no host access and no service variables.

    The pod's service account exists, and gets no token either.
    """
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
    """The startup, liveness and readiness probes use the admin listener's port, and paths that it serves."""
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
    """CPU and memory requests are set, and only memory is limited.

    The limit is enough for ``max_in_flight`` requests.
    """
    for container in manifests.containers():
        resources = container["resources"]
        assert {"cpu", "memory"} == set(resources["requests"])
        assert {"memory"} == set(resources["limits"])

    limit = re.fullmatch(r"(\d+)Mi", manifests.turnright["resources"]["limits"]["memory"])
    assert limit is not None
    assert int(limit[1]) >= MIB_AT_REST + MIB_A_REQUEST * manifests.general["max_in_flight"]


def test_configuration_is_mounted_as_a_directory(manifests: Manifests) -> None:
    """The configuration is mounted as a directory, since a file by subPath is never updated.

    The only writable volumes are mounted at /tmp, with a size limit.
    """
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
    name = volumes[configuration["name"]]["configMap"]["name"]
    assert manifests.named("ConfigMap", name)["data"]["turnright.yaml"] == manifests.configuration


def test_image_has_one_name_and_this_trees_version(manifests: Manifests) -> None:
    """The image of turnright has one name and this tree's version.

    No container uses a floating tag such as ``latest``.
    """
    assert manifests.turnright["image"] == f"registry.example/turnright:{__version__}"
    assert all(
        re.search(r":[0-9][^:/]*$", container["image"]) and not container["image"].endswith(":latest")
        for container in manifests.containers()
    )


def test_keys_are_in_no_file(manifests: Manifests) -> None:
    """Keys come from one Secret, which the manifests do not contain. Only turnright's container gets it."""
    assert "Secret" not in {document["kind"] for document in manifests.documents}
    assert {"turnright": [{"secretRef": {"name": "turnright-keys"}}]} == {
        container["name"]: [source for source in container["envFrom"] if "secretRef" in source]
        for container in manifests.containers()
        if "envFrom" in container
    }
