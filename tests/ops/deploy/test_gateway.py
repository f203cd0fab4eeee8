"""Tests the Kubernetes overlay ``gateway``: its selectors, ports, rollout, autoscaler and network policy."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

import pytest
import yaml

from proxy.observability.metrics import Metrics
from tests.ops.deploy.configurations import configured
from tests.ops.deploy.manifests import Document, option, ports_of, render

GATEWAY = "overlays/gateway"
PRIVATE = (
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "224.0.0.1",
    "::1",
    "::ffff:10.0.0.1",
    "fd00::1",
    "fd00:ec2::254",
    "fe80::1",
)
PUBLIC = ("8.8.8.8", "142.250.74.106", "172.15.0.1", "172.32.0.1", "2607:f8b0::1", "2a00:1450:4001::1")


def is_within(address: str, block: str) -> bool:
    """Tell whether an address lies in a block. An address of the other IP family never does."""
    return ipaddress.ip_address(address) in ipaddress.ip_network(block)


def lets_out(address: str, port: int) -> bool:
    """Tell whether the network policy permits a connection to an address outside of the cluster."""
    for rule in render(GATEWAY).one("NetworkPolicy")["spec"]["egress"]:
        if port not in [entry["port"] for entry in rule["ports"] if entry["protocol"] == "TCP"]:
            continue
        for block in (peer["ipBlock"] for peer in rule["to"] if "ipBlock" in peer):
            if is_within(address, block["cidr"]) and not any(
                is_within(address, out) for out in block.get("except", [])
            ):
                return True
    return False


def selectors() -> Iterator[tuple[str, Document]]:
    """Yield every selector that is meant for the gateway's own pods, with the name of its resource or topology key."""
    gateway = render(GATEWAY)
    yield "Deployment", gateway.one("Deployment")["spec"]["selector"]["matchLabels"]
    yield "Service", gateway.one("Service")["spec"]["selector"]
    yield "PodDisruptionBudget", gateway.one("PodDisruptionBudget")["spec"]["selector"]["matchLabels"]
    yield "NetworkPolicy", gateway.one("NetworkPolicy")["spec"]["podSelector"]["matchLabels"]
    for constraint in gateway.pod["topologySpreadConstraints"]:
        yield constraint["topologyKey"], constraint["labelSelector"]["matchLabels"]


def test_selectors_select_the_pods() -> None:
    """Each selector names labels that the gateway's pods carry."""
    labels = render(GATEWAY).pod_labels.items()

    assert [] == [who for who, wanted in selectors() if not wanted or not wanted.items() <= labels]


def test_ports_lead_to_listeners() -> None:
    """The service and the network policy use the container's declared ports. turnright listens on these ports."""
    gateway = render(GATEWAY)
    service = {port["name"]: port["targetPort"] for port in gateway.one("Service")["spec"]["ports"]}
    let_in = {
        entry["port"] for rule in gateway.one("NetworkPolicy")["spec"]["ingress"] for entry in rule["ports"]
    }
    ports = ports_of(gateway.turnright)

    assert {
        "http": int(option(gateway.turnright, "--port", "")),
        "metrics": gateway.general["admin"]["port"],
    } == ports
    assert {"http": "http", "metrics": "metrics"} == service
    assert set(ports) == let_in


