"""Tests the Kubernetes overlay ``gateway-valkey``: the gateway is unchanged, and Valkey is hardened and reachable."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from tests.ops.deploy.manifests import Document, render
from tests.ops.deploy.test_pods import NOBODY

GATEWAY, WITH_VALKEY = "overlays/gateway", "overlays/gateway-valkey"
PASSWORD = {
    "name": "VALKEY_PASSWORD",
    "valueFrom": {"secretKeyRef": {"name": "turnright-keys", "key": "VALKEY_PASSWORD"}},
}


def named(kind: str, name: str) -> Document:
    """Return the document of a kind with a name."""
    return render(WITH_VALKEY).named(kind, name)


@pytest.fixture
def pod() -> Document:
    """Return the specification of Valkey's pod."""
    spec: Document = named("StatefulSet", "turnright-valkey")["spec"]["template"]["spec"]
    return spec


@pytest.fixture
def valkey(pod: Document) -> Document:
    """Return the container of Valkey."""
    [container] = pod["containers"]
    found: Document = container
    return found


def test_turnright_gets_the_address_with_the_password_of_the_secret() -> None:
    """The URL leads to Valkey's Service and port, and its password is the one that Valkey asks for.

    Kubernetes puts the value of a variable in the place of ``$(NAME)`` only if the variable is declared before.
    """
    password, url, sessions = render(WITH_VALKEY).turnright["env"]
    service = named("Service", "turnright-valkey")
    address = urlsplit(url["value"].replace("$(VALKEY_PASSWORD)", "secret"))

    assert password == PASSWORD
    assert sessions == {"name": "TURNRIGHT_SESSIONS", "value": "true"}
    assert url["name"] == "TURNRIGHT_STORE_URL"
    assert (address.scheme, address.password, address.path) == ("redis", "secret", "/0")
    assert address.hostname == service["metadata"]["name"]
    assert [address.port] == [port["port"] for port in service["spec"]["ports"]]


def test_the_rest_of_the_gateway_is_the_same() -> None:
    """Beside the new documents only the address, the affinity and the way out differ from the plain gateway."""
    with_valkey = {(one["kind"], one["metadata"]["name"]): one for one in render(WITH_VALKEY).documents}
    plain = {(one["kind"], one["metadata"]["name"]): one for one in render(GATEWAY).documents}
    new = with_valkey.keys() - plain.keys()
    changed = {key for key, document in plain.items() if with_valkey[key] != document}

    assert new == {(kind, "turnright-valkey") for kind in ("StatefulSet", "Service", "NetworkPolicy")}
    assert changed == {(kind, "turnright") for kind in ("Deployment", "Service", "NetworkPolicy")}


def test_clients_go_to_any_replica() -> None:
    """Replicas that share their state need no affinity of a client to one of them."""
    service = named("Service", "turnright")["spec"]

    assert service["sessionAffinity"] == "None"
    assert "sessionAffinityConfig" not in service


def test_only_turnright_reaches_valkey() -> None:
    """Valkey's policy lets in turnright's pods alone and lets nothing out. turnright's policy lets out to Valkey."""
    policy = named("NetworkPolicy", "turnright-valkey")["spec"]
    labels = named("StatefulSet", "turnright-valkey")["spec"]["template"]["metadata"]["labels"]
    *before, added = named("NetworkPolicy", "turnright")["spec"]["egress"]
    [rule] = policy["ingress"]
    [source], [target] = rule["from"], added["to"]

    assert (policy["policyTypes"], policy["egress"]) == (["Ingress", "Egress"], [])
    assert policy["podSelector"]["matchLabels"] == labels
    assert source.keys() == target.keys() == {"podSelector"}
    assert source["podSelector"]["matchLabels"].items() <= render(WITH_VALKEY).pod_labels.items()
    assert target["podSelector"]["matchLabels"] == labels
    assert [entry["port"] for entry in rule["ports"]] == ["valkey"]
    assert added["ports"] == [{"protocol": "TCP", "port": 6379}]
    assert before == render(GATEWAY).one("NetworkPolicy")["spec"]["egress"]


def test_selectors_tell_valkey_from_turnright(valkey: Document) -> None:
    """The Service and the StatefulSet select Valkey's pods. No selector of the gateway selects them."""
    stateful_set, service = (
        named("StatefulSet", "turnright-valkey")["spec"],
        named("Service", "turnright-valkey"),
    )
    labels = stateful_set["template"]["metadata"]["labels"]
    own = render(WITH_VALKEY).one("Deployment")["spec"]["selector"]["matchLabels"]
    [port] = service["spec"]["ports"]

    assert stateful_set["selector"]["matchLabels"] == service["spec"]["selector"] == labels
    assert stateful_set["serviceName"] == service["metadata"]["name"]
    assert not own.items() <= labels.items()
    assert {port["targetPort"]: port["port"]} == {
        entry["name"]: entry["containerPort"] for entry in valkey["ports"]
    }


def test_valkey_is_restricted(pod: Document, valkey: Document) -> None:
    """Valkey meets the Pod Security Standard `restricted`, has no volume, no token and no floating tag."""
    assert {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}} == pod["securityContext"]
    assert valkey["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": NOBODY,
        "runAsGroup": NOBODY,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert (pod["automountServiceAccountToken"], pod["enableServiceLinks"]) == (False, False)
    assert "volumes" not in pod
    assert re.search(r":[0-9]+\.[0-9]+\.[0-9]+$", valkey["image"])


def test_valkey_gets_the_password_alone(valkey: Document) -> None:
    """Of the Secret, Valkey gets the password, and no provider's key. No manifest has the password."""
    assert valkey["env"] == [PASSWORD]
    assert "envFrom" not in valkey
    assert "Secret" not in {document["kind"] for document in render(WITH_VALKEY).documents}


def test_memory_of_valkey_is_bounded_twice(valkey: Document) -> None:
    """``maxmemory`` is half of the container's limit, since buffers and fragmentation come on top."""
    [command] = valkey["args"]
    most = re.search(r"--maxmemory (\d+)mb ", command)
    limit = re.fullmatch(r"(\d+)Mi", valkey["resources"]["limits"]["memory"])
    assert most is not None
    assert limit is not None

    assert int(most[1]) * 2 == int(limit[1])
    assert valkey["resources"]["requests"].keys() == {"cpu", "memory"}
    assert valkey["resources"]["limits"].keys() == {"memory"}
