"""Tests the Kubernetes overlay ``sidecar``: the container is native, listens on loopback, and Prometheus finds it."""

from __future__ import annotations

from tests.ops.deploy.manifests import Manifests, option, ports_of, render

SIDECAR = "overlays/sidecar"


def agent_of(manifests: Manifests) -> dict[str, object]:
    """Return the container of the example's agent."""
    [agent] = manifests.pod["containers"]
    return dict(agent)


def test_it_is_a_native_sidecar() -> None:
    """The sidecar is an init container that keeps running.

    Such a container starts before the agent, stops after the agent, and lets a Job end.
    """
    sidecar = render(SIDECAR)
    [container] = sidecar.pod["initContainers"]

    assert container == sidecar.turnright
    assert container["restartPolicy"] == "Always"
    assert agent_of(sidecar)["name"] == "agent"


def test_it_is_the_base_container() -> None:
    """The sidecar equals the base's container, except for its restart policy."""
    sidecar = {name: value for name, value in render(SIDECAR).turnright.items() if name != "restartPolicy"}

    assert sidecar == render("base").turnright


def test_the_api_is_on_loopback() -> None:
    """The API listens on loopback only, and the agent gets the API's address in ``OPENAI_BASE_URL``."""
    sidecar = render(SIDECAR)
    host, port = option(sidecar.turnright, "--host", "127.0.0.1"), option(sidecar.turnright, "--port", "4000")

    assert host == "127.0.0.1"
    assert ports_of(sidecar.turnright) == {"metrics": sidecar.general["admin"]["port"]}
    assert {"name": "OPENAI_BASE_URL", "value": f"http://127.0.0.1:{port}/v1"} in agent_of(sidecar)["env"]  # type: ignore[operator]
    assert "Service" not in {document["kind"] for document in sidecar.documents}


def test_it_outlives_the_agent() -> None:
    """The pod's grace covers the agent's end and then the sidecar's drain.

    No client is left during the drain, so the drain delay is 0.
    """
    sidecar = render(SIDECAR)

    assert sidecar.general["drain_delay"] == 0
    assert sidecar.pod["terminationGracePeriodSeconds"] >= 30 + sidecar.general["drain_grace"]


def test_pod_monitor_finds_the_pod() -> None:
    """The PodMonitor selects labels of the pod, and names a port that a container of the pod declares."""
    sidecar = render(SIDECAR)
    monitor = sidecar.one("PodMonitor")["spec"]
    [endpoint] = monitor["podMetricsEndpoints"]

    assert monitor["selector"]["matchLabels"].items() <= sidecar.pod_labels.items()
    assert endpoint["port"] in ports_of(sidecar.turnright)


def test_it_has_names_of_its_own() -> None:
    """The sidecar and the gateway share no resource name, so that both can live in one namespace."""
    names = [
        {(document["kind"], document["metadata"]["name"]) for document in render(overlay).documents}
        for overlay in (SIDECAR, "overlays/gateway")
    ]

    assert set() == names[0] & names[1]
    assert "turnright" != render(SIDECAR).pod_labels["app.kubernetes.io/name"]