def test_service_monitor_finds_the_service() -> None:
    """The ServiceMonitor selects labels of the service, and names one of its ports."""
    gateway = render(GATEWAY)
    service, monitor = gateway.one("Service"), gateway.one("ServiceMonitor")["spec"]
    [endpoint] = monitor["endpoints"]

    assert monitor["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert endpoint["port"] in {port["name"] for port in service["spec"]["ports"]}


def test_the_store_is_in_memory_and_keeps_no_responses_unless_the_secret_says_otherwise() -> None:
    """The configuration takes both from the environment: another replica could not continue what one keeps in memory.

    Of a variable in several sources, Kubernetes takes the last source's value. That source is the Secret.
    """
    gateway = render(GATEWAY)
    default, secret = gateway.turnright["envFrom"]
    variables = gateway.named("ConfigMap", default["configMapRef"]["name"])["data"]

    assert variables == {"TURNRIGHT_SESSIONS": "false", "TURNRIGHT_STORE_URL": "memory://"}
    assert secret == {"secretRef": {"name": "turnright-keys"}}
    assert yaml.safe_load(gateway.configuration)["store"] == {"url": "os.environ/TURNRIGHT_STORE_URL"}
    settings = configured(GATEWAY).settings
    assert (settings.store.url, settings.sessions.enabled) == ("memory://", False)


def test_a_client_stays_on_one_replica() -> None:
    """The service uses the client's address for affinity, since each process has its own memory of signatures."""
    assert render(GATEWAY).one("Service")["spec"]["sessionAffinity"] == "ClientIP"


def test_rollout_loses_no_request() -> None:
    """A new replica is ready before an old replica stops.

    The grace period lets an old replica finish a request that began in its last moment.
    """
    strategy = render(GATEWAY).one("Deployment")["spec"]["strategy"]["rollingUpdate"]
    settings = configured(GATEWAY).settings

    assert strategy == {"maxUnavailable": 0, "maxSurge": 1}
    assert settings.general_settings.drain_delay >= 5
    assert settings.general_settings.drain_grace >= settings.router_settings.timeout


def test_autoscaler_alone_sets_the_number_by_an_existing_metric() -> None:
    """The autoscaler scales by an existing metric, up at once and down slowly.

    Only the autoscaler sets the number of replicas, so that the deployment names none.
    """
    gateway = render(GATEWAY)
    scaler = gateway.one("HorizontalPodAutoscaler")["spec"]
    [metric] = (entry["pods"] for entry in scaler["metrics"])
    names = {family.name for family in Metrics().registry.collect()}
    up, down = scaler["behavior"]["scaleUp"], scaler["behavior"]["scaleDown"]

    assert (scaler["scaleTargetRef"]["kind"], scaler["scaleTargetRef"]["name"]) == ("Deployment", "turnright")
    assert "replicas" not in gateway.one("Deployment")["spec"]
    assert 2 <= scaler["minReplicas"] < scaler["maxReplicas"]
    assert metric["metric"]["name"] in names
    assert int(metric["target"]["averageValue"]) * 4 == gateway.general["max_in_flight"]
    assert up["stabilizationWindowSeconds"] == 0
    assert down["stabilizationWindowSeconds"] >= 600
    assert down["policies"] == [{"type": "Pods", "value": 1, "periodSeconds": 300}]


def test_disruptions_take_one_at_a_time() -> None:
    """The disruption budget permits one unavailable pod at a time."""
    assert render(GATEWAY).one("PodDisruptionBudget")["spec"]["maxUnavailable"] == 1


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_cannot_be_reached(address: str) -> None:
    """Egress to private networks, to loopback and to a cloud's metadata service is blocked on ports 80 and 443."""
    assert not lets_out(address, 443)
    assert not lets_out(address, 80)


@pytest.mark.parametrize("address", PUBLIC)
def test_providers_can_be_reached(address: str) -> None:
    """Egress to public addresses is allowed on port 443, and blocked on ports 80 and 53."""
    assert lets_out(address, 443)
    assert not lets_out(address, 80)
    assert not lets_out(address, 53)


def test_who_is_let_in() -> None:
    """The API is open to labelled pods and namespaces, and the metrics to Prometheus' namespace.

    No rule is empty.
    """
    policy = render(GATEWAY).one("NetworkPolicy")["spec"]
    client = {"matchLabels": {"turnright-client": "true"}}

    assert policy["policyTypes"] == ["Ingress", "Egress"]
    assert {
        "http": [{"podSelector": client}, {"namespaceSelector": client}],
        "metrics": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}],
    } == {rule["ports"][0]["port"]: rule["from"] for rule in policy["ingress"]}
