"""The operator's manual says all that there is, and nothing else."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from proxy.cli.main import make_parser
from proxy.config import schema
from proxy.config.schema.section import Section
from proxy.core import errors
from proxy.observability.metrics import Metrics
from proxy.observability.metrics.labelled import Labelled
from proxy.resilience import client_error
from proxy.resilience.failure_table import Kind

ROOT = Path(__file__).parents[1]
MANUAL = (ROOT / "deploy" / "README.md").read_text()


def section(title: str) -> str:
    """Return what stands below the heading *title*, to the next one of its rank or above."""
    start = re.search(rf"^(#+) {re.escape(title)}$", MANUAL, re.MULTILINE)
    assert start is not None, title
    end = re.search(rf"^#{{1,{len(start[1])}}} ", MANUAL[start.end() :], re.MULTILINE)
    return MANUAL[start.end() : start.end() + end.start() if end else None]


def rows(text: str) -> list[list[str]]:
    """Return the cells of every row of the tables in *text* whose first cell holds code."""
    cells = [
        re.split(r"(?<!\\)\|", line.strip()[1:-1]) for line in text.splitlines() if line.startswith("| `")
    ]
    return [[cell.strip() for cell in row] for row in cells]


def codes(text: str) -> set[str]:
    """Return what stands in code in the first cells of the tables in *text*."""
    return {code for row in rows(text) for code in re.findall(r"`([^`]+)`", row[0])}


def sections() -> list[type[Section]]:
    """Return every section of a configuration."""
    for module in pkgutil.iter_modules(schema.__path__):
        importlib.import_module(f"{schema.__name__}.{module.name}")
    found, waiting = [], [Section]
    while waiting:
        waiting += (below := waiting.pop().__subclasses__())
        found += [one for one in below if one.where]
    return found


def settings() -> Iterator[tuple[str, object]]:
    """Yield every setting by its place, with its default."""
    for one in sections():
        for name, field in one.model_fields.items():
            yield f"{one.where}.{name}", field.default


def test_every_setting() -> None:
    """Each that there is, and no other."""
    assert codes(section("Settings")) == {name for name, _ in settings()}


def test_defaults() -> None:
    """What a setting is by default is said with it, where it is a number."""
    told = {row[0].strip("`"): row[1] for row in rows(section("Settings"))}
    wrong = {
        name: default
        for name, default in settings()
        if isinstance(default, int | float)
        and not isinstance(default, bool)
        and not re.search(rf"(Default|default)[^.]*\b{re.escape(f'{default:g}')}\b", told[name])
    }
    assert wrong == {}


def _labels(collector: object) -> Sequence[str]:
    """Return the names of a metric's labels: of ours, or of the library's."""
    return collector.names if isinstance(collector, Labelled) else getattr(collector, "_labelnames", ())


def test_every_metric() -> None:
    """With its type and its labels."""
    metrics = Metrics()
    metrics.gen_ai()
    exist = {
        (f"{family.name}_total" if family.type == "counter" else family.name): family.type
        for family in metrics.registry.collect()
    }
    told = {row[0].strip("`"): row[1] for row in rows(section("Metrics"))}
    assert told == exist

    labels = {name: ", ".join(_labels(metrics.registry._names_to_collectors.get(name))) for name in exist}
    said = {row[0].strip("`"): row[2] for row in rows(section("Metrics"))}
    assert {name: said[name] for name in labels if name.startswith(("turnright_", "gen_ai_"))} == {
        name: label for name, label in labels.items() if name.startswith(("turnright_", "gen_ai_"))
    }


def test_every_alert() -> None:
    """With what to do about it, where its annotation points."""
    groups = yaml.safe_load((ROOT / "deploy" / "prometheus" / "rules.yaml").read_text())["groups"]
    alerts = [rule for group in groups for rule in group["rules"] if "alert" in rule]
    told = re.findall(r"^#### (\w+)$", section("Alerts"), re.MULTILINE)
    assert sorted(told) == sorted({rule["alert"] for rule in alerts})
    assert all(rule["annotations"]["runbook_url"].endswith(f"#{rule['alert'].lower()}") for rule in alerts)


def test_every_error() -> None:
    """Each code with its status, and each kind of failure."""
    waiting = [errors.ProxyError]
    exist: dict[str, int] = {}
    while waiting:
        one = waiting.pop()
        waiting += one.__subclasses__()
        if one is not errors.ProxyError:
            exist.setdefault(one.code, int(one.status))
    told = rows(section("Error codes"))
    of_kinds = set(client_error._CODES.values())
    assert {row[0].strip("`") for row in told if len(row) == 4} == set(exist) | of_kinds
    assert all(str(exist.get(row[0].strip("`"), "")) in row[1] for row in told if len(row) == 4)
    kinds = [code for row in told if len(row) == 2 for code in re.findall(r"`([^`]+)`", row[0])]
    assert sorted(kinds) == sorted(Kind)


def options() -> Iterator[str]:
    """Yield every subcommand, and every argument of each."""
    parser = make_parser()
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    for name, command in commands.choices.items():
        yield f"turnright {name}"
        for action in command._actions:
            flags = [flag for flag in action.option_strings if flag.startswith("--")]
            if flags != ["--help"]:
                yield f"turnright {name} {flags[0] if flags else action.metavar or action.dest}"


def test_every_command() -> None:
    """And each of its options."""
    told = section("Command line")
    assert codes(told) == set(options())


def test_links() -> None:
    """Every file and every heading that the manual names is there."""
    headings = {
        re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", MANUAL, re.MULTILINE)
    }
    for target in re.findall(r"\]\(([^)]+)\)", MANUAL):
        path, _, anchor = target.partition("#")
        assert not path or (ROOT / "deploy" / path).exists(), target
        assert path or anchor in headings, target
