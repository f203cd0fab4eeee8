"""Tests the compose files: they are valid and hardened, listen on loopback only, and name files that exist.

The tests read the file. They do not start compose, Prometheus or Grafana.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from proxy import __version__
from tests.ops.deploy.configurations import configured, read_compose
from tests.ops.deploy.manifests import render
from tests.ops.deploy.tools import DEPLOY, run_tool


def read(name: str) -> Any:
    """Return a YAML file of ``deploy/``."""
    return yaml.safe_load((DEPLOY / name).read_text("utf-8"))


@pytest.mark.parametrize("name", ["compose.yaml", "compose.valkey.yaml"])
def test_it_is_what_the_specification_has(name: str) -> None:
    """The compose files match the compose specification's schema."""
    done = run_tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / name)

    assert done.returncode == 0, done.stdout + done.stderr


def test_services_are_hardened() -> None:
    """Services have no capabilities and cannot gain any.

    The container of turnright can write to /tmp only. Ports are published on loopback only.
    """
    services = read_compose()["services"]

    for service in services.values():
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])
        assert re.search(r":v?[0-9]+\.[0-9]+\.[0-9]+$", service["image"])
    assert services["turnright"]["read_only"] is True
    assert [entry.partition(":")[0] for entry in services["turnright"]["tmpfs"]] == ["/tmp"]
    assert services["turnright"]["image"] == f"turnright:{__version__}"


def test_directories_are_mounted() -> None:
    """Every path that is mounted from the host is an existing directory, and read-only in the container.

    If a single file were mounted, the container would not see later changes of the file.
    """
    compose = read_compose()
    for service in compose["services"].values():
        for mount in service.get("volumes", []):
            source, _, rest = mount.partition(":")
            if source in compose["volumes"]:
                continue
            assert (DEPLOY / source).is_dir(), mount
            assert rest.endswith(":ro")
    assert (DEPLOY / compose["services"]["turnright"]["build"]["context"] / "pyproject.toml").exists()
    assert (DEPLOY.parent / compose["services"]["turnright"]["build"]["dockerfile"]).exists()


def test_keys_are_asked_for() -> None:
    """The container gets every key that the configuration names, and compose refuses to start if one is not set.

    The store's address is the exception. Without it, the store is in memory.
    """
    given = dict(read_compose()["services"]["turnright"]["environment"])

    assert set(configured("compose").keys) == set(given)
    assert given.pop("TURNRIGHT_STORE_URL") == "${TURNRIGHT_STORE_URL:-memory://}"
    assert all(value.startswith(f"${{{name}:?") for name, value in given.items())


def test_the_second_file_adds_valkey_alone() -> None:
    """``compose.valkey.yaml`` adds one hardened service, and changes the address of turnright's store."""
    services = read("compose.valkey.yaml")["services"]
    valkey, turnright = services["valkey"], services["turnright"]
    password = "${VALKEY_PASSWORD:?letters and digits}"

    assert services.keys() == {"turnright", "valkey"}
    assert turnright == {"environment": {"TURNRIGHT_STORE_URL": f"redis://:{password}@valkey:6379/0"}}
    assert valkey["environment"] == {"VALKEY_PASSWORD": password}
    assert (valkey["cap_drop"], valkey["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    assert (valkey["read_only"], valkey["user"]) == (True, "65532:65532")
    assert "ports" not in valkey


def test_valkey_is_the_one_of_kubernetes() -> None:
    """Compose and the overlay ``gateway-valkey`` run the same image with the same command and the same probe."""
    compose = read("compose.valkey.yaml")["services"]["valkey"]
    spec = render("overlays/gateway-valkey").named("StatefulSet", "turnright-valkey")["spec"]
    [container] = spec["template"]["spec"]["containers"]
    probe = container["livenessProbe"]["exec"]["command"]

    assert compose["image"] == container["image"]
    assert [part.replace("$$", "$") for part in compose["command"]] == container["command"] + container[
        "args"
    ]
    assert compose["healthcheck"]["test"][-1].replace("$$", "$") == probe[-1]


def test_prometheus_scrapes_the_admin_listener() -> None:
    """Prometheus scrapes the service ``turnright`` at the port of the admin listener.

    Prometheus loads the rules next to its configuration.
    """
    prometheus = read("prometheus/prometheus.yml")
    admin = configured("compose").settings.general_settings.admin
    assert admin is not None

    assert [["turnright:" + str(admin.port)]] == [
        static["targets"] for job in prometheus["scrape_configs"] for static in job["static_configs"]
    ]
    assert prometheus["rule_files"] == ["rules.yaml"]


def test_grafana_finds_its_files() -> None:
    """Grafana reads its provisioning and its dashboards from the mounted directory.

    The data source is the service ``prometheus`` at port 9090.
    """
    grafana = read_compose()["services"]["grafana"]
    [mount] = (entry.split(":")[1] for entry in grafana["volumes"] if entry.startswith("./grafana:"))
    [provider] = read("grafana/provisioning/dashboards/turnright.yaml")["providers"]
    [source] = read("grafana/provisioning/datasources/prometheus.yaml")["datasources"]

    assert grafana["environment"]["GF_PATHS_PROVISIONING"] == f"{mount}/provisioning"
    assert provider["options"]["path"] == mount
    assert (source["type"], source["url"]) == ("prometheus", "http://prometheus:9090")
