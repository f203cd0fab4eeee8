"""The sidecar: native, on loopback, with the keys to itself, and found by Prometheus all the same."""

from __future__ import annotations

from tests.ops.deploy.manifests import Manifests, option, ports_of, render

SIDECAR = "overlays/sidecar"


def agent_of(manifests: Manifests) -> dict[str, object]:
    """Return the example's container."""
    [agent] = manifests.pod["containers"]
    return dict(agent)


def test_it_is_a_native_sidecar() -> None:
    """An init container that goes on running: up before the agent, stopped after it, no hindrance to a Job."""
    sidecar = render(SIDECAR)
    [container] = sidecar.pod["initContainers"]

    assert container == sidecar.turnright
    assert container["restartPolicy"] == "Always"
    assert agent_of(sidecar)["name"] == "agent"


def test_it_is_the_base_container() -> None:
    """Nothing else differs from the container of the base, which the gateway has too."""
    sidecar = {name: value for name, value in render(SIDECAR).turnright.items() if name != "restartPolicy"}

    assert sidecar == render("base").turnright


def test_the_api_is_on_loopback() -> None:
    """It has no address that others reach, and the agent is told the one that it has."""
    sidecar = render(SIDECAR)
    host, port = option(sidecar.turnright, "--host", "127.0.0.1"), option(sidecar.turnright, "--port", "4000")

    assert host == "127.0.0.1"
    assert ports_of(sidecar.turnright) == {"metrics": sidecar.general["admin"]["port"]}
    assert {"name": "OPENAI_BASE_URL", "value": f"http://127.0.0.1:{port}/v1"} in agent_of(sidecar)["env"]  # type: ignore[operator]
    assert "Service" not in {document["kind"] for document in sidecar.documents}


def test_it_outlives_the_agent() -> None:
    """The pod's grace is the agent's first; when it is the sidecar's turn nobody is left, so no delay is waited for."""
    sidecar = render(SIDECAR)

    assert sidecar.general["drain_delay"] == 0
    assert sidecar.pod["terminationGracePeriodSeconds"] >= 30 + sidecar.general["drain_grace"]


def test_pod_monitor_finds_the_pod() -> None:
    """It selects labels of the pod, and names a port that a container of the pod declares."""
    sidecar = render(SIDECAR)
    monitor = sidecar.one("PodMonitor")["spec"]
    [endpoint] = monitor["podMetricsEndpoints"]

    assert monitor["selector"]["matchLabels"].items() <= sidecar.pod_labels.items()
    assert endpoint["port"] in ports_of(sidecar.turnright)


def test_it_has_names_of_its_own() -> None:
    """Nothing bears the name of something of the gateway's: both may live in one namespace."""
    names = [
        {(document["kind"], document["metadata"]["name"]) for document in render(overlay).documents}
        for overlay in (SIDECAR, "overlays/gateway")
    ]

    assert set() == names[0] & names[1]
    assert "turnright" != render(SIDECAR).pod_labels["app.kubernetes.io/name"]
