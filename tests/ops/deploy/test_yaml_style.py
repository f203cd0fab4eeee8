"""Tests the style of the YAML files of ``deploy/`` with yamllint."""

from __future__ import annotations

import json

from tests.ops.deploy.tools import DEPLOY, run_tool

STYLE = {
    "extends": "default",
    "rules": {
        "comments": {"min-spaces-from-content": 1},
        "comments-indentation": "disable",  # keys that are commented out keep their indentation
        "document-start": "disable",
        "line-length": {
            "max": 120,
            "ignore": ["rules.yaml", "rules_test.yaml"],
        },  # these hold long expressions and series
    },
}


def test_yamllint_is_silent() -> None:
    """``yamllint`` finds no duplicate key, trailing space, ``yes`` or ``no`` as a boolean, or line over 120."""
    done = run_tool("yamllint", "--strict", "--config-data", json.dumps(STYLE), DEPLOY)

    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
